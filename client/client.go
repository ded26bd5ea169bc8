// Package client is a running gateway's API for Go programs; the gateway's own
// verbs use nothing else to talk to one.
//
// A Client is made by New with a base URL and a token, or by Local for a gateway
// on this machine. Its methods are safe
// for concurrent use. What the gateway refuses comes back as a *Problem.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
)

// maxAnswer bounds an answer in bytes.
const maxAnswer = 64 << 20

// Problem is a refusal of the gateway: a problem document (RFC 9457).
type Problem struct {
	Title  string                `json:"title"`
	Status int                   `json:"status"`
	Detail string                `json:"detail"`
	Mode   *approval.ModeSetting `json:"mode"` // of a conflict about an agent's mode: as it is
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
	url   string
	token string
	http  *http.Client
}

// New makes a client of the gateway at a base URL, such as
// http://127.0.0.1:8787.
func New(baseURL, token string) *Client {
	return &Client{url: strings.TrimSuffix(baseURL, "/"), token: token, http: &http.Client{}}
}

// Agent is an agent as the gateway tells of it.
type Agent struct {
	AgentID     string        `json:"agentId"`
	Description string        `json:"description"`
	Mode        approval.Mode `json:"mode"`
	ModeVersion int64         `json:"modeVersion"`
	ModeSetBy   string        `json:"modeSetBy"`
}

// Agents lists the agents by name.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	body, err := do[struct {
		Agents []Agent `json:"agents"`
	}](ctx, c, http.MethodGet, "/api/agents", nil)
	return body.Agents, err
}

// SetMode sets an agent's mode, which has to be at the version seen.
func (c *Client) SetMode(ctx context.Context, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
	body := map[string]any{"mode": mode, "version": seen}
	return do[approval.ModeSetting](ctx, c, http.MethodPut, "/api/agents/"+url.PathEscape(agentID)+"/mode", body)
}

// Pending lists the requests that wait; of all sessions when sessionID is empty.
func (c *Client) Pending(ctx context.Context, sessionID string) ([]approval.Request, error) {
	body, err := do[struct {
		Approvals []approval.Request `json:"approvals"`
	}](ctx, c, http.MethodGet, "/api/approvals?status=pending&limit=500&sessionId="+url.QueryEscape(sessionID), nil)
	return body.Approvals, err
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

// do sends a request and reads the answer.
func do[T any](ctx context.Context, c *Client, method, path string, body any) (answer T, err error) {
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return answer, fmt.Errorf("client: %w", err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(sent))
	if err != nil {
		return answer, fmt.Errorf("client: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Origin", c.url) // the fence lets nothing change without one
	response, err := c.http.Do(r)
	if err != nil {
		return answer, fmt.Errorf("client: the gateway does not answer: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer, fmt.Errorf("client: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		p := &Problem{Title: http.StatusText(response.StatusCode), Status: response.StatusCode}
		if json.Unmarshal(raw, p) != nil {
			p.Detail = strings.TrimSpace(string(raw))
		}
		return answer, p
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, fmt.Errorf("client: the answer can't be read: %w", err)
	}
	return answer, nil
}
