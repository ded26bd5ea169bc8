// Package client is a running gateway's API for Go programs; the gateway's own
// verbs use nothing else to talk to one.
//
// A Client is made by New with a base URL and a token, or by Local for a gateway
// on this machine. Its methods are safe for concurrent use. What the gateway
// refuses comes back as a *Problem. Lists are iterators that fetch page after
// page and end with the first error; Events goes on across broken connections.
//
// A program that has its own calls cleared uses BeginRun and Guard: see the example of
// Guard, and docs/first-program.md.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// maxAnswer bounds an answer in bytes.
const maxAnswer = 64 << 20

// Problem is a refusal of the gateway: a problem document (RFC 9457).
type Problem struct {
	Title    string                `json:"title"`
	Status   int                   `json:"status"`
	Code     string                `json:"code"` // for programs, such as already_decided
	Detail   string                `json:"detail,omitempty"`
	Mode     *approval.ModeSetting `json:"mode,omitempty"`     // of a conflict about an agent's mode: as it is
	Response *approval.Response    `json:"response,omitempty"` // of a conflict about an answer: the one that stands
}

// Error is the gateway's own words.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("the gateway answered %d %s", p.Status, p.Title)
	}
	return p.Detail
}

// Client talks to one gateway.
type Client struct {
	access func() (Access, error) // asked for each request: a restart gives another token
	http   *http.Client
}

// New makes a client of the gateway at a base URL, such as
// http://127.0.0.1:8787.
func New(baseURL, token string) *Client {
	a := Access{URL: strings.TrimSuffix(baseURL, "/"), Token: token}
	return &Client{access: func() (Access, error) { return a, nil }, http: &http.Client{}}
}

// Using returns a copy of the client that sends through h, such as for a proxy, a private
// CA or tracing.
func (c *Client) Using(h *http.Client) *Client { return &Client{access: c.access, http: h} }

// Agent is an agent as the gateway tells of it.
type Agent struct {
	AgentID     string        `json:"agentId"`
	Kind        session.Kind  `json:"kind"` // external: a program that only asks
	Description string        `json:"description"`
	Mode        approval.Mode `json:"mode"`
	ModeVersion int64         `json:"modeVersion"`
	ModeSetBy   string        `json:"modeSetBy"`
	Tools       []AgentTool   `json:"tools"`
}

// AgentTool is a tool of an agent.
type AgentTool struct {
	Name string `json:"name"`
}

// Agents lists the agents by name.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	body, err := do[struct {
		Agents []Agent `json:"agents"`
	}](ctx, c, http.MethodGet, "/api/agents", nil)
	return body.Agents, err
}

// Observed is what an observed agent's calls have come to.
type Observed struct {
	AgentID  string `json:"agentId"`
	WouldAsk int    `json:"wouldAsk"` // calls that ran, and about which a person would have been asked
	Denied   int    `json:"denied"`
}

// Observed counts the calls of observed agents since a time, of the newest 100,000 requests.
func (c *Client) Observed(ctx context.Context, since time.Time) ([]Observed, error) {
	body, err := do[struct {
		Observed []Observed `json:"observed"`
	}](ctx, c, http.MethodGet, "/api/stats?since="+since.UTC().Format(time.RFC3339), nil)
	return body.Observed, err
}

// SetMode sets an agent's mode, which has to be at the version seen.
func (c *Client) SetMode(ctx context.Context, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
	body := map[string]any{"mode": mode, "version": seen}
	return do[approval.ModeSetting](ctx, c, http.MethodPut, "/api/agents/"+url.PathEscape(agentID)+"/mode", body)
}

// Change is a difference between two configurations, with masked values.
type Change struct {
	Place  string `json:"place"` // such as agents.demo.toolConfirmation.mode
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Reload has the gateway read its configuration again, and returns what has changed. A *Problem
// says that nothing was taken over, and why.
func (c *Client) Reload(ctx context.Context) ([]Change, error) {
	body, err := do[struct {
		Changes []Change `json:"changes"`
	}](ctx, c, http.MethodPost, "/api/reload", nil)
	return body.Changes, err
}

// Suggestions lists rules that would have cleared a request, narrow ones first.
func (c *Client) Suggestions(ctx context.Context, approvalID string) ([]approval.Suggestion, error) {
	body, err := do[struct {
		Suggestions []approval.Suggestion `json:"suggestions"`
	}](ctx, c, http.MethodGet, "/api/approvals/"+url.PathEscape(approvalID)+"/suggestions", nil)
	return body.Suggestions, err
}

// Grants lists what is remembered, newest first; with all also what has ended.
func (c *Client) Grants(ctx context.Context, sessionID string, all bool) ([]approval.Grant, error) {
	body, err := do[struct {
		Grants []approval.Grant `json:"grants"`
	}](ctx, c, http.MethodGet, fmt.Sprintf("/api/grants?sessionId=%s&all=%t", url.QueryEscape(sessionID), all), nil)
	return body.Grants, err
}

// Revoke ends a grant and returns it.
func (c *Client) Revoke(ctx context.Context, grantID string) (approval.Grant, error) {
	return do[approval.Grant](ctx, c, http.MethodDelete, "/api/grants/"+url.PathEscape(grantID), nil)
}

// Me is as whom the client has logged in.
func (c *Client) Me(ctx context.Context) (auth.Identity, error) {
	body, err := do[struct {
		Identity auth.Identity `json:"identity"`
	}](ctx, c, http.MethodGet, "/api/me", nil)
	return body.Identity, err
}

// none is the body of a route that takes or gives none.
type none struct{}

// do sends a request and reads the answer.
func do[T any](ctx context.Context, c *Client, method, path string, body any) (answer T, err error) {
	r, err := c.request(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	return send[T](c, r)
}

// request makes a request of an address that begins with /.
func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
	}
	access, err := c.access()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, access.URL+path, bytes.NewReader(sent))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+access.Token)
	return r, nil
}

// send reads the answer to a request.
func send[T any](c *Client, r *http.Request) (answer T, err error) {
	response, err := c.http.Do(r)
	if err != nil {
		return answer, fmt.Errorf("client: the gateway does not answer: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer, fmt.Errorf("client: the gateway's answer broke off: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return answer, problemOf(response.StatusCode, raw)
	}
	if len(raw) == 0 {
		return answer, nil
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, fmt.Errorf("client: the answer can't be read: %w", err)
	}
	return answer, nil
}

func problemOf(status int, raw []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(raw, p) != nil {
		p = &Problem{Detail: strings.TrimSpace(string(raw))}
	}
	p.Status = status
	if p.Title == "" {
		p.Title = http.StatusText(status)
	}
	return p
}

// pages fetches page after page of a list, the first after before, which may be empty; fetch
// returns one, and what the next begins after, empty where there is none.
func pages[T any](before string, fetch func(before string) (page []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for before, more := before, true; more; more = before != "" {
			page, next, err := fetch(before)
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			before = next
		}
	}
}
