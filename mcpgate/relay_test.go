package mcpgate_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/mcpgate"
)

const called = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write","arguments":{"text":"a","at":1.50}}}`

func TestEverythingButGatedCallsPassesAsItIs(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y","big":12345678901234567890,"e":1.50e+3}}`,
		`{"jsonrpc":"2.0","id":"1","method":"some/thing","params":[1,{"a":1,"a":2}],"more":{"x":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","id":1.5,"result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":"q","error":{"code":-1,"message":"no","data":{"why":"\ud800"}}}`,
	} {
		s.client.say(m)
		if got := s.server.hear(); got != m {
			t.Errorf("the client says %s, the server hears %s", m, got)
		}
	}
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"contents":[],"n":12345678901234567890}}`,
		`{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"unknown","data":[1.50]}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e2,"progress":0.10}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object"}}}`,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
	} {
		s.server.say(m)
		if got := s.client.hear(); got != m {
			t.Errorf("the server says %s, the client hears %s", m, got)
		}
	}
}

func TestWhatTwoReadersCouldReadInTwoWaysDoesNotPass(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for _, m := range []string{
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1}`,
		`nothing`,
		`{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"text":"a","text":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","name":"read"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","Arguments":{"text":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":[1]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"n":12345678901234567890}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`,
	} {
		s.client.say(m)
		if got := s.client.hear(); !strings.Contains(got, `"error"`) {
			t.Errorf("%s is answered with %s", m, got)
		}
	}
	s.client.say(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write"}}`)
	s.client.say(`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"write"}}`)
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := s.server.hear(); !strings.Contains(got, "initialized") {
		t.Errorf("the server hears %s", got)
	}
	s.server.say(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"sampling/createMessage"}`)
	s.server.say(`{"jsonrpc":"2.0","method":"sampling/createMessage","params":{}}`)
	s.server.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := s.client.hear(); !strings.Contains(got, `"id":2`) {
		t.Errorf("the client hears %s", got)
	}
}

func TestACallIsRunOnceItIsClearedWithExactlyWhatWasJudged(t *testing.T) {
	s := open(t).gate(mcpgate.Options{Folder: "/srv"})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Approved, "")
	if a.ToolName != "notes__write" || !same(string(a.Args), `{"at":1.5,"text":"a"}`) || !strings.Contains(string(a.Schema), `"required":["text"]`) ||
		a.AgentID != "desk" || a.WorkingDirectory != "/srv" || a.Metadata["description"] != "Writes a note." || a.Metadata["hints of the server"] != "destructive: true" {
		t.Errorf("it is asked as %+v", a.Request)
	}
	if got, want := s.server.hear(), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write","arguments":{"at":1.5,"text":"a"}}}`; got != want {
		t.Errorf("the server hears\n%s, not\n%s", got, want)
	}
	answer := `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"written"}],"odd":[1.50]}}`
	s.server.say(answer)
	if got := s.client.hear(); got != answer {
		t.Errorf("the client hears %s", got)
	}
	done := s.becomes(a.ApprovalID, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
	if done.Ran.Text != "written" {
		t.Errorf("its result is %+v", done.Ran)
	}
}

func TestAnEditedCallIsRunAsItWasEdited(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.waiting()
	if _, err := s.people.Answer(t.Context(), approval.Answer{ApprovalID: a.ApprovalID, Status: approval.Approved, Edit: []byte(`{"text":"b","at":null}`)}); err != nil {
		t.Fatal(err)
	}
	if got := s.server.hear(); !strings.Contains(got, `"arguments":{"text":"b"}`) {
		t.Errorf("the server hears %s", got)
	}
}

func TestADenialIsAResultInWords(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Denied, "not on a Monday")
	got := s.client.hear()
	if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "not on a Monday") || strings.Contains(got, "resultType") {
		t.Errorf("the client hears %s", got)
	}
	if now := s.becomes(a.ApprovalID, "is denied", func(a client.Approval) bool { return a.Status == approval.Denied }); now.Run != approval.RunVoid && now.Run != approval.RunNone {
		t.Errorf("its run is %s", now.Run)
	}
}

func TestACallThatTheClientCancelsIsWithdrawn(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.waiting()
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	s.becomes(a.ApprovalID, "is withdrawn", func(a client.Approval) bool { return a.Status == approval.Cancelled })
	s.client.say(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if got := s.server.hear(); !strings.Contains(got, "ping") {
		t.Errorf("the server hears of it: %s", got)
	}
}

func TestAClientThatGoesAwayWithdrawsWhatItAsked(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.waiting()
	s.client.close()
	s.becomes(a.ApprovalID, "is withdrawn", func(a client.Approval) bool { return a.Status == approval.Cancelled })
	err := <-s.over
	s.over <- err
	if !errors.Is(err, mcpgate.ErrClientEnded) {
		t.Errorf("it ended with %v", err)
	}
	if run, err := s.people.Session(t.Context(), a.SessionID); err != nil || run.Status != "cancelled" && run.Status != "completed" {
		t.Errorf("its run has not ended: %+v, %v", run, err)
	}
}

func TestAClientThatGoesIsSeenThoughTheGatewayHangs(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer hangs.Close()
	defer close(release)
	s := (&desk{t: t, asks: client.New(hangs.URL, "x")}).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	<-asked
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) // it is read still
	s.client.hears("open already")
	s.client.close()
	err := <-s.over
	s.over <- err
	if !errors.Is(err, mcpgate.ErrClientEnded) {
		t.Errorf("it ended with %v", err)
	}
}

func TestASessionBeginsBeforeWhatFollowsIsHeard(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`) // as a script does
	if got := s.server.hear(); !strings.Contains(got, `"initialize"`) {
		t.Errorf("the server hears %s", got)
	}
	s.server.hears("notifications/initialized")
}

func TestAServerThatDiesInACallLeavesItUnknownAndUnrepeated(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Approved, "")
	s.server.hears("tools/call")
	s.server.close()
	done := s.becomes(a.ApprovalID, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
	if !done.Ran.IsError || !strings.Contains(done.Ran.Text, "not known") {
		t.Errorf("its result is %+v", done.Ran)
	}
	err := <-s.over
	s.over <- err
	if !errors.Is(err, mcpgate.ErrServerEnded) {
		t.Errorf("it ended with %v", err)
	}
}

func TestProgressIsToldWhileACallWaits(t *testing.T) {
	s := open(t).gate(mcpgate.Options{ProgressEvery: time.Millisecond, AnswerWithin: time.Nanosecond})
	s.client.say(strings.Replace(called, `"name"`, `"_meta":{"progressToken":"t"},"name"`, 1))
	s.lists(write)
	last := ""
	for range 3 {
		m := s.client.hears("notifications/progress")
		now := string(part(t, m, "params", "progress"))
		if last >= now || string(part(t, m, "params", "progressToken")) != `"t"` {
			t.Errorf("after %s comes %s", last, m)
		}
		last = now
	}
	s.answer(approval.Approved, "")
	if got := s.server.hear(); !strings.Contains(got, `"progressToken":"t"`) {
		t.Errorf("the server hears %s", got)
	}
}

func TestACallThatCantWaitIsCalledAgainAndRedeemsItsDecisionOnce(t *testing.T) {
	s := open(t).gate(mcpgate.Options{AnswerWithin: time.Millisecond})
	s.client.say(called)
	s.lists(write)
	pending := s.client.hear()
	a := s.waiting()
	if !strings.Contains(pending, `"isError":true`) || !strings.Contains(pending, a.ApprovalID) || !strings.Contains(pending, "10m0s") {
		t.Errorf("the client hears %s", pending)
	}
	s.client.say(strings.Replace(strings.Replace(called, `"id":7`, `"id":8`, 1), `"text":"a"`, `"text":"other"`, 1))
	if other := s.client.hear(); strings.Contains(other, a.ApprovalID) {
		t.Errorf("other arguments take its decision: %s", other)
	}
	if _, err := s.people.Answer(t.Context(), approval.Answer{ApprovalID: a.ApprovalID, Status: approval.Approved}); err != nil {
		t.Fatal(err)
	}
	patient := strings.Replace(called, `"name"`, `"_meta":{"progressToken":"t"},"name"`, 1)
	s.client.say(strings.Replace(patient, `"id":7`, `"id":9`, 1))
	if got := s.server.hear(); !strings.Contains(got, `"id":9`) || !strings.Contains(got, "tools/call") {
		t.Fatalf("the server hears %s", got)
	}
	s.becomes(a.ApprovalID, "is claimed", func(a client.Approval) bool { return a.Run == approval.RunClaimed })
	s.client.say(strings.Replace(called, `"id":7`, `"id":70`, 1))
	if got := s.client.hear(); strings.Contains(got, a.ApprovalID) || !strings.Contains(got, "Pending approval") {
		t.Errorf("a second repetition is answered with %s", got)
	}
}
