package transcript

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/mask"
	"github.com/lineclear/lineclear/session"
)

// Said is what became of a line of chat: Seq is set where it went to the agent,
// and the others where it did not.
type Said struct {
	Seq      int64               // of the message in the journal, where it went to the agent
	Answered []approval.Approval // the requests that it answered, as they stand
	Listed   []Waiting           // the requests that it did not answer and that need an id
	Text     string              // the same in words, for the person
}

// Waiting is a request that waits.
type Waiting struct {
	ApprovalID  string    `json:"approvalId"`
	ToolName    string    `json:"toolName,omitempty"`
	Message     string    `json:"message,omitempty"`
	RequestedAt time.Time `json:"requestedAt"`
}

// Say takes a line of chat. ReadWords says which lines are answers. One of an
// identity that may answer, in a session where something waits, is never passed
// on to the agent:
//
//   - With an id, or the beginning of one that waits, it answers that request.
//     A whole id of a request that is decided gets what Manager.Decide says.
//   - Without an id it answers the only request that waits, if that was
//     announced at or before the event numbered seen, which is the newest that
//     the sender had on the screen.
//   - "approve all" answers each that was announced by then: for the session
//     where that is offered, once where it is not. Remembered are exactly these
//     calls; with "for this session" every call of the tools, where offered.
//   - Otherwise nothing is decided, and the requests that wait are listed. So it
//     is for everything without an id in a session of a sub-agent, and for an
//     approval of a question, whose answer is a form.
//
// Everything else goes to the agent. An error of Manager.Decide is returned as
// it is, except that "approve all" goes on where somebody was faster, and says
// so in the text; what it had answered by the time of another error stands
// beside it.
func (d *Door) Say(ctx context.Context, who auth.Identity, via, sessionID, text string, seen int64) (Said, error) {
	words, is := ReadWords(text)
	if !is || !who.May(auth.Answer) {
		return d.pass(ctx, who, sessionID, text)
	}
	s, err := d.Sessions.Get(ctx, sessionID)
	if err != nil {
		return Said{}, err
	}
	waiting, err := d.Approvals.Find(ctx, approval.Query{SessionID: sessionID, Status: approval.Pending})
	if err != nil {
		return Said{}, err
	}
	l := line{door: d, who: who, via: via, words: words, waiting: waiting}
	if words.ID != "" {
		if said, is, err := l.named(ctx, sessionID); is || err != nil {
			return said, err
		}
		return d.pass(ctx, who, sessionID, text)
	}
	if len(waiting) == 0 {
		return d.pass(ctx, who, sessionID, text)
	}
	if s.ParentID != "" {
		return list(waiting, "A sub-agent asks."), nil
	}
	shown, err := d.announced(ctx, sessionID, seen)
	if err != nil {
		return Said{}, err
	}
	if words.All {
		return l.all(ctx, shown)
	}
	return l.sole(ctx, shown)
}

// pass gives the line to the agent.
func (d *Door) pass(ctx context.Context, who auth.Identity, sessionID, text string) (Said, error) {
	seq, err := d.Agents.Send(ctx, who, sessionID, text)
	return Said{Seq: seq}, err
}

// announced are the ids of the requests that were made at or before an event.
func (d *Door) announced(ctx context.Context, sessionID string, seen int64) (map[string]bool, error) {
	events, err := d.Sessions.Events(ctx, sessionID, 0)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, e := range events {
		if e.Type != session.TypeApprovalRequested || e.Seq > seen {
			continue
		}
		p, err := session.PendingOf(e.Data)
		if err != nil {
			return nil, err
		}
		shown[p.ApprovalID] = true
	}
	return shown, nil
}

// line is an answer on its way to what it is about.
type line struct {
	door    *Door
	who     auth.Identity
	via     string
	words   Words
	waiting []approval.Approval
}

func (l line) answer(ctx context.Context, row approval.Approval, a approval.Answer) (Said, error) {
	if l.needsForm(row) {
		return list([]approval.Approval{row}, "This is a question: its answer is a form, which a line of chat can't fill in."), nil
	}
	row, err := l.door.decide(ctx, l.who, l.via, row, a)
	if err != nil {
		return Said{}, err
	}
	answered := []approval.Approval{row}
	return Said{Answered: answered, Text: told(answered)}, nil
}

func (l line) needsForm(row approval.Approval) bool {
	return l.words.Status == approval.Approved && row.Type == approval.Elicitation
}

func (l line) said() approval.Answer {
	return approval.Answer{Status: l.words.Status, Scope: l.words.Scope, Message: l.words.Message}
}

// named answers the request with the id, and reports false where the line
// names none.
func (l line) named(ctx context.Context, sessionID string) (said Said, is bool, err error) {
	var found []approval.Approval
	for _, row := range l.waiting {
		if strings.HasPrefix(lower(row.ApprovalID), l.words.ID) {
			found = append(found, row)
		}
	}
	switch len(found) {
	case 0:
	case 1:
		said, err = l.answer(ctx, found[0], l.said())
		return said, true, err
	default:
		return list(found, "More than one request begins with "+l.words.ID+"."), true, nil
	}
	row, err := l.door.Approvals.Get(ctx, l.words.ID)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return Said{}, false, nil
	case err != nil:
		return Said{}, false, err
	case row.SessionID != sessionID:
		return Said{}, true, approval.ErrForeign
	}
	said, err = l.answer(ctx, row, l.said())
	return said, true, err
}

// sole answers the only request that waits.
func (l line) sole(ctx context.Context, shown map[string]bool) (Said, error) {
	switch {
	case len(l.waiting) > 1:
		return list(l.waiting, "Several requests wait."), nil
	case !shown[l.waiting[0].ApprovalID]:
		return list(l.waiting, "The request that waits came after what you had seen."), nil
	}
	return l.answer(ctx, l.waiting[0], l.said())
}

// all approves what was shown.
func (l line) all(ctx context.Context, shown map[string]bool) (Said, error) {
	var answered, late, left []approval.Approval
	for _, row := range l.waiting {
		if !shown[row.ApprovalID] || l.needsForm(row) {
			left = append(left, row)
			continue
		}
		now, err := l.door.decide(ctx, l.who, l.via, row, l.offered(row.Request))
		switch {
		case errors.Is(err, approval.ErrDecided) && now.Response.ByGrant():
			// What was approved just before it took it along.
		case errors.Is(err, approval.ErrDecided), errors.Is(err, approval.ErrExpired):
			late = append(late, now)
			continue
		case err != nil:
			return Said{Answered: answered, Text: told(answered)}, err
		}
		answered = append(answered, now)
	}
	said := Said{Answered: answered, Text: told(answered)}
	if len(late) > 0 {
		said.Text = joined(said.Text, "Too late, this was decided before:\n"+told(late))
	}
	if len(left) > 0 {
		rest := list(left, "This came after what you had seen, or is a question.")
		said.Listed, said.Text = rest.Listed, joined(said.Text, rest.Text)
	}
	return said, nil
}

// offered is the widest of what the words say that the request offers.
func (l line) offered(r approval.Request) approval.Answer {
	a := l.said()
	if _, ok := sessionScope(r); !ok {
		a.Scope = ""
		return a
	}
	if slices.ContainsFunc(r.Covers, func(c approval.Coverage) bool { return c.Kind == l.words.Covers }) {
		a.Grant.Covers = l.words.Covers
	}
	return a
}

// list is the answer where nothing is decided.
func list(rows []approval.Approval, why string) Said {
	said := Said{Listed: make([]Waiting, 0, len(rows))}
	var b strings.Builder
	b.WriteString(why + ` Name one: "approve ID", or "deny ID: reason".`)
	for _, row := range rows {
		said.Listed = append(said.Listed, Waiting{
			ApprovalID: row.ApprovalID, ToolName: row.ToolName, Message: row.Message, RequestedAt: row.RequestedAt,
		})
		fmt.Fprintf(&b, "\n%s  %s", row.ApprovalID, name(row))
	}
	said.Text = b.String()
	return said
}

func told(rows []approval.Approval) string {
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, fmt.Sprintf("%s: %s", row.Status, name(row)))
	}
	return strings.Join(lines, "\n")
}

func joined(a, b string) string { return strings.TrimPrefix(a+"\n"+b, "\n") }

// name is what a request is about, as people may read it.
func name(row approval.Approval) string {
	if row.ToolName == "" {
		return "a question"
	}
	return mask.Hidden(row.ToolName)
}
