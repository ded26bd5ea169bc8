package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// Tokens lists the tokens that are good, oldest first.
func (c *Client) Tokens(ctx context.Context) ([]auth.Credential, error) {
	body, err := do[struct {
		Tokens []auth.Credential `json:"tokens"`
	}](ctx, c, http.MethodGet, "/api/tokens", nil)
	return body.Tokens, err
}

// NewToken makes a token, and returns the secret, which can't be had again.
func (c *Client) NewToken(ctx context.Context, a auth.Access) (made auth.Credential, secret string, err error) {
	body, err := do[struct {
		Token  auth.Credential `json:"token"`
		Secret string          `json:"secret"`
	}](ctx, c, http.MethodPost, "/api/tokens", a)
	return body.Token, body.Secret, err
}

// Logins lists the browsers that are logged in, oldest first.
func (c *Client) Logins(ctx context.Context) ([]auth.Credential, error) {
	body, err := do[struct {
		Logins []auth.Credential `json:"logins"`
	}](ctx, c, http.MethodGet, "/api/logins", nil)
	return body.Logins, err
}

// ChangeToken makes a token another one; who is in by it has to come in again.
func (c *Client) ChangeToken(ctx context.Context, id string, change auth.Change) (auth.Credential, error) {
	return do[auth.Credential](ctx, c, http.MethodPatch, "/api/tokens/"+url.PathEscape(id), change)
}

// ChangeLogin changes what a login may.
func (c *Client) ChangeLogin(ctx context.Context, id string, change auth.Change) (auth.Credential, error) {
	return do[auth.Credential](ctx, c, http.MethodPatch, "/api/logins/"+url.PathEscape(id), change)
}

// RevokeToken ends a token, with the logins created by it.
func (c *Client) RevokeToken(ctx context.Context, id string) (auth.Credential, error) {
	return do[auth.Credential](ctx, c, http.MethodDelete, "/api/tokens/"+url.PathEscape(id), nil)
}

// RevokeLogin ends a login.
func (c *Client) RevokeLogin(ctx context.Context, id string) (auth.Credential, error) {
	return do[auth.Credential](ctx, c, http.MethodDelete, "/api/logins/"+url.PathEscape(id), nil)
}

// Link is what logs one person in, once.
type Link struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewLink makes a login link for somebody.
func (c *Client) NewLink(ctx context.Context, a auth.Access) (Link, error) {
	return do[Link](ctx, c, http.MethodPost, "/api/links", a)
}
