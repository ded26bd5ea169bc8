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
//     gets to it. It runs in a process group of its own and carries a mark, and
//     all that it has started is ended with it: stdin is closed, then SIGTERM,
//     then SIGKILL. What a process that was killed has left running is found by
//     its Owner.
//   - Requests to an HTTP server, with their headers, go to its own scheme and
//     host alone: a redirect to another place is an error. Keys of a URL, of
//     headers and of variables are not in errors and logs.
//   - The secret of an OAuth client goes to the issuer of the configuration alone.
//     Tokens are in memory, each connection's own, and in no error or log.
//   - What a server says is bounded, and taken for what it is: someone else's
//     word. What makes no sense is an error, and ends nothing but the call that
//     it answers. A tool whose schema makes no sense, is too long or takes too
//     long to check is left out. Hints of a server that is not trusted can only
//     make a call look riskier. Hidden characters of a description, also within a
//     schema, are written out; a schema with any elsewhere is left out.
//   - A server that floods us with notifications has some left out; one that
//     floods us with requests is cut off. Answers always pass.
//   - A call goes to the server once. When it can't be known what a call did,
//     because the server died or was slow, the result says so. It goes again in
//     three cases, in which the server has said that it did not run: that very
//     request was refused because the server knows the session no more; it needs a
//     page to be opened first, and nothing was heard of the call before; it needs
//     answers, which the call then carries.
//   - A call has a time since it was last heard of, and twelve times that as a
//     whole. Neither passes while a question of it is open.
//   - Arguments and structured results pass as they were written, and so do
//     schemas without hidden characters.
//   - Questions of a server (elicitation) go to Options.Ask, at most eight of a
//     connection at once, and only while a call runs: they are over with the last
//     call that may have asked. Forms are flat, and have no references.
//
// # How to use it
//
// New makes a Server of a Config and starts nothing. Tools lists what a session
// has; a gate makes those safe to offer, and the Executor runs them. Check says
// whether a server works. Close ends all that was started, and waits for it. A
// host that may be killed sets Options.Owner, and calls EndLeftovers at its start.
//
// Package transport carries the connections, and says what is wrong with the MCP
// library and what is done about it.
package mcp
