package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// entrance is one way in which a person can answer a request.
type entrance struct {
	via    approval.Via
	answer func(d *desk, r approval.Request, deny bool) error
}

// doors are all but the WebSocket's and the terminal's.
func doors() map[string]entrance {
	decision := func(deny bool) string {
		if deny {
			return "deny"
		}
		return "approve"
	}
	status := func(deny bool) string {
		if deny {
			return "denied"
		}
		return "approved"
	}
	post := func(d *desk, path string, body any) error {
		var got struct {
			Status int    `json:"-"`
			Detail string `json:"detail"`
		}
		return d.request(http.MethodPost, path, body, &got)
	}
	return map[string]entrance{
		"REST, by its id": {"rest", func(d *desk, r approval.Request, deny bool) error {
			return post(d, "/api/approvals/"+r.ApprovalID, map[string]any{"status": status(deny), "argsDigest": r.ArgsDigest})
		}},
		"REST, by the call": {"rest", func(d *desk, r approval.Request, deny bool) error {
			return post(d, "/api/sessions/"+r.SessionID+"/approvals/"+r.ToolCallID, map[string]any{"decision": decision(deny)})
		}},
		"REST, the only one that waits": {"rest", func(d *desk, r approval.Request, deny bool) error {
			return post(d, "/api/sessions/"+r.SessionID+"/approve", map[string]any{"decision": decision(deny), "seen": 1 << 40})
		}},
		"a line of chat": {"chat", func(d *desk, r approval.Request, deny bool) error {
			return post(d, "/api/sessions/"+r.SessionID+"/messages", map[string]any{"text": decision(deny) + " " + r.ApprovalID, "seen": 1 << 40})
		}},
		"a tool message": {"tool_message", func(d *desk, r approval.Request, deny bool) error {
			return post(d, "/api/sessions/"+r.SessionID+"/messages", map[string]any{
				"role": "tool", "tool_call_id": "approval_" + r.ApprovalID, "content": fmt.Sprintf(`{"decision":%q}`, decision(deny)),
			})
		}},
		"a tab": {"websocket", func(d *desk, r approval.Request, deny bool) error {
			ws, err := d.connect()
			if err != nil {
				return err
			}
			defer func() { _ = ws.Close() }()
			if err := write(ws, `{"event":"approvalResponse","id":"x","data":{"approvalId":%q,"status":%q}}`, r.ApprovalID, status(deny)); err != nil {
				return err
			}
			for {
				_, raw, err := ws.ReadMessage()
				if err != nil {
					return err
				}
				var f struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal(raw, &f); err != nil || f.ID == "x" {
					return err
				}
			}
		}},
	}
}

// resolution waits for the answer to a request.
func (d *desk) resolution(r approval.Request) approval.Response {
	d.t.Helper()
	var answer approval.Response
	f := until(d.t, d.ws, "approvalResponse", r.ApprovalID)
	if err := json.Unmarshal(f.Data, &answer); err != nil {
		d.t.Fatal(err)
	}
	return answer
}

func TestARequestIsAnsweredFromEveryDoor(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	for name, door := range doors() {
		for _, deny := range []bool{false, true} {
			d := p.desk("demo")
			r, _ := d.run("uname -a")
			if err := door.answer(d, r, deny); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := d.resolution(r)
			if got.By.Via != door.via || (got.Status == approval.Denied) != deny {
				t.Errorf("%s, deny %v: %s by %s", name, deny, got.Status, got.By.Via)
			}
			d.over()
		}
	}
}

func TestOfAllDoorsAtOnceOneWinsAndTheCallRunsAtMostOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, granting)
	outcomes := map[approval.Status]int{}
	for round := range 10 {
		d := p.desk("demo")
		r, _ := d.run(proof(dir))
		var all sync.WaitGroup
		for name, door := range doors() {
			for _, deny := range []bool{false, true} {
				all.Go(func() {
					if err := door.answer(d, r, deny); err != nil {
						t.Errorf("round %d, %s: %v", round, name, err)
					}
				})
			}
		}
		got := d.resolution(r)
		all.Wait()
		outcomes[got.Status]++
		d.over()
		var v struct {
			Status   approval.Status   `json:"status"`
			Response approval.Response `json:"response"`
		}
		if err := p.request(http.MethodGet, "/api/approvals/"+r.ApprovalID, struct{}{}, &v); err != nil {
			t.Fatal(err)
		}
		if v.Status != got.Status || v.Response.At != got.At || v.Response.By != got.By {
			t.Errorf("round %d: told %+v, stored %+v", round, got, v.Response)
		}
	}
	if n := len(ran(t, dir)); n != outcomes[approval.Approved] {
		t.Errorf("%d calls ran, %d were approved", n, outcomes[approval.Approved])
	}
}

func TestWhereNobodyIsThereToAnswerAnAgentMayBeDeniedAtOnce(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(granting, "timeout: none,", "timeout: none, onNoApprover: deny,", 1)
	p := launchWith(t, "gateway", t.TempDir(), yaml)
	reason := func() (r struct {
		Approvals []struct {
			Status   approval.Status    `json:"status"`
			Response *approval.Response `json:"response"`
			Context  []tool.Said        `json:"context"`
		} `json:"approvals"`
	}) {
		var s struct {
			SessionID string `json:"sessionId"`
		}
		p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
		var said tool.JSON
		p.post("/api/sessions/"+s.SessionID+"/messages", map[string]any{"text": "run: uname -a"}, &said)
		for len(r.Approvals) == 0 {
			if err := p.request(http.MethodGet, "/api/approvals?sessionId="+s.SessionID, struct{}{}, &r); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
	alone := reason().Approvals[0]
	if alone.Response == nil || alone.Response.Reason != approval.NoHandler {
		t.Errorf("with nobody there it is %+v", alone)
	}
	if len(alone.Context) != 2 || alone.Context[0].Text != "run: uname -a" {
		t.Errorf("what was said last: %+v", alone.Context)
	}
	tab := p.tab()
	until(t, tab, "snapshot", "")
	if mute := reason().Approvals[0]; mute.Response == nil || mute.Response.Reason != approval.NoHandler {
		t.Errorf("with a tab that has not said what it can do it is %+v", mute)
	}
	if err := write(tab, `{"event":"hello","data":{"capabilities":["approvals"]}}`); err != nil {
		t.Fatal(err)
	}
	until(t, tab, "ack", "")
	if watched := reason().Approvals[0]; watched.Status != approval.Pending {
		t.Errorf("with a tab it is %+v", watched)
	}
}

func TestAGatewayThatRequiresAHelloTakesNoAnswerBeforeIt(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strings.Replace(granting, "localKey: answers,", "localKey: answers, requireHello: true,", 1))
	tab := p.tab()
	until(t, tab, "welcome", "")
	if err := write(tab, `{"event":"approvalResponse","id":"a","data":{"approvalId":"x","status":"approved"}}`); err != nil {
		t.Fatal(err)
	}
	until(t, tab, "error", "no_capability")
	if err := write(tab, `{"event":"hello","data":{"capabilities":["approvals"]}}`); err != nil {
		t.Fatal(err)
	}
	until(t, tab, "snapshot", "")
}
