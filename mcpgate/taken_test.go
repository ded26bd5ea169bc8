package mcpgate_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/mcpgate"
)

// slow are claims whose replies are on their way for as long as a test likes.
type slow struct {
	claimed chan struct{} // has one once the gateway has taken a claim
	hear    chan error    // how a reply arrives; nil: as it is
}

// slowClaims has the gate hear of its claims when the test says so.
func (d *desk) slowClaims() *slow {
	w := &slow{claimed: make(chan struct{}, 1), hear: make(chan error, 1)}
	d.asks = d.asks.Using(&http.Client{Transport: w})
	return w
}

// RoundTrip implements http.RoundTripper.
func (w *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/claim") {
		return reply, err
	}
	w.claimed <- struct{}{}
	select {
	case err = <-w.hear:
	case <-r.Context().Done():
		err = r.Context().Err()
	}
	if err != nil {
		_ = reply.Body.Close()
		return nil, err
	}
	return reply, nil
}

func finished(a client.Approval) bool { return a.Run == approval.RunFinished }

func TestACallThatIsTakenBackWhileItIsClaimedIsReportedAsNotRun(t *testing.T) {
	d := open(t)
	w := d.slowClaims()
	s := d.gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Approved, "")
	<-w.claimed
	s.client.say(takenBack)
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/seen"}`)
	if got := s.server.hear(); !strings.Contains(got, "notifications/seen") {
		t.Errorf("the server hears %s", got)
	}
	w.hear <- nil
	if done := s.becomes(a.ApprovalID, "has a result", finished); !done.Ran.IsError || !strings.Contains(done.Ran.Text, "before it was run") {
		t.Errorf("its result is %+v", done.Ran)
	}
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/last"}`)
	if got := s.server.hear(); !strings.Contains(got, "notifications/last") {
		t.Errorf("the server hears %s", got)
	}
}

func TestACallWhoseClaimIsNotHeardOfIsReportedAsNotRun(t *testing.T) {
	d := open(t)
	w := d.slowClaims()
	s := d.gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	a := s.answer(approval.Approved, "")
	<-w.claimed
	w.hear <- errors.New("the connection broke off")
	if got := s.client.hear(); !strings.Contains(got, "was not run") {
		t.Errorf("the client hears %s", got)
	}
	if done := s.becomes(a.ApprovalID, "has a result", finished); !done.Ran.IsError || !strings.Contains(done.Ran.Text, "was not run") {
		t.Errorf("its result is %+v", done.Ran)
	}
}

func TestAQuestionForTheModelThatIsTakenBackWhileItIsClaimedIsNotPutToIt(t *testing.T) {
	d := open(t)
	w := d.slowClaims()
	s := d.gate(mcpgate.Options{})
	s.server.say(sample)
	a := s.answer(approval.Approved, "")
	<-w.claimed
	s.server.say(takenBack)
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/seen"}`)
	if got := s.client.hear(); !strings.Contains(got, "notifications/seen") {
		t.Errorf("the client hears %s", got)
	}
	w.hear <- nil
	if done := s.becomes(a.ApprovalID, "has a result", finished); !done.Ran.IsError || !strings.Contains(done.Ran.Text, "taken back") {
		t.Errorf("its result is %+v", done.Ran)
	}
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/last"}`)
	if got := s.client.hear(); !strings.Contains(got, "notifications/last") {
		t.Errorf("the client hears %s", got)
	}
}

func TestAnAnswerThatIsRefusedForOneQuestionHasPassedOnNone(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{` + newer + `"name":"p"}}`)
	s.server.hears("prompts/get")
	const question = `{"method":"sampling/createMessage","params":{"messages":[]}}`
	s.server.say(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"m":` + question + `,"n":` + question + `}}}`)
	first := s.answer(approval.Approved, "")
	s.becomes(first.ApprovalID, "is claimed", func(a client.Approval) bool { return a.Run != approval.RunNone })
	s.answer(approval.Denied, "mine")
	if got := s.client.hear(); !strings.Contains(got, `"error"`) || !strings.Contains(got, "mine") {
		t.Errorf("the client hears %s", got)
	}
	if done := s.becomes(first.ApprovalID, "has a result", finished); !done.Ran.IsError || !strings.Contains(done.Ran.Text, "not passed on") {
		t.Errorf("its result is %+v", done.Ran)
	}
}
