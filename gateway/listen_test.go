package gateway

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/lineclear/lineclear/httpapi"
)

// A log that samples by message tells a flood by its one message.
func TestWhatTheServerSaysIsOneMessageWhoeverItIsAbout(t *testing.T) {
	core, said := observer.New(zapcore.DebugLevel)
	log := zap.New(core)
	server := (&listener{guard: httpapi.NewConnections(httpapi.ConnectionLimits{}, log)}).newServer(log)
	for i := range 3 {
		server.ErrorLog.Printf("http: TLS handshake error from 10.0.0.9:%d: EOF", i)
	}
	if n := said.FilterMessage("the HTTP server says").Len(); n != 3 || said.Len() != 3 {
		t.Errorf("of %d lines %d have the message", said.Len(), n)
	}
}
