package door

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// The views: what people are shown. Only a Door makes one.
type (
	// Request is a request.
	Request struct{ approval.Request }
	// Response is an answer.
	Response struct{ approval.Response }
	// Grant is a remembered approval.
	Grant struct{ approval.Grant }
	// Session is a conversation.
	Session struct{ session.Session }
	// Event is an entry of a session's journal.
	Event struct{ session.Event }
)

// Approval is a request with what has become of it.
type Approval struct {
	Request
	Status   approval.Status `json:"status"`
	Run      approval.Run    `json:"run"`
	Response *Response       `json:"response,omitempty"`
	Voided   *Response       `json:"voided,omitempty"` // who took an approved one back

	Outcome approval.Outcome `json:"outcome,omitempty"`
	Ran     *approval.Ran    `json:"ran,omitempty"` // the result of a call that was started; not in lists
}

// FileChange is what a call would change in a file, with the whole diff.
type FileChange struct{ tool.Preview }

// OwnAnswer is an Approval in which the program that asked a question finds the
// answer as it was given.
type OwnAnswer struct{ Approval }

// Claimed is a call that its program may run now, with the real arguments.
type Claimed struct {
	Args     tool.JSON `json:"args"` // the request's, with the approver's changes
	Approval Approval  `json:"approval"`
}

// Revealed is a request with its secrets, for a person who asked for them.
type Revealed struct{ approval.Request }

func (d *Door) request(r approval.Request) Request { return Request{r.Masked(d.b.Secrets)} }

func (d *Door) response(r approval.Response) *Response { return &Response{r.Masked(d.b.Secrets)} }

func (d *Door) session(s session.Session) Session { return Session{s.Masked(d.b.Secrets)} }

func (d *Door) event(e session.Event) Event { return Event{e.Masked(d.b.Secrets)} }

func (d *Door) grant(g approval.Grant) Grant { return Grant{g.Masked(d.b.Secrets)} }

// agent is an agent with its texts masked. A schema is not: it has names and no values.
func (d *Door) agent(a agent.Info) agent.Info {
	tools := make([]agent.ToolInfo, len(a.Tools))
	for i, t := range a.Tools {
		t.Description, t.Approval.Message, t.Approval.Pattern = d.Text(t.Description), d.Text(t.Approval.Message), d.Text(t.Approval.Pattern)
		tools[i] = t
	}
	a.Description, a.Tools = d.Text(a.Description), tools
	return a
}

func (d *Door) approval(a approval.Approval) Approval {
	v := Approval{Request: d.request(a.Request), Status: a.Status, Run: a.Run, Outcome: a.Outcome()}
	if a.Status != approval.Pending {
		v.Response = d.response(a.Response)
	}
	if a.Voided.Status != "" {
		v.Voided = d.response(a.Voided)
	}
	return v
}

func (d *Door) ownAnswer(who auth.Identity, a approval.Approval) OwnAnswer {
	v := d.approval(a)
	if v.Response != nil && a.Origin.Of(who.Subject) {
		v.Response.FormData = a.Response.FormData
	}
	return OwnAnswer{v}
}

// News is an event of the bus as people are shown it.
type News struct {
	Topic      string
	SessionID  string
	Above      []string       // of a sub-agent's request: the sessions above its own
	AgentID    string         // empty where only the session is known
	ApprovalID string         // of a request or an answer
	Everyone   bool           // whatever agents an identity is for
	ForAll     bool           // also for clients that want no requests
	Passing    bool           // not kept: for clients that follow the session
	Seq        int64          // of an event of the journal; 0 of everything else
	Type       session.Type   // of an event of the journal
	Delta      *session.Delta // of a message that is being written

	// Data is the masked JSON to send. It is made on the first call, once for all
	// subscribers.
	Data func() (jsontext.Value, error)
}

// View is a bus event as people are shown it, made once for all subscribers.
func (d *Door) View(e bus.Event) *News { return e.Once(func() any { return d.news(e) }).(*News) }

func (d *Door) news(e bus.Event) *News {
	n := &News{Topic: e.Topic}
	show := func() any { return nil }
	if r, ok := approval.Requests.From(e); ok {
		n.AgentID, n.SessionID, n.Above, n.ApprovalID, show = r.AgentID, r.SessionID, r.Above, r.ApprovalID, func() any { return d.request(r) }
	}
	if r, ok := approval.Responses.From(e); ok {
		n.SessionID, n.ApprovalID, show = r.SessionID, r.ApprovalID, func() any { return d.response(r) }
	}
	if m, ok := approval.Modes.From(e); ok {
		n.AgentID, n.ForAll, show = m.AgentID, true, func() any { return m }
	}
	if h, ok := approval.Halts.From(e); ok {
		n.AgentID, n.Everyone, n.ForAll, show = h.AgentID, h.AgentID == "", true, func() any { return h }
	}
	if j, ok := session.Events.From(e); ok {
		n.SessionID, n.Seq, n.Type, show = j.SessionID, j.Seq, j.Type, func() any { return d.event(j) }
	}
	if p, ok := session.Deltas.From(e); ok {
		n.SessionID, n.Passing, n.Delta, show = p.SessionID, true, &p, func() any { return p }
	}
	if p, ok := session.Progresses.From(e); ok {
		n.SessionID, n.Passing, show = p.SessionID, true, func() any { return p }
	}
	n.Data = sync.OnceValues(func() (jsontext.Value, error) { return json.Marshal(show(), json.Deterministic(true)) })
	return n
}

// TopicsOf are the topics for a stream of one session, or of all sessions if none is named.
func TopicsOf(sessionID string) []bus.Named {
	if sessionID == "" {
		return append(approval.Topics(), session.Events.Where(func(e session.Event) bool { return e.Type.Headline() }))
	}
	return []bus.Named{
		session.Events.Where(func(e session.Event) bool { return e.SessionID == sessionID }),
		session.Deltas.Where(func(d session.Delta) bool { return d.SessionID == sessionID }),
		session.Progresses.Where(func(p session.Progress) bool { return p.SessionID == sessionID }),
		approval.Requests, approval.Responses,
	}
}

// Explain is approval.Approval.Explain of what is shown.
func (a Approval) Explain() string { return a.row().Explain() }

// row returns the row as it is shown.
func (a Approval) row() approval.Approval {
	row := approval.Approval{Request: a.Request.Request, Status: a.Status}
	if a.Response != nil {
		row.Response = a.Response.Response
	}
	if a.Voided != nil {
		row.Voided = a.Voided.Response
	}
	return row
}
