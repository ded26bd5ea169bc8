package mcpgate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/mcpgate"
)

// with is a call of the tool write with more in its params.
func with(id int, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"write","arguments":{"text":"a"},%s}}`, id, more)
}

func TestMetadataUnderTheProtocolsNameIsShown(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(with(7, `"_meta":{"io.modelcontextprotocol/sudo":"rm -rf","io.modelcontextprotocol/logLevel":"info"}`))
	s.lists(write)
	a := s.answer(approval.Denied, "")
	if got, want := a.Metadata["beside the arguments"], `"_meta"."io.modelcontextprotocol/sudo": "rm -rf"`; got != want {
		t.Errorf("shown is %s, not %s", got, want)
	}
	s.client.hears(`"id":7`)
}

func TestMetadataThatIsNotAsItShouldBeIsRefused(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	for i, meta := range []string{`{"progressToken":{"sudo":"rm -rf"}}`, `{"progressToken":true}`, `"rm -rf"`, `[1]`} {
		s.client.say(with(i, `"_meta":`+meta))
		if got := s.client.hear(); !strings.Contains(got, "params._meta") {
			t.Errorf("%s is answered with %s", meta, got)
		}
	}
}

func TestADecisionIsForWhatWasAskedAlone(t *testing.T) {
	s := open(t).gate(mcpgate.Options{AnswerWithin: time.Millisecond})
	s.client.say(with(1, `"a":1,"b":2`))
	s.lists(write)
	first := s.waiting()
	s.client.hears("Pending approval")
	for i, more := range []string{`"a: 1\nb":2`, `"_meta":{"a":1,"b":2}`, `"a":1`, `"a":1,"b":"2"`} {
		s.client.say(with(2+i, more))
		if got := s.client.hear(); !strings.Contains(got, "Pending approval") || strings.Contains(got, first.ApprovalID) {
			t.Errorf("%s takes the decision of another: %s", more, got)
		}
	}
	s.client.say(with(9, ` "b" : 2, "a" : 1`))
	if got := s.client.hear(); !strings.Contains(got, first.ApprovalID) {
		t.Errorf("the same call is answered with %s", got)
	}
}

func TestARepetitionWithAnotherTraceTakesTheDecision(t *testing.T) {
	s := open(t).gate(mcpgate.Options{AnswerWithin: time.Millisecond})
	s.client.say(with(1, `"_meta":{"traceparent":"00-1","baggage":"a=1"}`))
	s.lists(write)
	a := s.waiting()
	if got := a.Metadata["beside the arguments"]; !strings.Contains(got, `"_meta"."traceparent": "00-1"`) {
		t.Errorf("shown is %s", got)
	}
	s.client.hears("Pending approval")
	s.approveForSession(t)
	s.client.say(with(2, `"_meta":{"progressToken":1,"traceparent":"00-2"}`))
	s.server.hears("00-2")
	s.server.say(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	s.client.hears(`"id":2`)
	s.client.say(with(3, `"_meta":{"progressToken":1,"traceparent":"00-3"}`)) // the approval for the session holds
	s.server.hears("00-3")
	s.client.say(with(4, `"_meta":{"progressToken":2,"traceparent":{"sudo":"rm -rf"}}`))
	s.answer(approval.Denied, "") // that is no trace
	s.client.hears(`"id":4`)
}

func TestARequestIsPartOfTheClientsTrace(t *testing.T) {
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	s := open(t).gate(mcpgate.Options{AnswerWithin: time.Millisecond})
	s.client.say(with(1, `"_meta":{"traceparent":"`+given+`"}`))
	s.lists(write)
	if got := s.waiting().Traceparent; got != given {
		t.Errorf("it is part of %q", got)
	}
	s.client.hears("Pending approval")
	s.client.say(with(2, `"a":1,"_meta":{"traceparent":"no\\ntrace"}`))
	s.client.hears("Pending approval")
}

func TestCallsThatBringMoreDoNotPileUpRuns(t *testing.T) {
	d := open(t)
	s := d.gate(mcpgate.Options{AgentID: "free"})
	s.client.say(with(0, `"_meta":{"traceparent":"00-0"}`))
	s.lists(write)
	for n := range 100 {
		more := fmt.Sprintf(`"_meta":{"of":%d}`, n)
		if n < 30 {
			more = fmt.Sprintf(`"_meta":{"traceparent":"00-%d"}`, n)
		}
		if n > 0 {
			s.client.say(with(n, more))
		}
		s.server.hears("tools/call")
		s.server.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, n))
		s.client.hears(`"result"`)
	}
	all, ended := 0, 0
	for range d.attempts() {
		all, ended = 0, 0
		for run, err := range d.people.Sessions(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if all++; run.Status == "completed" || run.Status == "cancelled" {
				ended++
			}
		}
		if all == 71 && all-ended <= 64 {
			return
		}
	}
	t.Errorf("%d runs were begun, and %d have ended", all, ended)
}
