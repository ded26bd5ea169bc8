// Package host starts coding agents and is the host that they ask before each of their
// calls: it asks the gateway, and the agent waits. If this process is gone, the agent's
// line to it is closed, and the agent runs nothing more.
//
// Claude speaks the stream-json control protocol of Claude Code, Codex the app-server
// protocol of Codex, and ACP stands between an agent and its editor, which speak the Agent
// Client Protocol (version 1). Converse is such an editor in a terminal.
package host
