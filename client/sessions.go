package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// Sessions lists the sessions, newest first.
func (c *Client) Sessions(ctx context.Context) iter.Seq2[session.Session, error] {
	return c.SessionsBefore(ctx, "")
}

// SessionsBefore lists the sessions that are older than one, newest first.
func (c *Client) SessionsBefore(ctx context.Context, sessionID string) iter.Seq2[session.Session, error] {
	return pages(sessionID, func(before string) ([]session.Session, string, error) {
		q := query("before", before)
		q.Set("limit", strconv.Itoa(pageSize))
		body, err := do[struct {
			Sessions []session.Session `json:"sessions"`
			Next     string            `json:"next"`
		}](ctx, c, http.MethodGet, "/api/sessions?"+q.Encode(), nil)
		return body.Sessions, body.Next, err
	})
}

// Session returns one session.
func (c *Client) Session(ctx context.Context, sessionID string) (session.Session, error) {
	return do[session.Session](ctx, c, http.MethodGet, sessionPath(sessionID, ""), nil)
}

// NewSession starts a session with an agent; the title may be empty.
func (c *Client) NewSession(ctx context.Context, agentID, title string) (session.Session, error) {
	return do[session.Session](ctx, c, http.MethodPost, "/api/sessions", struct {
		AgentID string `json:"agentId"`
		Title   string `json:"title,omitempty"`
	}{agentID, title})
}

// Journal lists a session's events numbered above after, in order.
func (c *Client) Journal(ctx context.Context, sessionID string, after int64) iter.Seq2[session.Event, error] {
	return pages(strconv.FormatInt(after, 10), func(before string) ([]session.Event, string, error) {
		q := query("after", before)
		q.Set("limit", strconv.Itoa(pageSize))
		body, err := do[struct {
			Events []session.Event `json:"events"`
			Next   int64           `json:"next"`
		}](ctx, c, http.MethodGet, sessionPath(sessionID, "/events?"+q.Encode()), nil)
		if body.Next == 0 {
			return body.Events, "", err
		}
		return body.Events, strconv.FormatInt(body.Next, 10), err
	})
}

// Say says something to a session's agent; it returns the number of the message
// in the journal.
func (c *Client) Say(ctx context.Context, sessionID, text string) (seq int64, err error) {
	body, err := do[struct {
		Seq int64 `json:"seq"`
	}](ctx, c, http.MethodPost, sessionPath(sessionID, "/messages"), struct {
		Text string `json:"text"`
	}{text})
	return body.Seq, err
}

// Interrupt stops a session's turn and withdraws what it asks. It returns when
// nothing of the turn runs any more.
func (c *Client) Interrupt(ctx context.Context, sessionID string) error {
	_, err := do[none](ctx, c, http.MethodPost, sessionPath(sessionID, "/interrupt"), nil)
	return err
}

// Stop is Interrupt by a program's own decision, such as that its time is up: no person is
// recorded to have withdrawn anything.
func (c *Client) Stop(ctx context.Context, sessionID string) error {
	_, err := do[none](ctx, c, http.MethodPost, sessionPath(sessionID, "/interrupt"), map[string]approval.Reason{"reason": approval.SystemCancelled})
	return err
}

// CancelSession ends a session for good.
func (c *Client) CancelSession(ctx context.Context, sessionID string) (session.Session, error) {
	return do[session.Session](ctx, c, http.MethodPost, sessionPath(sessionID, "/cancel"), nil)
}

func sessionPath(id, rest string) string { return "/api/sessions/" + url.PathEscape(id) + rest }
