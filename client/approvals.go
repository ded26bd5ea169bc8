package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// longestWait is how long the gateway waits with one request at most.
const longestWait = time.Minute

// pageSize is the largest page that the gateway gives.
const pageSize = 500

// Approval is a request with what has become of it.
type Approval struct {
	approval.Request
	Status   approval.Status    `json:"status"`
	Run      approval.Run       `json:"run"`
	Response *approval.Response `json:"response,omitempty"` // once there is one
	Voided   *approval.Response `json:"voided,omitempty"`   // who took an approved one back
	Outcome  approval.Outcome   `json:"outcome,omitempty"`
	Ran      *approval.Ran      `json:"ran,omitempty"` // the result of a call that was started; not in lists
}

// Filter says which approvals are wanted; its zero value is all of them.
type Filter struct {
	Words      string // all have to occur, also as parts of words: in the call as shown, who answered or what was said
	Outcome    approval.Outcome
	Status     approval.Status // not together with Outcome, which says more
	SessionID  string          // and the sessions below it
	AgentID    string
	ToolName   string
	Risk       approval.RiskLevel
	AnsweredBy string
	Since      time.Time // requested at this time or later
	Until      time.Time // requested before this time
	Before     string    // the id of a request: only those after it in the list
}

func (f Filter) query() url.Values {
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	return query("q", f.Words, "outcome", string(f.Outcome), "status", string(f.Status), "sessionId", f.SessionID, "agentId", f.AgentID,
		"toolName", f.ToolName, "risk", string(f.Risk), "answeredBy", f.AnsweredBy, "since", at(f.Since), "until", at(f.Until))
}

// Approvals lists requests, newest first.
func (c *Client) Approvals(ctx context.Context, f Filter) iter.Seq2[Approval, error] {
	return pages(f.Before, func(before string) ([]Approval, string, error) {
		q := f.query()
		q.Set("limit", strconv.Itoa(pageSize))
		if before != "" {
			q.Set("before", before)
		}
		body, err := do[struct {
			Approvals []Approval `json:"approvals"`
			Next      string     `json:"next"`
		}](ctx, c, http.MethodGet, "/api/approvals?"+q.Encode(), nil)
		return body.Approvals, body.Next, err
	})
}

// Export writes all requests that match the filter to w, newest first, as csv or jsonl. If the export
// breaks off, it returns an error.
func (c *Client) Export(ctx context.Context, f Filter, format string, w io.Writer) error {
	q := f.query()
	q.Set("format", format)
	r, err := c.request(ctx, http.MethodGet, "/api/approvals/export?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("client: the gateway does not answer: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		return errors.Join(problemOf(response.StatusCode, raw), err)
	}
	if _, err := io.Copy(w, response.Body); err != nil {
		return fmt.Errorf("client: the export broke off: %w", err)
	}
	return nil
}

// Pending lists the requests that wait; of all sessions when sessionID is empty.
func (c *Client) Pending(ctx context.Context, sessionID string) ([]approval.Request, error) {
	var list []approval.Request
	for a, err := range c.Approvals(ctx, Filter{Status: approval.Pending, SessionID: sessionID}) {
		if err != nil {
			return nil, err
		}
		list = append(list, a.Request)
	}
	return list, nil
}

// Approval returns one request, after waiting up to a minute for its answer
// where it has none.
func (c *Client) Approval(ctx context.Context, approvalID string, wait time.Duration) (Approval, error) {
	q := url.Values{}
	if wait > 0 {
		q.Set("wait", min(wait, longestWait).String())
	}
	return do[Approval](ctx, c, http.MethodGet, approvalPath(approvalID, "?"+q.Encode()), nil)
}

// Outcome waits until a request is answered.
func (c *Client) Outcome(ctx context.Context, approvalID string) (Approval, error) {
	for {
		a, err := c.Approval(ctx, approvalID, longestWait)
		if err != nil || a.Status != approval.Pending {
			return a, err
		}
	}
}

// Answer answers a request. An answer that was not taken because there is one
// is a *Problem that carries it.
func (c *Client) Answer(ctx context.Context, a approval.Answer) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, approvalPath(a.ApprovalID, ""), a)
}

// Cancel withdraws a request; what is approved and has not started will not.
func (c *Client) Cancel(ctx context.Context, approvalID string) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, approvalPath(approvalID, "/cancel"), nil)
}

// Retract withdraws the program's own request, since it waits for the answer no more.
func (c *Client) Retract(ctx context.Context, approvalID string) (Approval, error) {
	return c.end(ctx, approvalID, approval.AskerGone)
}

// Decline ends a request that nobody is there to answer, in a session that the program runs. The
// no is not recorded as a person's.
func (c *Client) Decline(ctx context.Context, approvalID string) (Approval, error) {
	return c.end(ctx, approvalID, approval.NoHandler)
}

func (c *Client) end(ctx context.Context, approvalID string, why approval.Reason) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, approvalPath(approvalID, "/cancel"), map[string]approval.Reason{"reason": why})
}

// Extend moves the deadline of the program's own request to wait from now, but not beyond
// the policy's limit.
func (c *Client) Extend(ctx context.Context, approvalID string, wait time.Duration) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, approvalPath(approvalID, "/extend"), map[string]string{"expiresIn": wait.String()})
}

// Reveal returns a request with its secrets, which are masked everywhere else.
// Who has looked is written down.
func (c *Client) Reveal(ctx context.Context, approvalID string) (approval.Request, error) {
	return do[approval.Request](ctx, c, http.MethodPost, approvalPath(approvalID, "/reveal"), nil)
}

// Reply is an answer that names no approval, in the words of other systems; see
// the table in docs/protocol.md.
type Reply struct {
	Decision string `json:"decision"`
	Scope    string `json:"scope,omitempty"`   // may not contradict the word
	Message  string `json:"message,omitempty"` // for the model
}

// AnswerCall answers the newest request of a tool call.
func (c *Client) AnswerCall(ctx context.Context, sessionID, toolCallID string, r Reply) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, sessionPath(sessionID, "/approvals/"+url.PathEscape(toolCallID)), r)
}

// AnswerSole answers the only request that waits in a session, if it was
// announced at or before the event seen.
func (c *Client) AnswerSole(ctx context.Context, sessionID string, seen int64, r Reply) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, sessionPath(sessionID, "/approve"), struct {
		Reply
		Seen int64 `json:"seen"`
	}{r, seen})
}

// Question is what a program asks that runs the call itself.
type Question struct {
	Client           string            `json:"client,omitempty"`    // the program's name
	AgentID          string            `json:"agentId,omitempty"`   // under whose rules; external where empty
	SessionID        string            `json:"sessionId,omitempty"` // of the run, from BeginRun; without a run each approval is for one call
	Type             approval.Type     `json:"type,omitempty"`      // tool_confirmation where empty
	ToolName         string            `json:"toolName,omitempty"`
	Args             tool.JSON         `json:"args,omitzero"`
	WorkingDirectory string            `json:"workingDirectory,omitempty"`
	Message          string            `json:"message,omitempty"`
	Schema           tool.JSON         `json:"schema,omitzero"`    // JSON Schema of the form, for an elicitation, or of Args
	Editable         bool              `json:"editable,omitzero"`  // an approval may change Args: run what Claim returns
	Arguments        tool.Arguments    `json:"arguments,omitzero"` // what Args are, of a tool that agents.yaml doesn't declare
	Metadata         map[string]string `json:"metadata,omitempty"`

	ExpiresIn string `json:"expiresIn,omitempty"` // such as 90s; can only shorten the policy's limit

	// Wait is how long Ask waits for the answer, at most a minute. The gateway cancels such
	// a request by itself once the program no longer asks for the answer.
	Wait time.Duration `json:"-"`

	Traceparent string `json:"-"` // W3C Trace Context: what the request is part of

	Key string `json:"-"` // names the call: asking again under it gives the same request
}

// Ask makes a request and returns it: settled if a rule decides it or somebody answers
// within q.Wait, otherwise pending. Outcome waits for the answer.
func (c *Client) Ask(ctx context.Context, q Question) (Approval, error) {
	path := "/api/approvals"
	if q.Wait > 0 {
		path += "?wait=" + min(q.Wait, longestWait).String()
	}
	r, err := c.request(ctx, http.MethodPost, path, q)
	if err != nil {
		return Approval{}, err
	}
	if q.Key != "" {
		r.Header.Set("Idempotency-Key", q.Key)
	}
	if q.Traceparent != "" {
		r.Header.Set("traceparent", q.Traceparent)
	}
	r.GetBody = nil // stops net/http from retrying, which would hide that the gateway may have received it
	return send[Approval](c, r)
}

// Asked finds the program's own requests under a key, newest first.
func (c *Client) Asked(ctx context.Context, key string) ([]Approval, error) {
	body, err := do[struct {
		Approvals []Approval `json:"approvals"`
	}](ctx, c, http.MethodGet, "/api/approvals?"+query("idempotencyKey", key).Encode(), nil)
	return body.Approvals, err
}

// Claim takes an approval, once: the program may run the call now, with these
// arguments, which the approver may have changed.
func (c *Client) Claim(ctx context.Context, approvalID string) (args tool.JSON, a Approval, err error) {
	body, err := do[struct {
		Args     tool.JSON `json:"args"`
		Approval Approval  `json:"approval"`
	}](ctx, c, http.MethodPost, approvalPath(approvalID, "/claim"), nil)
	return body.Args, body.Approval, err
}

// Report writes down what came of a claimed call.
func (c *Client) Report(ctx context.Context, approvalID string, result tool.Result) (Approval, error) {
	return do[Approval](ctx, c, http.MethodPost, approvalPath(approvalID, "/result"), result)
}

func approvalPath(id, rest string) string { return "/api/approvals/" + url.PathEscape(id) + rest }

// query makes a query of names and values, without those that are empty.
func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}
