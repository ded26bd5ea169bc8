package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// OAuth is how we are known to the authorization server of a site: as a client with a
// secret of its own, for which nobody has to consent (client credentials), or by a
// person's login there (authorization code).
type OAuth struct {
	Issuer       string // the authorization server; the secret goes to no other
	ClientID     string // empty: the issuer registers us at each login
	ClientSecret string
	Login        bool // a person logs in, see Site.Login
}

const (
	authorizeWithin = 30 * time.Second
	maxAuthorize    = 1 << 20 // bytes of an answer
)

var errOtherIssuer = errors.New("oauth: the server names a place that is neither its own nor the issuer's, where nothing is sent")

// authorizer has the tokens for a site, for requests side by side. Those of client
// credentials are in memory alone, and end with the connection.
type authorizer struct {
	site, issuer *url.URL
	base         http.RoundTripper
	http         *http.Client // by which tokens are asked for
	library      *extauth.ClientCredentialsHandler
	consent      *consent      // of a person; nil: client credentials
	turn         chan struct{} // has room for the one that asks for a token

	mu     sync.Mutex
	source oauth2.TokenSource
	tokens []string // that were used, to be kept out of texts
}

func newAuthorizer(s Site, target *url.URL) (*authorizer, error) {
	issuer, err := url.Parse(s.OAuth.Issuer)
	if err != nil {
		return nil, err
	}
	a := &authorizer{site: target, issuer: issuer, base: s.Base, turn: make(chan struct{}, 1)}
	a.http = &http.Client{Transport: a, Timeout: authorizeWithin, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errElsewhere
	}}
	if s.OAuth.Login {
		a.consent = s.consent()
		a.consent.http, a.consent.of = a.http, saved{Site: s.URL, Issuer: s.OAuth.Issuer, ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret}
		return a, nil
	}
	a.library, err = extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID: s.OAuth.ClientID, Issuer: s.OAuth.Issuer, ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: s.OAuth.ClientSecret},
		},
		HTTPClient: a.http,
	})
	return a, err
}

// TokenSource implements auth.OAuthHandler. The source is for what ctx is for.
func (a *authorizer) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.source == nil && a.consent == nil {
		return nil, nil
	}
	return source{ctx, a}, nil
}

// source gets tokens while its ctx lasts.
type source struct {
	ctx context.Context
	*authorizer
}

// Token implements oauth2.TokenSource.
func (s source) Token() (*oauth2.Token, error) { return s.token(s.ctx) }

// put puts the token into a request, if there is one yet.
func (a *authorizer) put(r *http.Request) error {
	source, err := a.TokenSource(r.Context())
	if err != nil || source == nil {
		return err
	}
	token, err := source.Token()
	if err != nil {
		return err
	}
	token.SetAuthHeader(r)
	return nil
}

// token is the one to use now.
func (a *authorizer) token(ctx context.Context) (token *oauth2.Token, err error) {
	if a.consent != nil {
		token, err = a.consent.token(ctx, "")
	} else {
		a.mu.Lock()
		source := a.source
		a.mu.Unlock()
		token, err = source.Token()
	}
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.tokens); n == 0 || a.tokens[n-1] != token.AccessToken {
		a.tokens = append(a.tokens[max(0, n-9):], token.AccessToken)
	}
	return token, nil
}

// Authorize implements auth.OAuthHandler. A request that was refused with an older
// token is tried with the newer one first.
func (a *authorizer) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		resp.Body.Close()
		return ctx.Err()
	}
	used := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if a.isNewer(used) {
		return resp.Body.Close()
	}
	if a.consent != nil {
		return a.renew(ctx, resp, used)
	}
	// The library keeps this ctx for later tokens.
	if err := a.library.Authorize(context.WithoutCancel(ctx), req, resp); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	source, err := a.library.TokenSource(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.source = source
	a.mu.Unlock()
	_, err = a.token(ctx)
	return err
}

// renew gets another token than the one that the site has refused.
func (a *authorizer) renew(ctx context.Context, resp *http.Response, used string) error {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusForbidden {
		return a.more(ctx, resp, used)
	}
	if _, err := a.consent.token(ctx, used); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	_, err := a.token(ctx)
	return err
}

// more has the next login ask for what the site wants beside what it was given.
func (a *authorizer) more(ctx context.Context, resp *http.Response, used string) error {
	said, err := oauthex.ParseWWWAuthenticate(resp.Header["Www-Authenticate"])
	i := slices.IndexFunc(said, func(c oauthex.Challenge) bool { return c.Params["error"] == "insufficient_scope" })
	if err != nil || i < 0 {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 500)) // what has come of it
		return fmt.Errorf("%d %s: %s", resp.StatusCode, http.StatusText(resp.StatusCode), strings.TrimSpace(strings.ToValidUTF8(string(why), "")))
	}
	if again, err := a.consent.widen(ctx, used, said[i].Params["scope"]); err != nil || again {
		return err
	}
	return fmt.Errorf("oauth: %w", a.consent.missing("the server wants to be allowed more than the last login allows"))
}

// isNewer reports whether there is a token by now that is not the one that was used.
func (a *authorizer) isNewer(used string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.tokens)
	return n > 0 && a.tokens[n-1] != used
}

// secrets are the tokens so far.
func (a *authorizer) secrets() secrets {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Clone(a.tokens)
	if a.consent != nil {
		all = append(all, a.consent.secrets()...)
	}
	return newSecrets(all...)
}

// RoundTrip implements http.RoundTripper for what the library asks for a token: the
// server and the issuer alone are asked, and the secret goes only where the issuer,
// whose word is checked by the library, has its tokens.
func (a *authorizer) RoundTrip(req *http.Request) (*http.Response, error) {
	known := sameSite(req.URL, a.site) || sameSite(req.URL, a.issuer)
	if !known && (req.Method != http.MethodPost || req.URL.Scheme != "https") {
		return nil, fmt.Errorf("%w: %s", errOtherIssuer, site(req.URL))
	}
	resp, err := a.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAuthorize), resp.Body}
	return resp, nil
}
