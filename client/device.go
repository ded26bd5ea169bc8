package client

import (
	"context"
	"net/http"

	"github.com/lineclear/lineclear/auth"
)

// DeviceLogin is a terminal that is waiting to log in.
type DeviceLogin struct {
	auth.Device
	DeviceCode string `json:"deviceCode"` // secret, for CollectDevice
	URL        string `json:"url"`        // the page where a person approves it
}

// AskDevice asks for a login that a person approves in a browser.
func (c *Client) AskDevice(ctx context.Context, name string) (DeviceLogin, error) {
	return do[DeviceLogin](ctx, c, http.MethodPost, "/api/device-logins", map[string]string{"name": name})
}

// Collected is the state of such a request.
type Collected struct {
	Waiting bool            `json:"waiting"` // nobody has answered yet
	Secret  string          `json:"secret"`  // for As; it can't be had again
	Login   auth.Credential `json:"login"`
}

// CollectDevice returns the approved login, once.
func (c *Client) CollectDevice(ctx context.Context, deviceCode string) (Collected, error) {
	return do[Collected](ctx, c, http.MethodPost, "/api/device-logins/collect", map[string]string{"deviceCode": deviceCode})
}

// Logout ends the client's own credential.
func (c *Client) Logout(ctx context.Context) error {
	_, err := do[none](ctx, c, http.MethodPost, "/api/logout", nil)
	return err
}

// FirstLink makes the link that logs in the first admin. It needs a client made by
// Local, and works only while no admin is logged in.
func (c *Client) FirstLink(ctx context.Context) (Link, error) {
	return do[Link](ctx, c, http.MethodPost, "/api/links/first", nil)
}

// As makes a client of the same gateway with another credential.
func (c *Client) As(token string) *Client {
	return &Client{http: c.http, access: func() (Access, error) {
		a, err := c.access()
		a.Token = token
		return a, err
	}}
}
