package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
)

// ErrNoConsent is returned where a person has to log in (again) before a server is used.
var ErrNoConsent = errors.New("a person has to log in")

// consent is a person's consent to our use of a site. Whoever needs a token renews it where it is kept,
// one after the other: issuers take each renewal once.
type consent struct {
	logins Logins
	name   string
	of     saved // what it has to be for
	http   *http.Client

	mu    sync.Mutex
	known saved // as it was read last
}

// errChanged is returned for what is not written, because somebody else has written meanwhile.
var errChanged = errors.New("the login was changed meanwhile: try again")

// saved is what is kept of it.
type saved struct {
	Site         string           `json:"site"`
	Issuer       string           `json:"issuer"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Token        *oauth2.Token    `json:"token"`
	Scopes       string           `json:"scopes,omitempty"` // that the next login is to ask for as well

	raw []byte // as it was read
}

// token is one that holds, and is not the one that the site has refused. Whoever does not wait for it
// any more does not end what gets it: an issuer that was asked has used up the last one.
func (c *consent) token(ctx context.Context, refused string) (*oauth2.Token, error) {
	c.mu.Lock()
	known := c.known.Token
	c.mu.Unlock()
	if holds(known, refused) {
		return known, nil
	}
	type result struct {
		token *oauth2.Token
		err   error
	}
	got := make(chan result, 1)
	go func() {
		token, err := c.fresh(refused)
		got <- result{token, err}
	}()
	select {
	case r := <-got:
		return r.token, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func holds(token *oauth2.Token, refused string) bool {
	return token.Valid() && token.AccessToken != refused
}

// fresh is the token that is kept, renewed if it has to be.
func (c *consent) fresh(refused string) (*oauth2.Token, error) {
	ctx, stop := context.WithTimeout(context.Background(), 2*authorizeWithin)
	defer stop()
	unlock, err := c.logins.Lock(ctx, c.name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := c.read(ctx)
	if err != nil || holds(s.Token, refused) {
		return s.Token, err
	}
	err = c.renew(&s)
	if errors.Is(err, errChanged) { // whoever did has a newer one
		if s, failed := c.read(ctx); failed == nil && holds(s.Token, refused) {
			return s.Token, nil
		}
	}
	return s.Token, err
}

// renew gets a new token for an old one, once it is seen that there is a place for it.
func (c *consent) renew(s *saved) error {
	if s.Token.RefreshToken == "" {
		return c.missing("the token is over, and there is none to renew it with")
	}
	ctx, stop := context.WithTimeout(context.WithValue(context.Background(), oauth2.HTTPClient, c.http), authorizeWithin)
	defer stop()
	if err := c.replace(ctx, s); err != nil {
		return err
	}
	config := oauth2.Config{ClientID: s.ClientID, ClientSecret: s.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: s.TokenURL, AuthStyle: s.AuthStyle}}
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: s.Token.RefreshToken}).Token()
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && over(refused.Response.StatusCode) {
		return c.missing("the authorization server does not renew the token: " + withoutEcho(err).Error())
	}
	if err != nil {
		return withoutEcho(err)
	}
	s.Token = token
	c.know(*s)
	keeping, done := context.WithTimeout(context.Background(), authorizeWithin) // the last one is used up
	defer done()
	return c.replace(keeping, s)
}

// over reports whether an answer means that nothing will be given for it later either.
func over(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnauthorized
}

// withoutEcho is an error of an authorization server without its text, which may have what it was
// sent.
func withoutEcho(err error) error {
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is {
		return fmt.Errorf("it answers %d %s", refused.Response.StatusCode, http.StatusText(refused.Response.StatusCode))
	}
	return err
}

func (c *consent) know(s saved) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = s
}

// keep keeps what the issuer has given for a person's consent.
func (c *consent) keep(ctx context.Context, s saved) error {
	unlock, err := c.logins.Lock(ctx, c.name)
	if err != nil {
		return err
	}
	defer unlock()
	s.raw = nil // it takes the place of whatever there is
	return c.replace(ctx, &s)
}

// forget forgets it, once nobody renews it.
func (c *consent) forget(ctx context.Context) error {
	unlock, err := c.logins.Lock(ctx, c.name)
	if err != nil {
		return err
	}
	defer unlock()
	return c.logins.Remove(ctx, c.name)
}

// widen notes scopes that the site wants beside those of the login, as far as there is room. If there
// has been another login since, its token is tried first.
func (c *consent) widen(ctx context.Context, used, scopes string) (again bool, err error) {
	unlock, err := c.logins.Lock(ctx, c.name)
	if err != nil {
		return false, err
	}
	defer unlock()
	s, err := c.read(ctx)
	if err != nil || holds(s.Token, used) {
		return err == nil, err
	}
	all := slices.Concat(strings.Fields(s.Scopes), strings.Fields(scopes))
	slices.Sort(all)
	if more := strings.Join(slices.Compact(all), " "); len(more) <= maxScopes {
		s.Scopes = more
	}
	return false, c.replace(ctx, &s)
}

func (c *consent) read(ctx context.Context) (s saved, err error) {
	raw, err := c.logins.Read(ctx, c.name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, c.missing("nobody has yet")
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil || s.Token == nil {
		return s, c.missing("the last login can't be read")
	}
	if s.Site != c.of.Site || s.Issuer != c.of.Issuer || c.of.ClientID != "" && s.ClientID != c.of.ClientID {
		return s, c.missing(fmt.Sprintf("the last login was for %s at %s", s.Site, s.Issuer))
	}
	if c.of.ClientID != "" {
		s.ClientSecret = c.of.ClientSecret // of the configuration, which may have changed
	}
	s.raw = raw
	c.know(s)
	return s, nil
}

// replace puts s in the place of what it was read as.
func (c *consent) replace(ctx context.Context, s *saved) error {
	raw, err := json.Marshal(*s)
	if err != nil {
		return err
	}
	written, err := c.logins.Write(ctx, c.name, s.raw, raw)
	if err == nil && !written {
		err = errChanged
	}
	if err == nil {
		s.raw = raw
	}
	return err
}

func (c *consent) missing(why string) error {
	return fmt.Errorf("%w, with gateway mcp login %s: %s", ErrNoConsent, c.name, why)
}

// secrets are what is not to be seen of it.
func (c *consent) secrets() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []string{c.known.ClientSecret}
	if c.known.Token != nil {
		all = append(all, c.known.Token.AccessToken, c.known.Token.RefreshToken)
	}
	return all
}
