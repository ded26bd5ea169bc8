package transport

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// clientName is shown by issuers to whoever is to consent.
const clientName = "Lineclear"

// Login asks a person for consent to our use of the site (RFC 6749 section 4.1, with PKCE), and
// keeps what the issuer gives for it in the site's file. show is given the address that the person
// is to open in a browser on this machine, which comes back to a port of ours; 0: any.
func (s Site) Login(ctx context.Context, port int, show func(address string)) error {
	target, err := url.Parse(s.URL)
	if err != nil {
		return err
	}
	a, err := newAuthorizer(s, target)
	if err != nil {
		return err
	}
	back, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	defer back.Close()
	meta, err := auth.GetAuthServerMetadata(ctx, s.OAuth.Issuer, a.http)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if meta == nil {
		return fmt.Errorf("oauth: %s says nothing of itself (RFC 8414)", s.OAuth.Issuer)
	}
	last, _ := a.consent.read() // the zero value, if it is the first
	config := auth.AuthorizationCodeHandlerConfig{
		ScopeFilter: func(named []string) []string {
			all := slices.Concat(named, strings.Fields(last.Scopes))
			slices.Sort(all)
			return slices.Compact(all)
		},
		RedirectURL: "http://" + back.Addr().String() + "/callback", Client: a.http, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if err := leadsTo(args.URL, meta.AuthorizationEndpoint); err != nil {
				return nil, err
			}
			return answerAt(ctx, back, args.URL, show)
		},
		NewTokenSource: func(_ context.Context, made *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got := a.consent.of
			got.Scopes = last.Scopes
			got.ClientID, got.ClientSecret, got.TokenURL, got.AuthStyle, got.Token = made.ClientID, made.ClientSecret, made.Endpoint.TokenURL, made.Endpoint.AuthStyle, token
			return oauth2.StaticTokenSource(token), a.consent.keep(ctx, got)
		},
	}
	if s.OAuth.ClientID == "" {
		method := "none"
		if known := meta.TokenEndpointAuthMethodsSupported; len(known) > 0 && !slices.Contains(known, method) {
			method = known[0]
		}
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: clientName, RedirectURIs: []string{config.RedirectURL}, TokenEndpointAuthMethod: method,
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	} else {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: s.OAuth.ClientID, Issuer: s.OAuth.Issuer}
		if s.OAuth.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.OAuth.ClientSecret}
		}
	}
	library, err := auth.NewAuthorizationCodeHandler(&config)
	if err != nil {
		return err
	}
	req, resp, err := s.asked(ctx)
	if err != nil {
		return err
	}
	if err := library.Authorize(ctx, req, resp); err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	return nil
}

// Logout forgets the consent to our use of the site.
func (s Site) Logout() error { return os.Remove(s.Consent) }

// asked is a request without a token, and the site's answer, which may say how to get one.
func (s Site) asked(ctx context.Context) (*http.Request, *http.Response, error) {
	const first = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"` + clientName + `","version":"1"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(first))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	client := http.Client{Transport: s.Base, CheckRedirect: func(*http.Request, []*http.Request) error { return errElsewhere }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	resp.StatusCode = http.StatusUnauthorized // some want a token only later
	return req, resp, nil
}

// leadsTo refuses an address that is not the issuer's page for consent.
func leadsTo(address, page string) error {
	a, err := url.Parse(address)
	if err != nil {
		return err
	}
	b, err := url.Parse(page)
	if err != nil || !sameSite(a, b) || a.Path != b.Path {
		return fmt.Errorf("%w: %s", errOtherIssuer, site(a))
	}
	return nil
}

// answerAt shows the address, and waits for the browser to come back from there.
func answerAt(ctx context.Context, back net.Listener, address string, show func(address string)) (*auth.AuthorizationResult, error) {
	there, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	got := make(chan url.Values, 1)
	server := http.Server{ReadHeaderTimeout: authorizeWithin, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || q.Get("state") != there.Query().Get("state") { // of another login, or a page that tries its luck
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if q.Get("error") != "" {
			fmt.Fprintln(w, "There was no consent. The terminal says more; this page can be closed.")
		} else {
			fmt.Fprintln(w, "Thank you. The terminal says what came of it; this page can be closed.")
		}
		select {
		case got <- q:
		default:
		}
	})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = server.Serve(back) // ends with Shutdown
	}()
	defer func() {
		soon, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		_ = server.Shutdown(soon) // once the page has come
		_ = server.Close()
		<-over
	}()
	show(address)
	select {
	case q := <-got:
		if why := q.Get("error"); why != "" {
			return nil, fmt.Errorf("the issuer says %q: %s", why, q.Get("error_description"))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
