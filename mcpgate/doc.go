// Package mcpgate stands between an MCP client and an MCP server that are not ours, and asks
// about the client's tool calls, and about the server's use of the client's model.
//
// # What it promises
//
//   - A tools/call reaches the server once it is cleared, with exactly the arguments that
//     were judged, printed again, and at most once for each approval. Every error is a refusal.
//   - Everything else passes value for value in both directions, also what is not known here:
//     a message that two readers could take for two things does not pass.
//   - A denial is a result with isError, in words for the model.
//   - A client that can't wait is told to call again; the repetition takes the one decision,
//     once.
//   - When the client cancels a call or goes away, its requests are withdrawn. What is claimed by
//     then and not sent is reported as not run.
//   - Messages, open requests and what is kept are bounded. A client that does not read holds up
//     the server. The client is always read: what a server does not read waits for it, up to a
//     bound.
//
// # How to use it
//
// New makes a Relay of two connections and a client.Client of the gateway; Run relays until
// one side ends. Stdio is the connection of a client on standard streams, and package
// tool/mcp/transport makes those of servers.
package mcpgate
