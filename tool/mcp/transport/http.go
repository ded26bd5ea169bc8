package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxReconnects is how often a stream that has broken is opened again before
	// the connection counts as broken.
	maxReconnects = 3
	maxErrorBody  = 64 << 10 // bytes of an answer that is an error
)

var errElsewhere = errors.New("it leads to another place, where nothing is sent")

// Site is a server on streamable HTTP.
type Site struct {
	URL     string
	Headers map[string]string // sent with every request to it
	OAuth   *OAuth            // how it is asked for a token; nil: it isn't
	Name    string            // under which a person's login is kept, if OAuth wants one
	Logins  Logins            // where that is; nil: nowhere
	Base    http.RoundTripper // carries the requests
}

// streamable carries the messages of a site. It is the http.RoundTripper of the
// library's transport.
type streamable struct {
	*endpoint
	library mcp.StreamableClientTransport
	base    http.RoundTripper
	target  *url.URL
	headers map[string]string
	secrets secrets
	tokens  *authorizer // nil: without OAuth

	conn mcp.Connection
	raw  *rawSite // messages pass as they were written, instead of by conn
}

// NewHTTP makes the transport of a site. The log is told what is left out of what
// the site says, with its level.
func NewHTTP(s Site, log func(level, text string)) *Transport {
	target, err := url.Parse(s.URL)
	if err != nil {
		target = &url.URL{} // to which nothing can be sent
	}
	w := &streamable{base: s.Base, target: target, headers: s.Headers, secrets: secretsOfSite(target, s.Headers)}
	w.endpoint = newEndpoint(site(target), w.hideAll, log)
	w.library = mcp.StreamableClientTransport{
		Endpoint: s.URL, MaxRetries: maxReconnects, MaxEventSize: maxMessage * 2,
		HTTPClient: &http.Client{Transport: w},
	}
	if s.OAuth != nil {
		w.secrets = newSecrets(append(w.secrets, s.OAuth.ClientSecret, url.QueryEscape(s.OAuth.ClientSecret))...)
		if w.tokens, err = newAuthorizer(s, target); err == nil {
			w.library.OAuthHandler = w.tokens
		} // otherwise the site refuses what comes without a token
	}
	return &Transport{carrier: w, endpoint: w.endpoint}
}

// Connect implements mcp.Transport. It remembers the connection, because the
// library does not close it in each case in which a start fails.
func (w *streamable) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := w.library.Connect(ctx)
	w.conn = conn
	return conn, err
}

// own reports whether a URL is one of the server's own scheme and host.
func (w *streamable) own(u *url.URL) bool { return sameSite(u, w.target) }

func sameSite(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// RoundTrip implements http.RoundTripper. It is asked for each step of a
// redirect too. What was approved for a server is not carried on to another
// place, and no answer is taken from there.
func (w *streamable) RoundTrip(req *http.Request) (*http.Response, error) {
	if !w.own(req.URL) {
		return nil, fmt.Errorf("%w: %s", errElsewhere, site(req.URL))
	}
	if w.raw == nil {
		defer w.replied(req)
	}
	ctx, cancel := context.WithCancel(req.Context())
	go func() {
		defer cancel()
		select {
		case <-w.done:
		case <-ctx.Done(): // at the latest when the body is closed
		}
	}()
	sent := req.Clone(ctx)
	for name, value := range w.headers {
		sent.Header.Set(name, value)
	}
	first := deliveryOf(req).isFirst()
	resp, err := w.base.RoundTrip(sent)
	if err != nil {
		cancel()
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound && req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" {
		// In this order: whoever sees the second may end the call.
		if first && isCall(req) && isRefusal(resp) {
			deliveryOf(req).refused.Store(true)
		}
		w.lose(ErrForgotten)
	}
	resp.Body = &body{Reader: w.reader(resp), inner: resp.Body, cancel: cancel}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// replied counts an answer of ours to a request of the server's.
func (w *streamable) replied(req *http.Request) {
	if req.Method != http.MethodPost || !w.limiter.waits() {
		return
	}
	if m, err := messageOf(req); err == nil {
		w.limiter.answered(m)
	}
}

// reader bounds a body, and keeps the texts of what is in it.
func (w *streamable) reader(resp *http.Response) io.Reader {
	switch kind := kindOf(resp); {
	case resp.StatusCode/100 != 2:
		return io.LimitReader(resp.Body, maxErrorBody)
	case w.raw != nil:
		return resp.Body
	case kind == "text/event-stream":
		return &events{in: bufio.NewReader(resp.Body), admit: w.admit}
	default:
		return &whole{in: resp.Body}
	}
}

func kindOf(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// Shutdown implements carrier.
func (w *streamable) Shutdown(endSession func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		endSession()
		w.close()
	}()
	late := time.NewTimer(Grace)
	defer late.Stop()
	select {
	case <-over:
	case <-late.C:
	}
	w.Cut()
	w.close() // endSession waits for calls; one that the library has lost track of is ended by this
	<-over
}

func (w *streamable) close() {
	if w.raw != nil {
		w.raw.end()
	}
	if w.conn != nil {
		_ = w.conn.Close() // the second time it does nothing
	}
}

// hideAll also knows the name of the connection, by which it can be used.
func (w *streamable) hideAll(text string) string {
	text = w.secrets.hide(withoutURLs(text))
	if w.tokens != nil {
		text = w.tokens.secrets().hide(text)
	}
	if w.raw != nil {
		text = secrets(longer(minSecret, w.raw.name())).hide(text)
	}
	if w.conn != nil {
		text = secrets(longer(minSecret, w.conn.SessionID())).hide(text)
	}
	return text
}
