package mcpgate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/mcpgate"
)

const takenBack = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`

// held has the client say more than the server reads.
func (s *session) held() {
	s.t.Helper()
	for i := range 5 {
		s.client.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/x%d"}`, i))
	}
}

func TestWhatTheClientTakesBackIsWithdrawnWhileTheServerDoesNotRead(t *testing.T) {
	for name, leave := range map[string]func(s *session){
		"it cancels":       func(s *session) { s.client.say(takenBack) },
		"it ends":          func(s *session) { s.client.close() },
		"it says it badly": func(s *session) { s.client.say("nothing"); s.client.hears("error"); s.client.say(takenBack) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t).gate(mcpgate.Options{})
			s.client.say(called)
			s.lists(write)
			a := s.waiting()
			s.held()
			leave(s)
			s.becomes(a.ApprovalID, "is withdrawn", func(a client.Approval) bool { return a.Status == approval.Cancelled })
		})
	}
}

func TestAClearedCallThatIsTakenBackBeforeTheServerReadsItIsNotRun(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	s.client.say(called)
	s.lists(write)
	s.held()
	a := s.answer(approval.Approved, "")
	s.becomes(a.ApprovalID, "is claimed", func(a client.Approval) bool { return a.Run == approval.RunClaimed })
	s.client.say(takenBack)
	done := s.becomes(a.ApprovalID, "has a result", func(a client.Approval) bool { return a.Run == approval.RunFinished })
	if !done.Ran.IsError || !strings.Contains(done.Ran.Text, "before it was run") {
		t.Errorf("its result is %+v", done.Ran)
	}
	s.client.say(`{"jsonrpc":"2.0","method":"notifications/last"}`)
	for i := range 5 {
		if got := s.server.hear(); !strings.Contains(got, fmt.Sprintf("notifications/x%d", i)) {
			t.Errorf("the server hears %s", got)
		}
	}
	if got := s.server.hear(); !strings.Contains(got, "notifications/last") {
		t.Errorf("the server hears %s", got)
	}
}

func TestWhatWaitsForAServerThatDoesNotReadIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		most    int
	}{
		"many messages": {`{"jsonrpc":"2.0","method":"notifications/x"}`, 1100},
		"long messages": {`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`, 8},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t).gate(mcpgate.Options{})
			ctx, stop := context.WithTimeout(t.Context(), patience)
			over := make(chan error, 1)
			go func() {
				defer stop() // nobody reads what the client says then
				err := <-s.over
				s.over <- err
				over <- err
			}()
			said := 0
			for said < c.most && s.client.conn.Write(ctx, []byte(c.message)) == nil {
				said++
			}
			if said == c.most {
				t.Fatal("all of it waits")
			}
			if err := <-over; !errors.Is(err, mcpgate.ErrServerEnded) || !strings.Contains(err.Error(), "does not read") {
				t.Errorf("after %d messages it ended with %v", said, err)
			}
		})
	}
}

func TestARequestIsRefusedThatNoRoomIsFor(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	long := `{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`
	for id := range 6 {
		s.client.say(fmt.Sprintf(long, id))
	}
	if got := s.client.hear(); !strings.Contains(got, "does not read") {
		t.Errorf("the client hears %.200s", got)
	}
	s.server.hears(`"id":0`)
}

func TestBytesThatAreNoTextPassAsTheyAre(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	const odd = "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xff\xc3(\"}}"
	s.client.say(odd)
	if got := s.server.hear(); got != odd {
		t.Errorf("the server hears %q", got)
	}
	s.server.say(odd)
	if got := s.client.hear(); got != odd {
		t.Errorf("the client hears %q", got)
	}
}
