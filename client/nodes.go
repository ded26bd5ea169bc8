package client

import (
	"context"
	"net/http"

	"github.com/lineclear/lineclear/session"
)

// Nodes lists the gateways of a cluster, the one that has worked for the longest first; none where there is no cluster.
func (c *Client) Nodes(ctx context.Context) ([]session.Node, error) {
	body, err := do[struct {
		Nodes []session.Node `json:"nodes"`
	}](ctx, c, http.MethodGet, "/api/nodes", nil)
	return body.Nodes, err
}
