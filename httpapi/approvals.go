package httpapi

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// longestWait bounds a long poll; it ends before proxies do.
const longestWait = time.Minute

// defaultAgent is under whose rules a program asks that names no agent.
const defaultAgent = "external"

// maxClient is how long a program's name may be, in bytes: it is the title of
// its session.
const maxClient = 200

// Approval is a request with what has become of it.
type Approval struct {
	approval.Request
	Status   approval.Status    `json:"status"`
	Run      approval.Run       `json:"run"`
	Response *approval.Response `json:"response,omitempty"`
	Voided   *approval.Response `json:"voided,omitempty"` // who took an approved one back
}

// view is a row as people are shown it.
func (s *Server) view(a approval.Approval) Approval {
	v := Approval{Request: a.Request.Masked(s.Secrets), Status: a.Status, Run: a.Run}
	v.Rev = a.Rev
	if a.Status != approval.Pending {
		v.Response = s.shown(a.Response)
	}
	if a.Voided.Status != "" {
		v.Voided = s.shown(a.Voided)
	}
	return v
}

// shown is an answer as people are shown it.
func (s *Server) shown(r approval.Response) *approval.Response {
	r = r.Masked(s.Secrets)
	return &r
}

type approvalsBody struct {
	Approvals []Approval `json:"approvals"`
	Next      string     `json:"next,omitempty"` // before of the next page; left out on the last
}

func (s *Server) approvals(c *call, _ none) (approvalsBody, error) {
	limit, err := c.number("limit", pageSize, 1, maxPage)
	if err != nil {
		return approvalsBody{}, err
	}
	q := approval.Query{
		SessionID: c.query("sessionId"), AgentID: c.query("agentId"), Agents: c.who.Agents, Before: c.query("before"), Newest: int(limit) + 1,
	}
	if text := c.query("status"); text != "" {
		if err := q.Status.UnmarshalText([]byte(text)); err != nil {
			return approvalsBody{}, invalid("status: unknown status %q: use pending, approved, denied or cancelled", text)
		}
	}
	rows, err := s.Approvals.Find(c.r.Context(), q)
	if err != nil {
		return approvalsBody{}, err
	}
	slices.Reverse(rows)
	body := approvalsBody{Approvals: []Approval{}}
	for i, row := range rows {
		if int64(i) == limit {
			body.Next = rows[i-1].ApprovalID
			break
		}
		body.Approvals = append(body.Approvals, s.view(row))
	}
	return body, nil
}

type askBody struct {
	AgentID          string            `json:"agentId,omitempty"`   // under whose rules; external when left out
	SessionID        string            `json:"sessionId,omitempty"` // one that an earlier answer named; the client's own when left out
	Client           string            `json:"client,omitempty"`    // the program's name
	Type             approval.Type     `json:"type,omitempty"`      // tool_confirmation when left out
	ToolName         string            `json:"toolName,omitempty"`
	Args             jsontext.Value    `json:"args,omitzero"`
	WorkingDirectory string            `json:"workingDirectory,omitempty"`
	Message          string            `json:"message,omitempty"`
	Schema           jsontext.Value    `json:"schema,omitzero"` // of the form, for an elicitation
	Metadata         map[string]string `json:"metadata,omitempty"`
	Context          []tool.Said       `json:"context,omitempty"` // what was said last, at most 10
}

// ask puts a request of a program that runs the call itself.
func (s *Server) ask(c *call, in askBody) (Approval, error) {
	wait, err := c.duration("wait", longestWait)
	if err != nil {
		return Approval{}, err
	}
	if len(in.Client) > maxClient {
		return Approval{}, invalid("client: %d bytes are more than the %d allowed", len(in.Client), maxClient)
	}
	if in.AgentID == "" {
		in.AgentID = defaultAgent
	}
	if in.SessionID == "" {
		own, err := s.Backend.Agents.External(c.r.Context(), c.who, in.AgentID, in.Client)
		if err != nil {
			return Approval{}, err
		}
		in.SessionID = own.ID
	} else if err := s.ownSession(c, in); err != nil {
		return Approval{}, err
	}
	if len(in.Context) > tool.MaxContext {
		return Approval{}, invalid("context: at most %d are taken, oldest first", tool.MaxContext)
	}
	callID := c.r.Header.Get("Idempotency-Key")
	if callID == "" {
		callID = uuid.NewString()
	}
	row, err := s.Approvals.Open(c.r.Context(), c.who, approval.Request{
		AgentID: in.AgentID, SessionID: in.SessionID, Type: in.Type, ToolName: in.ToolName, ToolCallID: callID,
		Args: in.Args, WorkingDirectory: in.WorkingDirectory, Message: in.Message, Schema: in.Schema,
		Metadata: in.Metadata, Context: in.Context, Origin: approval.Origin{Client: in.Client},
	})
	if err != nil {
		return Approval{}, err
	}
	return s.waited(c, row.ApprovalID, wait)
}

// ownSession lets a program ask in a session only if it is one of its own.
func (s *Server) ownSession(c *call, in askBody) error {
	found, err := s.Backend.Sessions.Get(c.r.Context(), in.SessionID)
	if err != nil {
		return err
	}
	if !c.who.Covers(found.AgentID) {
		return session.ErrUnknown
	}
	if found.Kind != session.KindExternal || found.CreatedBy != c.who.Subject || found.AgentID != in.AgentID {
		return approval.ErrForeign
	}
	return nil
}

// waited returns a request, and waits a while for its answer.
func (s *Server) waited(c *call, approvalID string, wait time.Duration) (Approval, error) {
	if wait == 0 {
		row, err := s.Approvals.Get(c.r.Context(), approvalID)
		return s.forAsker(c, row), err
	}
	// The server's own limit on answers is shorter.
	if err := c.extend(wait); err != nil {
		return Approval{}, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), wait)
	defer cancel()
	row, err := s.Approvals.Outcome(ctx, approvalID)
	return s.forAsker(c, row), err
}

// forAsker is a row as people are shown it, except that who asked a question
// gets the answer as it was given.
func (s *Server) forAsker(c *call, row approval.Approval) Approval {
	v := s.view(row)
	if v.Response != nil && row.Origin.Of(c.who.Subject) {
		v.Response.FormData = row.Response.FormData
	}
	return v
}

func (s *Server) approval(c *call, _ none) (Approval, error) {
	wait, err := c.duration("wait", longestWait)
	if err != nil {
		return Approval{}, err
	}
	id := c.r.PathValue("id")
	if !c.who.May(auth.See) { // a program sees what it asked for itself
		row, err := s.Approvals.Get(c.r.Context(), id)
		if err != nil {
			return Approval{}, err
		}
		if !row.Origin.Of(c.who.Subject) {
			return Approval{}, gate.ErrNotYours
		}
	}
	return s.waited(c, id, wait)
}

// answer takes a person's answer. The id stands in the address; where the body
// names one as well, they have to be the same.
func (s *Server) answer(c *call, in approval.Answer) (Approval, error) {
	id := c.r.PathValue("id")
	switch {
	case in.ApprovalID != "" && in.ApprovalID != id:
		return Approval{}, invalid("approvalId: is not the one in the address; leave it out")
	case in.Status == "":
		return Approval{}, invalid("status: missing; use approved, denied or cancelled")
	}
	in.ApprovalID = id
	return s.decide(c, in)
}

func (s *Server) decide(c *call, in approval.Answer) (Approval, error) {
	row, err := s.Approvals.Decide(c.r.Context(), c.who, in.Response(door))
	return s.standing(row, err)
}

// standing is a row after an answer or a withdrawal, or the refusal with the
// answer that stands.
func (s *Server) standing(row approval.Approval, err error) (Approval, error) {
	if errors.Is(err, approval.ErrDecided) || errors.Is(err, approval.ErrExpired) {
		return Approval{}, &stands{err: err, response: s.shown(row.Response)}
	}
	return s.view(row), err
}

func (s *Server) cancelApproval(c *call, _ none) (Approval, error) {
	row, err := s.Approvals.Cancel(c.r.Context(), c.who, door, c.r.PathValue("id"))
	return s.standing(row, err)
}

// reveal shows a request with its secrets; that is written down.
func (s *Server) reveal(c *call, _ none) (approval.Request, error) {
	return s.Approvals.Reveal(c.r.Context(), c.who, door, c.r.PathValue("id"))
}

type claimBody struct {
	Args     jsontext.Value `json:"args"` // what may run: the request's, with the approver's changes
	Approval Approval       `json:"approval"`
}

func (s *Server) claim(c *call, _ none) (claimBody, error) {
	row, err := s.Approvals.Claim(c.r.Context(), c.who, c.r.PathValue("id"))
	if err != nil {
		return claimBody{}, err
	}
	args, err := row.RunArgs()
	return claimBody{Args: args, Approval: s.view(row)}, err
}

func (s *Server) result(c *call, in tool.Result) (Approval, error) {
	id := c.r.PathValue("id")
	if err := s.Approvals.Report(c.r.Context(), c.who, id, in); err != nil {
		return Approval{}, err
	}
	row, err := s.Approvals.Get(c.r.Context(), id)
	return s.view(row), err
}
