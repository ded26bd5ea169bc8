package mcpgate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/mcpgate"
)

// upTo is all that the client hears up to a notice that the server gives now.
func (s *session) upTo(t *testing.T) (heard string) {
	t.Helper()
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/marker"}`)
	for !strings.Contains(heard, "notifications/marker") {
		heard += s.client.hear() + "\n"
	}
	return heard
}

// approve approves what waits for its session.
func (s *session) approveForSession(t *testing.T) client.Approval {
	t.Helper()
	a := s.waiting()
	if _, err := s.people.Answer(t.Context(), approval.Answer{ApprovalID: a.ApprovalID, Status: approval.Approved, Scope: approval.Session}); err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *session) finished(id string) client.Approval {
	return s.becomes(id, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
}

func TestAnAnswerIsThatOfItsIDHoweverThatIsWritten(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for i, ids := range [][2]string{{"7", "7.0"}, {"8", "8e0"}, {`"a/b"`, `"a\/b"`}, {`"é"`, `"\u00e9"`}} {
		s.client.say(strings.Replace(called, `"id":7`, `"id":`+ids[0], 1))
		if i == 0 {
			s.lists(write)
		}
		a := s.answer(approval.Approved, "")
		s.server.hears("tools/call")
		s.server.say(`{"jsonrpc":"2.0","id":` + ids[1] + `,"result":{"content":[{"type":"text","text":"done"}]}}`)
		s.client.hears("done")
		if done := s.finished(a.ApprovalID); done.Ran.Text != "done" {
			t.Errorf("%s is answered with %s: %+v", ids[0], ids[1], done.Ran)
		}
	}
}

func TestTheClientsModelIsAskedByNoOtherSpelling(t *testing.T) {
	const ask = `{"m":{"method":"sampling/createMessage","params":{}}}`
	s := open(t).gate(mcpgate.Options{})
	for i, said := range []string{
		`"method":"x","result":{"inputRequests":` + ask + `}`,
		`"result":{"inputRequests":{"m":{"Method":"sampling/createMessage","method":"roots/list","params":{}}}}`,
		`"result":{"inputRequests":{"m":{"method":"roots/list","method":"sampling/createMessage","params":{}}}}`,
		`"result":{"inputRequests":{},"inputRequests":` + ask + `}`,
		`"result":{"InputRequests":` + ask + `}`,
		`"result":{"inputRequests":{"m":{"method":"sampling/createMessage","params":{"a":1},"params":{}}}}`,
	} {
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"p"}}`, i))
		s.server.hears("prompts/get")
		s.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d.0,%s}`, i, said))
		if heard := s.client.hear(); !strings.Contains(heard, "can't be read in one way only") {
			t.Errorf("of %s the client hears %s", said, heard)
		}
	}
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"inputRequests":` + ask + `}}`)
	if heard := s.upTo(t); strings.Contains(heard, "sampling") {
		t.Errorf("the client hears %s", heard)
	}
}

func TestAResultOfACallThatWantsTheClientsModelIsAskedAbout(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for i, kind := range []string{"", `"resultType":"Input_Required",`, `"resultType":"task",`} {
		s.client.say(strings.Replace(called, `"id":7`, fmt.Sprintf(`"id":%d`, i), 1))
		if i == 0 {
			s.lists(write)
		}
		call := s.answer(approval.Approved, "")
		s.server.hears("tools/call")
		s.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s"inputRequests":{"m":{"method":"sampling/createMessage","params":{}}}}}`, i, kind))
		if a := s.answer(approval.Denied, "mine"); a.ToolName != "notes:sampling" {
			t.Errorf("%q is asked as %+v", kind, a.Request)
		}
		if heard := s.client.hear(); !strings.Contains(heard, "mine") || strings.Contains(heard, "sampling") {
			t.Errorf("of %q the client hears %s", kind, heard)
		}
		s.finished(call.ApprovalID)
	}
}

func TestAnAnswerThatCantBeReadEndsItsCall(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Approved, "")
	s.server.hears("tools/call")
	s.server.say(`{"jsonrpc":"2.0","id":7,"result":{},"result":{"content":[]}}`)
	s.client.hears("can't be read in one way only")
	if done := s.finished(a.ApprovalID); !done.Ran.IsError {
		t.Errorf("its result is %+v", done.Ran)
	}
}

func TestNoApprovalHoldsForAToolThatIsNotTheOneThatWasSeen(t *testing.T) {
	long := strings.Repeat("write_a_note_", 5)
	listed := func(text string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, long, text)
	}
	s := open(t).gate(mcpgate.Options{})
	id := 0
	seen := map[string]bool{}
	ask := func(lists func()) {
		id++
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, long))
		lists()
		a := s.approveForSession(t)
		if seen[a.SessionID] {
			t.Errorf("%d is asked in the run of another: %+v", id, a.Request)
		}
		seen[a.SessionID] = true
		s.server.hears(fmt.Sprintf(`"id":%d`, id))
		s.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id))
		s.client.hears(fmt.Sprintf(`"id":%d`, id))
	}
	changes := func() {
		s.server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		s.client.hears("list_changed")
	}
	ask(func() { s.lists(write) }) // it is not listed yet
	for _, text := range []string{"Reads.", "Reads politely.", "Deletes everything."} {
		changes()
		ask(func() { s.lists(listed(text)) })
	}
	changes()
	s.client.say(`{"jsonrpc":"2.0","id":"page","method":"tools/list","params":{"cursor":"last"}}`) // is not the whole list
	s.server.hears("tools/list")
	s.server.say(`{"jsonrpc":"2.0","id":"page","result":{"tools":[]}}`)
	s.client.hears("page")
	fails := func() {
		asked := s.server.hears("tools/list")
		s.server.say(`{"jsonrpc":"2.0","id":` + string(part(t, asked, "id")) + `,"error":{"code":-32603,"message":"no"}}`)
	}
	s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, long))
	fails()
	if a := s.approveForSession(t); seen[a.SessionID] || !strings.Contains(a.Metadata["definition"], "not known") {
		t.Errorf("where the list can't be read it is asked as %+v", a.Request)
	}
	fails() // it is read again before the call runs
	s.server.hears(`"id":99`)
}

func TestRequestsThatAreCancelledMakeRoom(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for i := range 300 {
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{}}`, i))
		s.server.hears("resources/read")
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		s.server.hears("cancelled")
	}
	s.server.say(`{"jsonrpc":"2.0","id":299,"result":{"late":true}}`)
	if heard := s.upTo(t); strings.Contains(heard, "late") {
		t.Errorf("the client hears %s", heard)
	}
}

func TestAClientAnswersForItsModelOnlyOnceItIsAsked(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.server.say(sample)
	a := s.waiting()
	s.client.say(`{"jsonrpc":"2.0","id":7,"result":{"content":{"type":"text","text":"too early"}}}`)
	s.answer(approval.Denied, "mine")
	if heard := s.server.hear(); !strings.Contains(heard, "mine") {
		t.Errorf("of %s the server hears %s", a.ApprovalID, heard)
	}
}

func TestAnErrorThatAnswersNoRequestPasses(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	const broken = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`
	s.server.say(broken)
	if got := s.client.hear(); got != broken {
		t.Errorf("the client hears %s", got)
	}
	s.server.say(`{"jsonrpc":"2.0","id":null,"result":{"late":true}}`)
	if got := s.upTo(t); strings.Contains(got, "late") {
		t.Errorf("the client hears %s", got)
	}
}

func TestTwoLargeIDsAreTwo(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for _, id := range []string{"1764488480123456789", "1764488480123456790"} {
		s.client.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		s.server.hears(id)
	}
	for _, id := range []string{"1764488480123456789", "1764488480123456790.0"} {
		s.server.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
		s.client.hears(id)
	}
}
