package client

import (
	"context"
	"net/http"

	"github.com/lineclear/lineclear/approval"
)

// CancelWaiting withdraws the requests that wait; turns go on.
func (c *Client) CancelWaiting(ctx context.Context, w approval.Which) ([]Approval, error) {
	body, err := do[struct {
		Withdrawn []Approval `json:"withdrawn"`
	}](ctx, c, http.MethodPost, "/api/approvals/cancel", w)
	return body.Withdrawn, err
}

// Halt stops an agent, or, with no agentID, all of them, until Lift.
func (c *Client) Halt(ctx context.Context, agentID string) (approval.Halt, error) {
	return do[approval.Halt](ctx, c, http.MethodPost, "/api/halts", approval.Which{AgentID: agentID, All: agentID == ""})
}

// Lift ends a halt.
func (c *Client) Lift(ctx context.Context, agentID string) (approval.Halt, error) {
	return do[approval.Halt](ctx, c, http.MethodPost, "/api/halts/lift", approval.Which{AgentID: agentID, All: agentID == ""})
}

// Halts lists the halts that are on.
func (c *Client) Halts(ctx context.Context) ([]approval.Halt, error) {
	body, err := do[struct {
		Halts []approval.Halt `json:"halts"`
	}](ctx, c, http.MethodGet, "/api/halts", nil)
	return body.Halts, err
}
