// Package lineclear is the root of an approval gateway for AI agents: a risky
// tool call waits until a person clears it, and when nobody answers, the
// answer is no. It holds no code; this page says where everything lives.
//
// A package imports only lower floors. Nothing imports sideways. A contract
// suite or a provider stands one step above the package whose name it is under.
//
//	9  cmd/gateway                                    the program: main alone
//	9  internal/licenses/collect                      collects the licences that internal/licenses embeds
//	9  internal/comments/collect                      collects the doc comments that internal/comments embeds
//	9  internal/wiretypes                             writes the TypeScript types of what goes over the line
//	9  internal/cluster                               three gateways on one Postgres, to try out
//	9  internal/bench                                 measures a gateway from outside, beside baselines of the same run
//	9  cmd/auditverify                                verifies an exported audit log, with packages audit and internal/mask alone
//	8  cli                                            the verbs
//	7  gateway   httpapi/apitest                      the whole server, for serve and for programs that embed it
//	6  httpapi   wsapprover   config   host   mcpgate   install   notify/webpush/webpushtest   cluster/natstest                  the doors; agents.yaml into values
//	5  door   store   cluster   hook   internal/metrics   notify/webpush   store/postgres/postgrestest                what every door shares; what is kept; push services
//	4  store/sqlite   store/postgres   notify   internal/otlp   agent   policy   audit   client   terminal   transcript   model/scripted   model/openai   model/anthropic   model/google   model/modeltest   tool/shell   tool/files   tool/mcp   approval/approvaltest   session/sessiontest
//	3  gate   model/remote   tool/mcp/transport   internal/canary          the road of a call; what the providers behind HTTP share; connections to MCP servers; one call of a real coding agent
//	2  approval   session   model   internal/programs   internal/sandbox/sandboxtest   internal/jsonrpc   the domain
//	1  bus   tool   auth   strictjson   internal/plain   internal/trace   web   internal/failpoint   internal/process   internal/sandbox   internal/licenses   internal/comments   the ground words
//	0  internal/paths   internal/mask   internal/linediff                  shared by all packages
//
// What each is:
//
//	bus                 events in order inside one process
//	tool                the ground words: Tool, Spec, Call, Result
//	auth                who is asking and as what: Identity, Role, logins, one-time secrets, OriginCheck
//	strictjson          decoding that refuses what it should, and the RFC 8785 canonical form
//	internal/mask       what a person is shown of a hidden character, a look-alike or a secret; the writer that every verb writes through
//	internal/plain      command lines that can be read, and the text that runs in their place
//	internal/programs   what programs do with their arguments, and patterns of commands
//	internal/failpoint  the edges at which tests kill the process
//	internal/process    families of processes, found again by a mark and ended whole
//	internal/sandbox    commands in another view of the machine, by bubblewrap; sandboxtest makes one for tests
//	internal/canary     a model server of our own, and the programs of coding agents, run once against it
//	internal/jsonrpc    programs that speak JSON on their standard streams, one message a line
//	internal/linediff   compares two texts line by line, as diff -u does
//	internal/paths      compares and names paths, resolving symbolic links
//	internal/licenses   the licences of all that is in the program
//	internal/comments   what doc comments say of the types that go over the line, for the API's description
//	web                 the dashboard's built files, embedded; its source is web/src, its map web/README.md. What goes over the line it shares with the TypeScript package, sdk/typescript
//	approval            words and transitions: Request, Response, Handler, Judge, and the states of a row
//	gate                the road of a call: a tool becomes a Gated; ask, decide, claim, run
//	tool/mcp/transport  one connection to an MCP server, hardened; what its library does wrong
//	session             a conversation: Session, Status, Event, Log, Conversation
//	model               what a model is: Prompt, Delta, Reply, Model
//	policy              rules, grants and risk: the Judge of the gateway
//	notify              who is called when a request needs somebody and no page is open, and when
//	notify/webpush      messages to browsers by their push services: encrypted, to public addresses alone; webpushtest is a push service for tests
//	client              a running gateway's API for Go programs
//	terminal            a person at a terminal: a request in full, and the answer
//	internal/trace      ids of traces (W3C Trace Context), derived from what is stored
//	internal/otlp       spans of what happens, for a collector of traces (OpenTelemetry)
//	internal/metrics    what was counted, for Prometheus
//	transcript          the journal as OpenAI messages, and messages as answers
//	audit               the chain of records, its signed checkpoints, its exports and its verifier
//	agent               the loop: a session's turns with a model, and the Executor that runs gated tools
//	hook                what coding agents write to a program before a tool call, and the answer that each wants
//	host                coding agents that ask us about their calls, started by us: Claude Code, Codex, and all that speak ACP
//	mcpgate             MCP clients and servers that are not ours: between them, and asks about the client's calls
//	install             the hook in the settings of coding agents, proven with their own programs, and taken out again
//	wsapprover          reviewers on WebSockets: Hub (bus to tabs), and Handler, which keeps the promises
//	door                what every door shares: errors, masked views, the interfaces they lead to
//	store               everything durable, behind the interfaces that approval, session and auth declare
//	store/sqlite        its database in one file
//	store/postgres      its database in Postgres, which several gateways share; postgrestest starts servers for tests
//	cluster             what gateways of a cluster say to each other over NATS; natstest starts servers for tests
//	httpapi             the HTTP doors: login, tickets, agents, sessions, grants, the dashboard's files
//	httpapi/apitest     holds a server's real answers against the description of the API
//	config              agents.yaml into values
//	gateway             all of it, made from a configuration: New, Handler, Run
//	cli                 the verbs: over client and terminal, over gateway, and those that work on files
//
// A call's road: agent.Executor, gate.Gated.Run, Asker.Ask, a store's
// transaction, the bus, wsapprover.Hub, a tab; and back through
// Desk.Decide, a transaction, the bus, the promise, the claim, the tool.
// docs/states.md draws what can happen on it.
package lineclear
