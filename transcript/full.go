package transcript

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// asked is a request with what became of it, as the journal has it.
type asked struct {
	seq     int64
	request approval.Request
	answer  *approval.Response
	voided  *approval.Response
	grant   *approval.Grant
}

// readApprovals collects the requests in the order in which they were made,
// and takes their calls' ids.
func (p *projection) readApprovals(events []session.Event) error {
	byID := map[string]*asked{}
	for _, e := range events {
		if e.Type != session.TypeApprovalRequested {
			continue
		}
		a := &asked{seq: e.Seq}
		if err := e.Decode(&a.request); err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
		if id := a.request.ApprovalID; byID[id] == nil {
			byID[id] = a
			p.asked = append(p.asked, a)
			p.ids[CallID(id)] = true
		}
	}
	for _, e := range events {
		if err := follow(byID, e); err != nil {
			return fmt.Errorf("transcript: %w", err)
		}
	}
	return nil
}

// follow adds to a request what an event says of it.
func follow(byID map[string]*asked, e session.Event) error {
	switch e.Type {
	case session.TypeApprovalResolved, session.TypeApprovalVoided:
		var r approval.Response
		if err := e.Decode(&r); err != nil {
			return err
		}
		a := byID[r.ApprovalID]
		switch {
		case a == nil:
		case e.Type == session.TypeApprovalVoided:
			a.voided = &r
		case a.answer == nil: // the first answer stands
			a.answer = &r
		}
	case session.TypeGrantGiven, session.TypeGrantEnded:
		var g approval.Grant
		if err := e.Decode(&g); err != nil {
			return err
		}
		if a := byID[g.ApprovalID]; a != nil && (a.grant == nil || a.grant.ID == g.ID) {
			a.grant = &g
		}
	case session.TypeCreated, session.TypeEnded, session.TypeTurnStarted, session.TypeTurnFinished,
		session.TypeUserMessage, session.TypeAssistantMessage, session.TypeToolResult, session.TypeApprovalRequested:
		// These say nothing more of a request.
	}
	return nil
}

// atStart is the place before everything that was said.
const atStart = -1

// places says after which of the steps each request is shown.
func (p *projection) places() map[int][]*asked {
	about := map[int][]*asked{}
	for _, a := range p.asked {
		place := p.newest(func(s session.Step) bool { return calls(s, a.request.ToolCallID) })
		if place == atStart {
			place = p.newest(func(s session.Step) bool { return s.Seq < a.seq })
		}
		about[place] = append(about[place], a)
	}
	return about
}

func (p *projection) newest(is func(session.Step) bool) int {
	for i, s := range slices.Backward(p.spoken) {
		if is(s) {
			return i
		}
	}
	return atStart
}

func calls(s session.Step, callID string) bool {
	return callID != "" && s.Assistant != nil &&
		slices.ContainsFunc(s.Assistant.ToolCalls, func(c session.ToolCall) bool { return c.ID == callID })
}

// shownRequest are the arguments of a call of RequestApproval.
type shownRequest struct {
	ApprovalID       string        `json:"approvalId"`
	Type             approval.Type `json:"type,omitempty"`
	OriginalToolCall shownCall     `json:"originalToolCall,omitzero"`
	WorkingDirectory string        `json:"workingDirectory,omitempty"`
	Message          string        `json:"message,omitempty"`
	Preview          tool.Preview  `json:"preview,omitzero"`
	Sandbox          tool.Sandbox  `json:"sandbox,omitzero"`
	Schema           tool.JSON     `json:"schema,omitzero"`
	Options          []string      `json:"options"`
	Risk             approval.Risk `json:"risk,omitzero"`
	ExpiresAt        time.Time     `json:"expiresAt,omitzero"`
}

type shownCall struct {
	ID        string    `json:"id,omitempty"`
	Name      string    `json:"name,omitempty"`
	Arguments tool.JSON `json:"arguments,omitzero"`
}

// IsZero reports whether there is no call, as for a question.
func (c shownCall) IsZero() bool { return c.ID == "" && c.Name == "" && len(c.Arguments) == 0 }

// shownAnswer is the content of the tool message that answers it.
type shownAnswer struct {
	Decision string          `json:"decision"` // approve, deny or cancel
	Scope    approval.Scope  `json:"scope,omitempty"`
	Reason   approval.Reason `json:"reason,omitempty"`
	Message  string          `json:"message,omitempty"`
	Edit     tool.JSON       `json:"edit,omitzero"`
	FormData tool.JSON       `json:"formData,omitzero"`
	GrantID  string          `json:"grantId,omitempty"` // that this gave, or was cleared by
	Grant    *shownGrant     `json:"grant,omitempty"`   // that this gave
	By       approval.By     `json:"by"`
	At       time.Time       `json:"at"`
	Voided   *shownAnswer    `json:"voided,omitempty"` // that it was taken back
}

type shownGrant struct {
	Covers    approval.Coverage `json:"covers"`
	ExpiresAt time.Time         `json:"expiresAt,omitzero"`
	MaxUses   int               `json:"maxUses,omitzero"`
	Ended     approval.GrantEnd `json:"ended,omitzero"`
}

// messages are the call that asks and, once there is one, its answer.
func (a *asked) messages() ([]Message, error) {
	r := a.request
	arguments, err := json.Marshal(shownRequest{
		ApprovalID: r.ApprovalID, Type: r.Type, WorkingDirectory: r.WorkingDirectory, Message: r.Message,
		OriginalToolCall: originalCall(r),
		Preview:          r.Preview, Sandbox: r.Sandbox, Schema: r.Schema, Options: options(r), Risk: r.Risk, ExpiresAt: r.ExpiresAt,
	})
	if err != nil {
		return nil, fmt.Errorf("transcript: request %s: %w", r.ApprovalID, err)
	}
	id := CallID(r.ApprovalID)
	list := []Message{{Role: Assistant, ToolCalls: []ToolCall{function(id, RequestApproval, string(arguments))}}}
	answer := a.shown()
	if answer == nil {
		return list, nil
	}
	content, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("transcript: answer to %s: %w", r.ApprovalID, err)
	}
	return append(list, Message{Role: Tool, ToolCallID: id, Content: string(content)}), nil
}

func originalCall(r approval.Request) shownCall {
	c := shownCall{ID: r.ToolCallID, Name: r.ToolName, Arguments: r.Args}
	if c.Name != "" && len(c.Arguments) == 0 { // older journals leave an empty object out
		c.Arguments = tool.JSON("{}")
	}
	return c
}

// shown is the answer; nil while there is none.
func (a *asked) shown() *shownAnswer {
	if a.answer == nil {
		return show(a.voided)
	}
	answer := show(a.answer)
	answer.Voided = show(a.voided)
	if g := a.grant; g != nil {
		answer.GrantID = g.ID
		answer.Grant = &shownGrant{Covers: g.Covers, ExpiresAt: g.ExpiresAt, MaxUses: g.MaxUses, Ended: g.Ended}
	}
	return answer
}

func show(r *approval.Response) *shownAnswer {
	if r == nil {
		return nil
	}
	return &shownAnswer{
		Decision: verb(r.Status), Scope: r.Scope, Reason: r.Reason, Message: r.Message,
		Edit: r.Edit, FormData: r.FormData, GrantID: r.GrantID, By: r.By, At: r.At,
	}
}

// verb is an answer's status as a word for the one who gives it.
func verb(s approval.Status) string {
	switch s {
	case approval.Approved:
		return "approve"
	case approval.Denied:
		return "deny"
	case approval.Cancelled:
		return "cancel"
	case approval.Pending:
		fallthrough
	default:
		return string(s)
	}
}

// options are the words that answer a request; approval.ParseWord reads them.
func options(r approval.Request) []string {
	var words []string
	for _, o := range r.Options {
		words = append(words, o.Word)
	}
	if len(words) > 0 {
		return words
	}
	if slices.Contains(r.Scopes, approval.Once) {
		words = append(words, "once")
	}
	if _, ok := sessionScope(r); ok {
		words = append(words, "session")
	}
	return append(words, "deny", "cancel")
}

// sessionScope is what an approval for the session is called in a request that
// offers one; always is the same by another name.
func sessionScope(r approval.Request) (approval.Scope, bool) {
	switch {
	case slices.Contains(r.Scopes, approval.Session):
		return approval.Session, true
	case slices.Contains(r.Scopes, approval.Always):
		return approval.Always, true
	default:
		return "", false
	}
}
