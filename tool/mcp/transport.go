package mcp

import "github.com/lineclear/lineclear/tool/mcp/transport"

// Transport makes a connection of its own to a server, for a client that is not ours; it
// starts nothing. The log is told what the server says beside the protocol.
func Transport(c Config, o Options, log func(level, text string)) (*transport.Transport, error) {
	s, err := New(c, o)
	if err != nil {
		return nil, err
	}
	return s.newTransport(log), nil
}
