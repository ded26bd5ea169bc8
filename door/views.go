package door

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
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
}

// OwnAnswer is an Approval in which the program that asked a question finds the
// answer as it was given.
type OwnAnswer struct{ Approval }

// Claimed is a call that its program may run now, with what runs as it is.
type Claimed struct {
	Args     jsontext.Value `json:"args"` // the request's, with the approver's changes
	Approval Approval       `json:"approval"`
}

// Revealed is a request with its secrets, for a person who asked for them.
type Revealed struct{ approval.Request }

func (d *Door) request(r approval.Request) Request { return Request{r.Masked(d.b.Secrets)} }

func (d *Door) response(r approval.Response) *Response { return &Response{r.Masked(d.b.Secrets)} }

func (d *Door) session(s session.Session) Session { return Session{s.Masked(d.b.Secrets)} }

func (d *Door) event(e session.Event) Event { return Event{e.Masked(d.b.Secrets)} }

func (d *Door) grant(g approval.Grant) Grant {
	g.Covers = g.Covers.Masked(d.b.Secrets)
	return Grant{g}
}

func (d *Door) approval(a approval.Approval) Approval {
	v := Approval{Request: d.request(a.Request), Status: a.Status, Run: a.Run}
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
	Topic     string
	Data      any    // what is sent: a view, or what has no secrets
	AgentID   string // whom it is about; empty where only the session is known
	SessionID string
	ForAll    bool   // it is for who sees no requests too
	Event     *Event // of the journal; nil of everything else
	Delta     *session.Delta
	Passing   bool // it is not kept: for who follows the session
}

// View is an event of the bus as people are shown it.
func (d *Door) View(e bus.Event) News {
	n := News{Topic: e.Topic}
	if r, ok := approval.Requests.From(e); ok {
		n.Data, n.AgentID, n.SessionID = d.request(r), r.AgentID, r.SessionID
	}
	if r, ok := approval.Responses.From(e); ok {
		n.Data, n.SessionID = d.response(r), r.SessionID
	}
	if m, ok := approval.Modes.From(e); ok {
		n.Data, n.AgentID, n.ForAll = m, m.AgentID, true
	}
	if j, ok := session.Events.From(e); ok {
		v := d.event(j)
		n.Data, n.SessionID, n.Event = v, j.SessionID, &v
	}
	if p, ok := session.Deltas.From(e); ok {
		n.Data, n.SessionID, n.Passing, n.Delta = p, p.SessionID, true, &p
	}
	if p, ok := session.Progresses.From(e); ok {
		n.Data, n.SessionID, n.Passing = p, p.SessionID, true
	}
	return n
}
