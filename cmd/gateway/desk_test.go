package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// thorough reports whether sweeps are whole, as make test-long has them.
func thorough() bool { return os.Getenv("LINECLEAR_LONG") != "" }

// desk is a person's tab, and the session that it follows.
type desk struct {
	*process
	ws      *websocket.Conn
	session string
}

// desk opens a session with an agent in a tab of its own.
func (p *process) desk(agentID string) *desk {
	p.t.Helper()
	d := &desk{process: p, ws: p.tab()}
	var s struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": agentID}, &s)
	d.session = s.SessionID
	send(p.t, d.ws, `{"event":"subscribe","data":{"session":%q}}`, d.session)
	return d
}

// next is how the next call of the session was taken: as a request that waits,
// or with its answer.
func (d *desk) next() (approval.Request, *approval.Response) {
	d.t.Helper()
	var r approval.Request
	read(d.t, until(d.t, d.ws, "sessionEvent", `"approval.requested"`), &r)
	for {
		_, raw, err := d.ws.ReadMessage()
		if err != nil {
			d.t.Fatal(err)
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			d.t.Fatal(err)
		}
		switch {
		case f.Event == "approvalRequest" && strings.Contains(string(f.Data), r.ApprovalID):
			return r, nil
		case f.Event == "sessionEvent" && strings.Contains(string(f.Data), `"approval.resolved"`):
			var answer approval.Response
			read(d.t, f, &answer)
			return r, &answer
		}
	}
}

// run has the agent ask for a command.
func (d *desk) run(command string) (approval.Request, *approval.Response) {
	d.t.Helper()
	send(d.t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, d.session, "run: "+command)
	return d.next()
}

// answer sends one, with more of its members as JSON, and waits until the turn
// is over.
func (d *desk) answer(r approval.Request, status, more string) {
	d.t.Helper()
	send(d.t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":%q%s},"id":"a"}`, r.ApprovalID, status, more)
	d.over()
}

func (d *desk) over() { until(d.t, d.ws, "sessionEvent", `"turn.finished"`) }

// want runs a command and compares how it was taken: asked, or with a status by
// a door. What is asked is denied.
func (d *desk) want(command, want string) {
	d.t.Helper()
	r, answer := d.run(command)
	got := "asked"
	if answer != nil {
		got = string(answer.Status) + " by " + string(answer.By.Via)
	}
	if got != want {
		d.t.Errorf("%s was %s (%s), want %s", command, got, r.Policy.Rule, want)
	}
	if answer == nil {
		d.answer(r, "denied", "")
		return
	}
	d.over()
}

// read takes the data of a session event's frame.
func read(t *testing.T, f frame, into any) {
	t.Helper()
	var e struct {
		Data tool.JSON `json:"data"`
	}
	err := json.Unmarshal(f.Data, &e)
	if err == nil {
		err = json.Unmarshal(e.Data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
