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
	"github.com/lineclear/lineclear/internal/mask"
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
	ApprovalID  string    `json:"approvalId"`         // the request's id
	ToolName    string    `json:"toolName,omitempty"` // the tool that would run
	Message     string    `json:"message,omitempty"`  // what a person is asked, in words
	RequestedAt time.Time `json:"requestedAt"`        // when it was asked
}

// Say takes a line of chat. ReadWords says which lines are answers. One of an
// identity that may answer, in a session where or below which something waits, is
// never passed on to the agent:
//
//   - With a whole id it answers that request, and gets what Desk.Decide says
//     of one that is decided.
//   - With the beginning of an id, if no other request of the session has had
//     one that begins so, or without an id, if only one waits, it answers the
//     one that waits, provided that this was announced at or before the event
//     numbered seen, which is the newest that the sender had on the screen.
//   - "approve all" answers each that was announced by then: for the session
//     where that is offered, once where it is not. Remembered are exactly these
//     calls; with "for this session" every call of the tools, where offered.
//   - Otherwise nothing is decided, and the requests that wait are listed. So it
//     is for an approval of a question, whose answer is a form.
//
// The text of a tool message is taken as Post takes the message, as one that came by
// ViaToolMessage; what looks like one and is none is refused.
//
// Everything else goes to the agent. An error of Desk.Decide is returned as
// it is, except that "approve all" goes on where somebody was faster, and says
// so in the text; what it had answered by the time of another error stands
// beside it.
func (d *Door) Say(ctx context.Context, who auth.Identity, via approval.Via, sessionID, text string, seen int64) (Said, error) {
	if IsToolText(text) {
		return d.toolText(ctx, who, sessionID, text)
	}
	words, is := ReadWords(text)
	if !is || !who.May(auth.Answer) {
		return d.pass(ctx, who, sessionID, text)
	}
	s, err := d.Sessions.Get(ctx, sessionID)
	if err != nil {
		return Said{}, err
	}
	waiting, err := d.Approvals.Find(ctx, approval.Query{SessionID: sessionID, Below: true, Agents: who.Agents, Status: approval.Pending})
	if err != nil {
		return Said{}, err
	}
	l := line{door: d, who: who, via: via, words: words, waiting: waiting, late: late(seen)}
	shown := map[string]bool{}
	for _, p := range s.PendingApprovals {
		shown[p.ApprovalID] = p.Seq <= seen
	}
	if words.ID != "" {
		if said, is, err := l.named(ctx, sessionID, shown); is || err != nil {
			return said, err
		}
	}
	switch {
	case words.ID != "", len(waiting) == 0:
		return d.pass(ctx, who, sessionID, text)
	case words.All:
		return l.all(ctx, shown)
	case len(waiting) > 1:
		return list(waiting, "Several requests wait."), nil
	}
	return l.sole(ctx, waiting[0], shown)
}

// toolText answers with a tool message in the form of a text. The row stands beside
// what Desk.Decide says.
func (d *Door) toolText(ctx context.Context, who auth.Identity, sessionID, text string) (Said, error) {
	m, agentID, err := readToolText(text)
	if err != nil {
		return Said{}, err
	}
	row, err := d.post(ctx, who, approval.ViaToolMessage, sessionID, m, agentID)
	if row.ApprovalID == "" {
		return Said{}, err
	}
	answered := []approval.Approval{row}
	return Said{Answered: answered, Text: told(answered)}, err
}

// pass gives the line to the agent.
func (d *Door) pass(ctx context.Context, who auth.Identity, sessionID, text string) (Said, error) {
	seq, err := d.Agents.Send(ctx, who, sessionID, text)
	return Said{Seq: seq}, err
}

// line is an answer on its way to what it is about.
type line struct {
	door    *Door
	who     auth.Identity
	via     approval.Via
	words   Words
	waiting []approval.Approval
	late    string // why what was not shown is not answered
}

// late says why a line does not answer what its sender had not seen.
func late(seen int64) string {
	if seen <= 0 {
		return "To answer without naming it, send seen: the seq of the newest event on the screen."
	}
	return "What you had not seen is not answered."
}

func (l line) answer(ctx context.Context, row approval.Approval, a approval.Answer) (Said, error) {
	if l.needsForm(row) {
		return listed([]approval.Approval{row}, asksForAForm), nil
	}
	row, err := l.door.decide(ctx, l.who, l.via, row, a)
	if err != nil {
		return Said{}, err
	}
	answered := []approval.Approval{row}
	return Said{Answered: answered, Text: told(answered)}, nil
}

// asksForAForm is why a line does not answer a question.
const asksForAForm = "This is a question: open it in the dashboard and fill in its form there, or deny it."

func (l line) needsForm(row approval.Approval) bool {
	return l.words.Status == approval.Approved && row.Type == approval.Elicitation
}

func (l line) said() approval.Answer {
	return approval.Answer{Status: l.words.Status, Scope: l.words.Scope, Message: l.words.Message}
}

// named answers the request with the id, and reports false where the line
// names none. The beginning of an id has to be that of no other request of the
// session, decided ones too: it may be those that its sender has in mind.
func (l line) named(ctx context.Context, sessionID string, shown map[string]bool) (said Said, is bool, err error) {
	row, err := l.door.Approvals.Get(ctx, l.words.ID)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return l.begun(ctx, sessionID, shown)
	case err != nil:
		return Said{}, false, err
	case !row.In(sessionID) || !l.who.Covers(row.AgentID):
		return Said{}, true, approval.ErrForeign
	}
	said, err = l.answer(ctx, row, l.said())
	return said, true, err
}

// begun answers the request whose id begins so.
func (l line) begun(ctx context.Context, sessionID string, shown map[string]bool) (said Said, is bool, err error) {
	other := func(row approval.Approval) bool { return !strings.HasPrefix(row.ApprovalID, l.words.ID) }
	wait := slices.DeleteFunc(slices.Clone(l.waiting), other)
	if len(wait) == 0 {
		return Said{}, false, nil
	}
	rows, err := l.door.Approvals.Find(ctx, approval.Query{SessionID: sessionID, Below: true, Agents: l.who.Agents})
	if err != nil {
		return Said{}, false, err
	}
	if found := slices.DeleteFunc(rows, other); len(found) > 1 {
		return list(wait, "More than one request begins with "+l.words.ID+"."), true, nil
	}
	said, err = l.sole(ctx, wait[0], shown)
	return said, true, err
}

// sole answers the only request that a line can be about, if it was shown.
func (l line) sole(ctx context.Context, row approval.Approval, shown map[string]bool) (Said, error) {
	if !shown[row.ApprovalID] {
		return list([]approval.Approval{row}, l.late), nil
	}
	return l.answer(ctx, row, l.said())
}

// all approves what was shown.
func (l line) all(ctx context.Context, shown map[string]bool) (Said, error) {
	var answered, late, unseen, questions []approval.Approval
	for _, row := range l.waiting {
		if !shown[row.ApprovalID] {
			unseen = append(unseen, row)
			continue
		}
		if l.needsForm(row) {
			questions = append(questions, row)
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
	if len(unseen) > 0 {
		said.add(list(unseen, l.late))
	}
	if len(questions) > 0 {
		said.add(listed(questions, asksForAForm))
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

// add puts what else came of the line behind it.
func (s *Said) add(more Said) {
	s.Listed, s.Text = append(s.Listed, more.Listed...), joined(s.Text, more.Text)
}

// list is the answer where nothing is decided and an id would decide.
func list(rows []approval.Approval, why string) Said {
	return listed(rows, why+` Name one: "approve ID", or "deny ID: reason".`)
}

// listed says why nothing is decided about some requests.
func listed(rows []approval.Approval, why string) Said {
	said := Said{Listed: make([]Waiting, 0, len(rows))}
	var b strings.Builder
	b.WriteString(why)
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
