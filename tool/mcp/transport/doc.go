// Package transport carries one connection to an MCP server: a program on stdin
// and stdout, or a server on streamable HTTP.
//
// # What it promises
//
//   - Nothing that a server sends ends this process or grows without a bound.
//   - Write and Read end with their ctx and with Cut, also when the server reads
//     nothing. Shutdown ends all that was started, and waits for it.
//   - Requests of HTTP go to the server's own scheme and host alone.
//   - A block of a result that makes no sense costs itself alone, and is named.
//   - Secrets that were given for a server are not in texts that went through Hide,
//     nor in the log.
//
// # How to use it
//
// NewStdio and NewHTTP start nothing; the library's Client.Connect does. Give its
// client SafeHandlers, call it through SafeCall, and take schemas and structured
// results from RawJSON. Lost says whether the server's end is gone, and why.
//
// # What the library does wrong
//
// The library is github.com/modelcontextprotocol/go-sdk, here of version 1.8. For
// each fault: what is done about it, and what to ask of its authors.
//
//   - It loses JSON. It decodes inputSchema, structuredContent and requestedSchema
//     into Go maps: their order and large numbers are gone. rawjson.go writes their
//     texts into the message's _meta before the library sees it. To ask: let a
//     client have these as raw JSON.
//   - It knows nothing of tasks: of tools that need one (execution), and of results
//     that are one. rawjson.go and content.go make both known.
//   - It refuses a whole result for one block of its content that it does not know.
//     content.go puts a text in that block's place. To ask: keep such a block raw.
//   - It queues without a bound what a server sends. ratelimit.go leaves out what
//     is too much, or cuts the connection, before it is queued. To ask: limits in
//     ClientOptions.
//   - It panics on messages in which something is missing, in goroutines of its own
//     and once while it holds a lock. safecall.go makes errors of that. To ask: check
//     params for nil, and recover around handlers.
//   - It answers a result that asks for input (multi round-trip) in a goroutine for
//     each question, where a panic would end us, with any number of questions at
//     once. So that is switched off, and tool/mcp does it, in multiround.go. To ask:
//     one question after the other, and a limit.
//   - Its Connection of HTTP can't be wrapped: the library looks for an unexported
//     method of it (sessionUpdated). So messages on HTTP are looked at one step
//     lower, in an http.RoundTripper: http.go and sse.go. To ask: export that
//     interface.
//   - Its stdio waits without an end for a program that reads nothing, whatever ctx
//     says, and breaks on a line that is no message, such as a greeting. stdio.go is
//     a Connection of our own. To ask: honour ctx, and a handler for such lines.
//   - It leaves a connection open in some cases in which Client.Connect fails, and
//     its Close can wait for calls that it has lost track of. Cut and Shutdown end
//     both. To ask: close what Connect has opened, and a Close that takes a ctx.
package transport
