package mcpgate_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/mcpgate"
)

func TestAToolThatHasChangedIsAskedAboutAgainAndMarked(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	first := s.waiting()
	if _, err := s.people.Answer(t.Context(), approval.Answer{ApprovalID: first.ApprovalID, Status: approval.Approved, Scope: approval.Session}); err != nil {
		t.Fatal(err)
	}
	s.server.hears(`"id":7`)
	s.server.say(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	s.client.hears(`"id":7`)
	s.client.say(strings.Replace(called, `"id":7`, `"id":8`, 1)) // granted for the session
	s.server.hears(`"id":8`)
	s.server.say(`{"jsonrpc":"2.0","id":8,"result":{"content":[]}}`)
	s.client.hears(`"id":8`)
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.client.hears("list_changed")
	s.client.say(strings.Replace(called, `"id":7`, `"id":9`, 1))
	s.lists(strings.Replace(write, "Writes a note.", "Writes a note, and sends it away.", 1))
	again := s.answer(approval.Approved, "")
	if again.SessionID == first.SessionID || !strings.Contains(again.Metadata["definition"], "changed") || !strings.Contains(again.Metadata["description"], "sends it away") {
		t.Errorf("it is asked as %+v", again.Request)
	}
	s.server.hears(`"id":9`)
}

func TestAToolThatChangesWhileItsCallWaitsIsAskedAboutAgain(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	first := s.waiting()
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.client.hears("list_changed")
	s.answer(approval.Approved, "")
	s.lists(strings.Replace(write, "Writes a note.", "Sends it away.", 1))
	again := s.waiting()
	if again.ApprovalID == first.ApprovalID || !strings.Contains(again.Metadata["definition"], "changed") {
		t.Errorf("it is asked as %+v", again.Request)
	}
	if now := s.becomes(first.ApprovalID, "is void", func(a client.Approval) bool { return a.Run == approval.RunVoid }); now.Voided == nil {
		t.Errorf("the first stands as %+v", now)
	}
	s.answer(approval.Denied, "")
	if got := s.client.hear(); !strings.Contains(got, `"isError":true`) {
		t.Errorf("the client hears %s", got)
	}
}

func TestAListThatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	first := s.server.hears("tools/list")
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) // as servers do that have only just begun
	s.server.say(`{"jsonrpc":"2.0","id":` + string(part(t, first, "id")) + `,"result":{"tools":[` + write + `]}}`)
	s.lists(write)
	if a := s.answer(approval.Approved, ""); a.Metadata["description"] != "Writes a note." || a.Metadata["definition"] != "" {
		t.Errorf("it is asked as %+v", a.Request)
	}
	s.server.hears(`"id":7`)
}

func TestTheClientsListIsWhatIsKnownOfTools(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.server.hears("tools/list")
	s.server.say(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + write + `]}}`)
	s.client.hears("Writes a note.")
	s.client.say(called)
	if a := s.answer(approval.Denied, ""); a.Metadata["description"] != "Writes a note." || a.Metadata["definition"] != "" {
		t.Errorf("it is asked as %+v", a.Request)
	}
	s.client.hears("isError")
	s.client.say(strings.Replace(strings.Replace(called, `"id":7`, `"id":8`, 1), `"write"`, `"erase"`, 1))
	if a := s.answer(approval.Denied, ""); a.ToolName != "notes__erase" || !strings.Contains(a.Metadata["definition"], "does not list") {
		t.Errorf("it is asked as %+v", a.Request)
	}
}

const sample = `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"who are you?"}}],"maxTokens":100}}`

func TestTheClientsModelIsUsedOnceThatIsCleared(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.server.say(sample)
	a := s.answer(approval.Approved, "")
	if a.ToolName != "notes:sampling" || !strings.Contains(string(a.Args), "who are you?") {
		t.Errorf("it is asked as %+v", a.Request)
	}
	if got := s.client.hear(); !same(got, sample) {
		t.Errorf("the client hears %s", got)
	}
	answer := `{"jsonrpc":"2.0","id":7,"result":{"role":"assistant","content":{"type":"text","text":"a model"},"model":"m"}}`
	s.client.say(answer)
	if got := s.server.hear(); got != answer {
		t.Errorf("the server hears %s", got)
	}
	done := s.becomes(a.ApprovalID, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
	if done.Ran.Text != "a model" {
		t.Errorf("its result is %+v", done.Ran)
	}
	s.server.say(strings.Replace(sample, `"id":7`, `"id":8`, 1))
	s.answer(approval.Denied, "my model is mine")
	if got := s.server.hear(); !strings.Contains(got, `"error"`) || !strings.Contains(got, "my model is mine") {
		t.Errorf("the server hears %s", got)
	}
	s.server.say(strings.Replace(sample, `"id":7`, `"id":9`, 1))
	waits := s.waiting()
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`)
	s.becomes(waits.ApprovalID, "is withdrawn", func(a client.Approval) bool { return a.Status == approval.Cancelled })
}

const newer = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}},`

func TestTheNextRoundOfACallIsAskedAboutWithWhatItBrings(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	round := func(id int, more string) {
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s%s"name":"write","arguments":{"text":"a"}}}`, id, newer, more))
	}
	round(1, "")
	if asked := s.server.hear(); !strings.Contains(asked, "2026-07-28") {
		t.Errorf("the list is asked for with %s", asked)
	} else {
		s.server.say(`{"jsonrpc":"2.0","id":` + string(part(t, asked, "id")) + `,"result":{"tools":[` + write + `],"resultType":"complete"}}`)
	}
	first := s.waiting()
	if _, err := s.people.Answer(t.Context(), approval.Answer{ApprovalID: first.ApprovalID, Status: approval.Approved, Scope: approval.Session}); err != nil {
		t.Fatal(err)
	}
	s.server.hears(`"id":1`)
	s.server.say(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s1","inputRequests":{"q":{"method":"elicitation/create","params":{}}}}}`)
	s.client.hears("input_required")
	s.becomes(first.ApprovalID, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
	round(2, `"requestState":"s1","inputResponses":{"q":{"action":"accept"}},`)
	again := s.answer(approval.Approved, "") // the approval for the session is for calls that bring nothing
	if beside := again.Metadata["beside the arguments"]; !strings.Contains(beside, `"inputResponses": {"q":{"action":"accept"}}`) || !strings.Contains(beside, `"requestState": "s1"`) {
		t.Errorf("it is asked as %+v", again.Request)
	}
	if got := s.server.hear(); !strings.Contains(got, `"inputResponses"`) || !strings.Contains(got, `"id":2`) {
		t.Errorf("the server hears %s", got)
	}
	s.server.say(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)
	s.client.hears("done")
	round(3, `"requestState":"s1","inputResponses":{"q":{"action":"decline"}},`)
	s.answer(approval.Denied, "")
	if got := s.client.hear(); !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("a newer client hears %s", got)
	}
}

func TestARoundThatWantsTheClientsModelIsAskedAbout(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{` + newer + `"name":"p"}}`)
	s.server.hears("prompts/get")
	s.server.say(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"m":{"method":"sampling/createMessage","params":{"messages":[]}}}}}`)
	s.answer(approval.Denied, "mine")
	if got := s.client.hear(); !strings.Contains(got, `"error"`) || !strings.Contains(got, "mine") {
		t.Errorf("the client hears %s", got)
	}
}

func TestACancelledRequestWithdrawsTheQuestionForTheModel(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{` + newer + `"name":"p"}}`)
	s.server.hears("prompts/get")
	s.server.say(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"m":{"method":"sampling/createMessage","params":{"messages":[]}}}}}`)
	a := s.waiting()
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	s.server.hears("cancelled")
	s.becomes(a.ApprovalID, "is withdrawn", func(a client.Approval) bool { return a.Status == approval.Cancelled })
	if got := s.upTo(t); strings.Contains(got, `"id":1`) {
		t.Errorf("the client hears of what it has cancelled: %s", got)
	}
}

func TestAServerThatWantsTheModelAndDoesNotReadIsBounded(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	want := func(from, to int) {
		for n := from; n < to; n++ {
			s.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{"messages":[]}}`, n))
		}
	}
	want(0, 64)
	before := runtime.NumGoroutine()
	want(64, 2000)
	if more := runtime.NumGoroutine() - before; more > 500 {
		t.Errorf("%d goroutines more wait for a server that does not read", more)
	}
	s.server.hears("too many requests")
}
