// Package mcp gives an agent the tools of MCP servers (Model Context Protocol).
//
// # What it promises
//
//   - Sessions share nothing: each has a connection of its own, and so a process
//     of its own where the server is a program. It is started when it is first
//     needed, ended when it has not been used for a while, and started again
//     after a failure, but not in a hurry: one second later, then two, up to
//     sixty.
//   - A program inherits only the variables on a list, so that no key of ours
//     gets to it. It runs in a process group of its own, which is ended whole:
//     stdin is closed, then SIGTERM, then SIGKILL. Headers of an HTTP server go
//     to its own host alone.
//   - What a server says is bounded, and taken for what it is: someone else's
//     word. A tool whose schema makes no sense is left out. Hints of a server
//     that is not trusted can only make a call look riskier. Hidden characters of
//     a description are written out.
//   - A call goes to the server once. When it can't be known what a call did,
//     because the server died or was slow, the result says so. The one exception
//     is a call that a server has refused without looking at it, because it knows
//     the connection no more.
//   - Arguments, schemas and structured results pass as they were written.
//   - Questions of a server (elicitation) go to Options.Ask. While one is open,
//     its call can't become too slow.
//
// # How to use it
//
// New makes a Server of a Config and starts nothing. Tools lists what a session
// has; a gate makes those safe to offer, and the Executor runs them. Check says
// whether a server works. Close ends all that was started, and waits for it.
package mcp
