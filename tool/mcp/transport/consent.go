package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"github.com/lineclear/lineclear/internal/paths"
)

// ErrNoConsent is returned where a person has to log in (again) before a server is used.
var ErrNoConsent = errors.New("a person has to log in")

// consent is a person's consent to our use of a site, in a file for its owner alone. Whoever
// needs a token renews it there, one after the other: issuers take each renewal once.
type consent struct {
	file string
	of   saved // what it has to be for
	http *http.Client

	mu    sync.Mutex
	known saved // as it was read last
}

// saved is what the file has.
type saved struct {
	Site         string           `json:"site"`
	Issuer       string           `json:"issuer"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	TokenURL     string           `json:"tokenUrl"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Token        *oauth2.Token    `json:"token"`
	Scopes       string           `json:"scopes,omitempty"` // that the next login is to ask for as well
}

// Token implements oauth2.TokenSource.
func (c *consent) Token() (*oauth2.Token, error) {
	ctx, stop := context.WithTimeout(context.Background(), authorizeWithin)
	defer stop()
	return c.token(ctx, "")
}

// token is one that holds, and is not the one that the site has refused.
func (c *consent) token(ctx context.Context, refused string) (*oauth2.Token, error) {
	good := func(s saved) bool { return s.Token.Valid() && s.Token.AccessToken != refused }
	c.mu.Lock()
	known := c.known
	c.mu.Unlock()
	if good(known) {
		return known.Token, nil
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := c.read()
	if err != nil {
		return nil, err
	}
	if !good(s) {
		if s, err = c.renew(ctx, s); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	c.known = s
	c.mu.Unlock()
	return s.Token, nil
}

// renew gets a new token for an old one.
func (c *consent) renew(ctx context.Context, s saved) (saved, error) {
	if s.Token.RefreshToken == "" {
		return s, c.missing("the token is over, and there is none to renew it with")
	}
	config := oauth2.Config{ClientID: s.ClientID, ClientSecret: s.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: s.TokenURL, AuthStyle: s.AuthStyle}}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, c.http)
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: s.Token.RefreshToken}).Token()
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && refused.Response.StatusCode < http.StatusInternalServerError {
		return s, c.missing("the authorization server does not renew the token: " + refused.Response.Status)
	}
	if err != nil {
		return s, err
	}
	s.Token = token
	return s, c.write(s)
}

// keep keeps what the issuer has given for a person's consent.
func (c *consent) keep(ctx context.Context, s saved) error {
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return c.write(s)
}

// widen notes scopes that the site wants beside those of the login.
func (c *consent) widen(ctx context.Context, scopes string) error {
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := c.read()
	if err != nil {
		return err
	}
	all := slices.Concat(strings.Fields(s.Scopes), strings.Fields(scopes))
	slices.Sort(all)
	s.Scopes = strings.Join(slices.Compact(all), " ")
	return c.write(s)
}

func (c *consent) read() (s saved, err error) {
	info, err := os.Stat(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, c.missing("nobody has yet")
	}
	if err != nil {
		return s, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return s, fmt.Errorf("%s is open to other users: chmod go-rwx it", c.file)
	}
	raw, err := os.ReadFile(c.file)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(raw, &s); err != nil || s.Token == nil {
		return s, c.missing(c.file + " can't be read")
	}
	if s.Site != c.of.Site || s.Issuer != c.of.Issuer || c.of.ClientID != "" && s.ClientID != c.of.ClientID {
		return s, c.missing(fmt.Sprintf("the last login was for %s at %s", s.Site, s.Issuer))
	}
	return s, nil
}

func (c *consent) write(s saved) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return paths.Write(c.file, raw, 0o600)
}

// lock keeps all others from the file, in this process and in others.
func (c *consent) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(c.file+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // which gives it free
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		}
	}
}

func (c *consent) missing(why string) error {
	return fmt.Errorf("%w, with gateway mcp login %s: %s", ErrNoConsent, strings.TrimSuffix(filepath.Base(c.file), ".json"), why)
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
