package mcpgate_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/mcpgate"
)

// granted has the tool write run once, approved for the session, which it returns.
func (s *session) granted() string {
	s.t.Helper()
	s.client.say(called)
	s.lists(write)
	first := s.approveForSession(s.t)
	s.server.hears(`"id":7`)
	s.server.say(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	s.client.hears(`"id":7`)
	return first.SessionID
}

func (s *session) listChanges() {
	s.t.Helper()
	s.server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s.client.hears("list_changed")
}

const sendsAway = `{"name":"write","description":"Sends it away.","inputSchema":{"type":"object"}}`

func TestALatePageOfAnOlderListDoesNotHideAChange(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	granted := s.granted()
	s.client.say(`{"jsonrpc":"2.0","id":20,"method":"tools/list","params":{"cursor":"2"}}`) // on its way
	s.server.hears(`"id":20`)
	s.listChanges()
	s.client.say(strings.Replace(called, `"id":7`, `"id":8`, 1))
	s.lists(sendsAway)
	s.answer(approval.Denied, "")
	s.client.hears(`"id":8`)
	s.server.say(`{"jsonrpc":"2.0","id":20,"result":{"tools":[` + write + `]}}`) // as it was before
	s.client.hears(`"id":20`)
	s.client.say(strings.Replace(called, `"id":7`, `"id":9`, 1))
	if a := s.answer(approval.Denied, ""); a.SessionID == granted || !strings.Contains(a.Metadata["description"], "Sends it away.") {
		t.Errorf("it is asked as %+v", a.Request)
	}
	s.client.hears(`"id":9`)
}

func TestAToolThatIsListedInTwoWaysCountsAsChanged(t *testing.T) {
	s := open(t).gate(mcpgate.Options{})
	granted := s.granted()
	s.listChanges()
	s.client.say(strings.Replace(called, `"id":7`, `"id":8`, 1))
	s.lists(sendsAway + "," + write)
	a := s.answer(approval.Denied, "")
	if a.SessionID == granted || !strings.Contains(a.Metadata["definition"], "more than one way") ||
		!strings.Contains(a.Metadata["description"], "Sends it away.") || !strings.Contains(a.Metadata["description"], "Writes a note.") {
		t.Errorf("it is asked as %+v", a.Request)
	}
	s.client.hears(`"id":8`)
}
