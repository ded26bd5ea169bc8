package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/trace"
	"github.com/lineclear/lineclear/policy"
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

type askBody struct {
	AgentID          string            `json:"agentId,omitempty"`   // under whose rules; when left out, the run's, or external
	SessionID        string            `json:"sessionId,omitempty"` // of the run, from POST /api/runs; without a run each approval is for one call
	Client           string            `json:"client,omitempty"`    // the program's name
	Type             approval.Type     `json:"type,omitempty"`      // tool_confirmation when left out
	ToolName         string            `json:"toolName,omitempty"`
	Args             tool.JSON         `json:"args,omitzero"`
	WorkingDirectory string            `json:"workingDirectory,omitempty"`
	Message          string            `json:"message,omitempty"`  // what a person is asked, in words
	Schema           tool.JSON         `json:"schema,omitzero"`    // JSON Schema of the form, for an elicitation, or of args
	Editable         bool              `json:"editable,omitzero"`  // an approval may change args: run what claim returns
	Arguments        tool.Arguments    `json:"arguments,omitzero"` // what args are, of a tool that agents.yaml doesn't declare
	Metadata         map[string]string `json:"metadata,omitempty"`
	Context          []tool.Said       `json:"context,omitempty"`   // the last messages, at most 10
	ExpiresIn        string            `json:"expiresIn,omitempty"` // such as 90s; can only shorten the policy's limit
}

// beside is everything but the arguments.
func (in askBody) beside() askBody {
	in.Args = nil
	return in
}

// ask puts a request of a program that runs the call itself.
func (s *Server) ask(c *call, in askBody) (door.OwnAnswer, error) {
	wait, err := c.duration("wait", longestWait)
	if err != nil {
		return door.OwnAnswer{}, err
	}
	if err := soundName("client", in.Client); err != nil {
		return door.OwnAnswer{}, err
	}
	if in.ToolName != "" && !mask.IsToolName(in.ToolName) {
		return door.OwnAnswer{}, invalid("toolName: %q can't be used: write 1 to 128 ASCII letters, digits and _ . / : -", in.ToolName)
	}
	if raw, err := json.Marshal(in.beside()); err != nil || len(raw) > maxBody {
		return door.OwnAnswer{}, &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("at most %d bytes are taken beside args", maxBody)}
	}
	var expires time.Time
	if in.ExpiresIn != "" {
		d, err := waitOf(in.ExpiresIn)
		if err != nil {
			return door.OwnAnswer{}, err
		}
		expires = s.Door.Now().Add(d)
	}
	if len(in.Context) > tool.MaxContext {
		return door.OwnAnswer{}, invalid("context: at most %d are taken, oldest first", tool.MaxContext)
	}
	for at, err := range policy.CheckArguments(in.Arguments) {
		return door.OwnAnswer{}, invalid("arguments.%s: %s", strings.Join(at, "."), err)
	}
	callID := c.r.Header.Get("Idempotency-Key")
	switch {
	case callID == "":
		callID = uuid.NewString()
	case !mask.IsKey(callID):
		return door.OwnAnswer{}, invalid("Idempotency-Key: write 1 to 255 ASCII characters, and no spaces")
	}
	id, err := s.put(c, in, callID, wait > 0, expires)
	if errors.Is(err, session.ErrEnded) && in.SessionID == "" {
		id, err = s.put(c, in, callID, wait > 0, expires) // its session ended just now
	}
	if err != nil {
		return door.OwnAnswer{}, err
	}
	return s.waited(c, id, wait)
}

// waitOf reads how long a program waits.
func waitOf(expiresIn string) (time.Duration, error) {
	d, err := time.ParseDuration(expiresIn)
	if err != nil || d <= 0 {
		return 0, invalid("expiresIn: %q is no duration: write it like 90s or 5m", expiresIn)
	}
	return d, nil
}

type extendBody struct {
	ExpiresIn string `json:"expiresIn"` // from now, such as 90s
}

func (s *Server) extend(c *call, in extendBody) (door.Approval, error) {
	d, err := waitOf(in.ExpiresIn)
	if err != nil {
		return door.Approval{}, err
	}
	return s.Door.Extend(c.r.Context(), c.who, c.r.PathValue("id"), d)
}

// put puts the request in its session.
func (s *Server) put(c *call, in askBody, callID string, waits bool, expires time.Time) (approvalID string, err error) {
	within, err := s.sessionOf(c, in)
	if err != nil {
		return "", err
	}
	origin := approval.Origin{Client: in.Client, Waits: waits}
	if within.Run != nil {
		origin.Client, origin.Run, origin.Parent = within.Title, within.Run.Name, within.Run.Parent
	}
	return s.Door.Ask(c.r.Context(), c.who, approval.Request{
		AgentID: within.AgentID, SessionID: within.ID, Type: in.Type, ToolName: in.ToolName, ToolCallID: callID,
		Args: in.Args, WorkingDirectory: in.WorkingDirectory, Message: in.Message, Schema: in.Schema,
		Editable: in.Editable, Arguments: in.Arguments,
		Metadata: in.Metadata, Context: in.Context, Origin: origin, ExpiresAt: expires,
		Traceparent: trace.Clean(c.r.Header.Get("traceparent")),
	})
}

// sessionOf is the session in which a program asks: the one it names, which must be its
// own, or the one for requests outside of runs.
func (s *Server) sessionOf(c *call, in askBody) (door.Session, error) {
	if in.SessionID == "" {
		return s.Door.External(c.r.Context(), c.who, orExternal(in.AgentID), in.Client, nil)
	}
	found, err := s.Door.Head(c.r.Context(), in.SessionID)
	switch {
	case err != nil:
		return found, err
	case !c.who.Covers(found.AgentID):
		return found, session.ErrUnknown
	case found.Kind != session.KindExternal || found.Asker != c.who.Root:
		return found, approval.ErrForeign
	case in.AgentID != "" && in.AgentID != found.AgentID:
		return found, invalid("agentId: this run is of agent %s: leave it out", found.AgentID)
	}
	return found, nil
}

// waited returns a request, and waits a while for its answer.
func (s *Server) waited(c *call, approvalID string, wait time.Duration) (door.OwnAnswer, error) {
	if wait == 0 {
		return s.Door.Look(c.r.Context(), c.who, approvalID)
	}
	// The server's own limit on answers is shorter.
	if err := c.extend(wait); err != nil {
		return door.OwnAnswer{}, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(s.Closing, cancel)()
	return s.Door.Await(ctx, c.who, approvalID)
}

func (s *Server) approval(c *call, _ none) (door.OwnAnswer, error) {
	wait, err := c.duration("wait", longestWait)
	if err != nil {
		return door.OwnAnswer{}, err
	}
	return s.waited(c, c.r.PathValue("id"), wait)
}

// change returns the whole diff of a request, which itself has only the beginning.
func (s *Server) change(c *call, _ none) (door.FileChange, error) {
	over, err := s.read(c)
	if err != nil {
		return door.FileChange{}, err
	}
	defer over()
	return s.Door.Change(c.r.Context(), c.who, c.r.PathValue("id"))
}

// answerBody is an answer to the request in the address.
type answerBody struct {
	approval.WordedAnswer
	ApprovalID string          `json:"approvalId,omitempty"` // that of the address, or left out
	Status     approval.Status `json:"status,omitempty"`     // left out where decision, response or approved says it
}

// answer takes a person's answer. The id stands in the address; where the body
// names one as well, they have to be the same.
func (s *Server) answer(c *call, in answerBody) (door.Approval, error) {
	id := c.r.PathValue("id")
	if in.ApprovalID != "" && in.ApprovalID != id {
		return door.Approval{}, invalid("approvalId: is not the one in the address; leave it out")
	}
	in.WordedAnswer.Status = in.Status
	answer, err := in.Read()
	if err != nil {
		return door.Approval{}, err
	}
	answer.ApprovalID = id
	return s.decide(c, answer)
}

func (s *Server) decide(c *call, in approval.Answer) (door.Approval, error) {
	return s.Door.Decide(c.r.Context(), c.who, in)
}

// cancelBody says why a program ends a request. A person gives no reason.
type cancelBody struct {
	Reason string `json:"reason,omitempty" enum:"asker_gone,no_handler"` // asker_gone: it asked, and waits no more; no_handler: it runs the session, and asks nobody
}

func (s *Server) cancelApproval(c *call, in cancelBody) (door.Approval, error) {
	end := s.Door.Cancel
	switch reason := approval.Reason(in.Reason); {
	case reason == approval.NoHandler:
		end = s.Door.Decline
	case reason == approval.AskerGone, reason == "" && !c.who.May(auth.Answer): // it may still withdraw its own requests
		end = s.Door.Retract
	case reason != "":
		return door.Approval{}, invalid("reason: use asker_gone or no_handler, or leave it out; %q is not for a program to give", in.Reason)
	}
	return end(c.r.Context(), c.who, c.r.PathValue("id"))
}

// reveal shows a request with its secrets; that is written down.
func (s *Server) reveal(c *call, _ none) (door.Revealed, error) {
	return s.Door.Reveal(c.r.Context(), c.who, c.r.PathValue("id"))
}

func (s *Server) claim(c *call, _ none) (door.Claimed, error) {
	return s.Door.Claim(c.r.Context(), c.who, c.r.PathValue("id"))
}

func (s *Server) result(c *call, in tool.Result) (door.Approval, error) {
	return s.Door.Report(c.r.Context(), c.who, c.r.PathValue("id"), in)
}
