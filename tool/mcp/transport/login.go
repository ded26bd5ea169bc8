package transport

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
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
// keeps what the issuer gives for it in Logins. show is given the address that the person
// is to open in a browser on this machine, which comes back to a port of ours; 0: any. The site says
// which scopes it wants, and nothing else: all places are those that the issuer has named.
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
	last, _ := a.consent.read(ctx) // the zero value, if it is the first
	scopes, err := s.scopes(ctx, a, meta, last.Scopes)
	if err != nil {
		return err
	}
	config, err := s.client(ctx, a, meta, "http://"+back.Addr().String()+"/callback")
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	config.Scopes = scopes
	verifier, state, resource := oauth2.GenerateVerifier(), rand.Text(), oauth2.SetAuthURLParam("resource", s.URL)
	code, err := answerAt(ctx, back, reply{state, meta}, func() {
		show(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), resource))
	})
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	token, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, a.http), code, oauth2.VerifierOption(verifier), resource)
	if err != nil {
		return fmt.Errorf("oauth: %w", withoutEcho(err))
	}
	return a.consent.keep(ctx, saved{
		Site: s.URL, Issuer: s.OAuth.Issuer, ClientID: config.ClientID, ClientSecret: config.ClientSecret,
		TokenURL: config.Endpoint.TokenURL, AuthStyle: config.Endpoint.AuthStyle, Token: token, Scopes: last.Scopes,
	})
}

// Logout forgets the consent to our use of the site.
func (s Site) Logout() error {
	ctx, stop := context.WithTimeout(context.Background(), 2*authorizeWithin)
	defer stop()
	return s.consent().forget(ctx)
}

func (s Site) consent() *consent {
	c := &consent{logins: s.Logins, name: s.Name}
	if c.logins == nil {
		c.logins = noLogins{}
	}
	return c
}

// client is as whom the issuer knows us: as configured, or as it registers us now (RFC 7591).
func (s Site) client(ctx context.Context, a *authorizer, meta *oauthex.AuthServerMeta, back string) (*oauth2.Config, error) {
	methods := meta.TokenEndpointAuthMethodsSupported
	c := &oauth2.Config{ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret, RedirectURL: back}
	c.Endpoint = oauth2.Endpoint{AuthURL: meta.AuthorizationEndpoint, TokenURL: meta.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams}
	method := "client_secret_post"
	switch {
	case c.ClientID != "" && !slices.Contains(methods, method):
		method = "client_secret_basic" // the default (RFC 8414 section 2)
	case c.ClientID != "":
	case meta.RegistrationEndpoint == "":
		return nil, errors.New("the issuer registers nobody: give a clientId that it knows")
	default:
		wanted := "none"
		if len(methods) > 0 && !slices.Contains(methods, wanted) {
			wanted = methods[0]
		}
		got, err := oauthex.RegisterClient(ctx, meta.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
			ClientName: clientName, RedirectURIs: []string{back}, TokenEndpointAuthMethod: wanted, ApplicationType: "native",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}, a.http)
		if err != nil {
			return nil, err
		}
		c.ClientID, c.ClientSecret, method = got.ClientID, got.ClientSecret, cmp.Or(got.TokenEndpointAuthMethod, "client_secret_basic")
	}
	if method == "client_secret_basic" && c.ClientSecret != "" {
		c.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	return c, nil
}

// scopes are what is asked for: what the site wants, what it has wanted more, and to be able to
// renew it. A site that names other issuers than ours is refused.
func (s Site) scopes(ctx context.Context, a *authorizer, meta *oauthex.AuthServerMeta, more string) ([]string, error) {
	challenge, place, err := s.challenge(ctx)
	if err != nil {
		return nil, err
	}
	scopes := strings.Fields(challenge)
	named, err := s.metadata(ctx, a, place)
	switch {
	case err != nil:
		return nil, err
	case named == nil:
	case !slices.ContainsFunc(named.AuthorizationServers, func(issuer string) bool {
		return strings.TrimSuffix(issuer, "/") == strings.TrimSuffix(s.OAuth.Issuer, "/")
	}):
		return nil, fmt.Errorf("%w: it names %s", errOtherIssuer, strings.Join(named.AuthorizationServers, ", "))
	case len(scopes) == 0:
		scopes = named.ScopesSupported
	}
	scopes = slices.Concat(scopes, strings.Fields(more))
	if slices.Contains(meta.ScopesSupported, "offline_access") {
		scopes = append(scopes, "offline_access")
	}
	slices.Sort(scopes)
	if scopes = slices.Compact(scopes); len(strings.Join(scopes, " ")) > maxScopes {
		return nil, errors.New("the server wants too many scopes")
	}
	return scopes, nil
}

// maxScopes is how long the list of scopes may be, in bytes: it is part of an address.
const maxScopes = 4 << 10

// challenge makes a request without a token. The site's answer may say which scopes it wants, and
// where it says more of itself.
func (s Site) challenge(ctx context.Context) (scopes, place string, err error) {
	ctx, stop := context.WithTimeout(ctx, authorizeWithin)
	defer stop()
	const first = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"` + clientName + `","version":"1"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(first))
	if err != nil {
		return "", "", err
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	client := http.Client{Transport: s.Base, CheckRedirect: func(*http.Request, []*http.Request) error { return errElsewhere }}
	resp, err := client.Do(req)
	if err != nil {
		return "", "", err
	}
	_ = resp.Body.Close() // only its head is of interest
	said, err := oauthex.ParseWWWAuthenticate(resp.Header["Www-Authenticate"])
	for _, one := range said {
		if one.Scheme == "bearer" {
			scopes, place = one.Params["scope"], one.Params["resource_metadata"]
		}
	}
	return scopes, place, err
}

// metadata is what the site says of itself (RFC 9728), at the place that it has named or at the usual
// ones; nil: nothing.
func (s Site) metadata(ctx context.Context, a *authorizer, place string) (*oauthex.ProtectedResourceMetadata, error) {
	const usual = "/.well-known/oauth-protected-resource"
	root := (&url.URL{Scheme: a.site.Scheme, Host: a.site.Host}).String()
	for _, at := range []struct{ place, resource string }{{place, s.URL}, {root + usual + a.site.Path, s.URL}, {root + usual, root}} {
		if at.place == "" {
			continue
		}
		named, err := oauthex.GetProtectedResourceMetadata(ctx, at.place, at.resource, a.http)
		if err == nil && named != nil {
			return named, nil
		}
		if at.place == place {
			return nil, fmt.Errorf("what the server says of itself can't be used: %w", err)
		}
	}
	return nil, nil
}

// reply is what the browser has to come back with.
type reply struct {
	state string
	meta  *oauthex.AuthServerMeta
}

// code is the code in what it has come back with. It has to be of the issuer, if that is said
// (RFC 9207).
func (a reply) code(q url.Values) (string, error) {
	if why := q.Get("error"); why != "" {
		return "", fmt.Errorf("the issuer says %q: %s", why, q.Get("error_description"))
	}
	issuer := q.Get("iss")
	if issuer != a.meta.Issuer && (issuer != "" || a.meta.AuthorizationResponseIssParameterSupported) {
		return "", fmt.Errorf("the answer is of %q, and not of the issuer %q", issuer, a.meta.Issuer)
	}
	return q.Get("code"), nil
}

// answerAt shows the address, and waits for the browser to come back from there.
func answerAt(ctx context.Context, back net.Listener, a reply, show func()) (code string, err error) {
	got := make(chan url.Values, 1)
	server := http.Server{ReadHeaderTimeout: authorizeWithin, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || q.Get("state") != a.state { // of another login, or a page that tries its luck
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "The terminal says what came of it. This page can be closed.")
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
	show()
	select {
	case q := <-got:
		return a.code(q)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
