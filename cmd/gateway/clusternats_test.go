//go:build postgres

package main

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/cluster/natstest"
	"github.com/lineclear/lineclear/session"
)

const carries = "NATS carries wake-ups"

// begun has a session said something at a gateway.
func (p *process) begun() (sessionID string) {
	p.t.Helper()
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
	return s.SessionID
}

// follows returns once a tab does.
func follows(t *testing.T, ws *websocket.Conn, sessionID string) {
	t.Helper()
	send(t, ws, `{"event":"subscribe","data":{"session":%q},"id":%q}`, sessionID, sessionID)
	for until(t, ws, "ack", "").ID != sessionID {
	}
}

func piece(t *testing.T, f frame) (d session.Delta) {
	t.Helper()
	if err := json.Unmarshal(f.Data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// reads takes some pieces of a message that is being written, which have to join, and returns the text so far.
func reads(t *testing.T, ws *websocket.Conn, pieces int) (text, messageID string) {
	t.Helper()
	for range pieces {
		d := piece(t, until(t, ws, "delta", ""))
		if d.Offset != session.UTF16Len(text) || messageID != "" && d.MessageID != messageID {
			t.Fatalf("after %q of %s comes %+v", text, messageID, d)
		}
		text, messageID = text+d.Text, d.MessageID
	}
	return text, messageID
}

// A reply is seen at every gateway as it is written, also by a tab that is opened in the middle of it, and once it is whole when NATS is
// gone meanwhile; then everything goes on without it.
func TestClusterShowsWithNATSWhatIsWrittenAtAnotherGateway(t *testing.T) {
	c, server := newCluster(t), natstest.Start(t)
	c.nats = server.URL
	slow := []string{"  demo: {provider: scripted}", "  demo: {provider: scripted, delay: 60ms}"}
	one := c.start("one", slow...)
	two := c.start("two", slow...).resumed(one)
	one.logged(carries)
	two.logged(carries)
	here, there := one.tab(), two.tab()
	id := one.begun()
	for _, ws := range []*websocket.Conn{here, there} {
		follows(t, ws, id)
	}
	send(t, here, `{"event":"message","data":{"sessionId":%q,"text":"hello"}}`, id)
	reads(t, there, 3)
	late := two.tab()
	send(t, late, `{"event":"subscribe","data":{"session":%q}}`, id)
	text, message := reads(t, late, 2)
	const request = "0197c5a0-0000-7000-8000-000000000001"
	send(t, here, `{"event":"viewing","data":{"approvalId":%q}}`, request)
	until(t, there, "presence", request)
	server.Kill()
	if len(text) == 0 {
		t.Error("who came late sees nothing of the beginning")
	}
	for _, ws := range []*websocket.Conn{there, late} {
		until(t, ws, "sessionEvent", message)
		until(t, ws, "sessionEvent", "turn.finished")
	}
	two.logged("NATS is away")
	session, asked := one.ask(here, proof(c.dir))
	send(t, there, `{"event":"subscribe","data":{"session":%q}}`, session)
	send(t, there, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, asked)
	until(t, there, "sessionEvent", "tool.result")
	if err := server.Again(); err != nil {
		t.Fatal(err)
	}
	if !one.stderr.awaitTimes(carries, 2) || !two.stderr.awaitTimes(carries, 2) {
		t.Fatalf("they do not find it again: %s%s", one.stderr, two.stderr)
	}
	id = one.begun()
	follows(t, there, id)
	send(t, here, `{"event":"message","data":{"sessionId":%q,"text":"hello"}}`, id)
	reads(t, there, 2)
	until(t, there, "sessionEvent", "turn.finished")
}

func TestClusterStartsWithoutItsNATSAndFindsItLater(t *testing.T) {
	c, server := newCluster(t), natstest.Start(t)
	server.Kill()
	c.nats = server.URL
	one := c.start("one")
	one.logged("NATS is away")
	ws := one.tab()
	_, id := one.ask(ws, proof(c.dir))
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "turn.finished")
	if err := server.Again(); err != nil {
		t.Fatal(err)
	}
	one.logged(carries)
}
