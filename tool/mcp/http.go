package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxReconnects is how often a stream that has broken is opened again before the
// connection counts as broken.
const maxReconnects = 3

var errElsewhere = errors.New("it leads to another place, where nothing is sent")

// web is the way to a server on streamable HTTP.
type web struct {
	mcp.StreamableClientTransport
	target  *url.URL
	headers map[string]string
	secret  secrets
	base    http.RoundTripper
	limiter *limiter

	conn    mcp.Connection
	unknown atomic.Bool   // the server doesn't know the connection any more
	cutOff  chan struct{} // closed by cut
	gone    atomic.Bool
}

var _ transport = (*web)(nil)

// usualHTTP is a host's own, or one that is like Go's usual one.
func usualHTTP(own http.RoundTripper) http.RoundTripper {
	if own != nil {
		return own
	}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		return usual.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

func newWeb(c Config, base http.RoundTripper, v *serverLog) *web {
	target, err := url.Parse(c.URL)
	if err != nil {
		target = &url.URL{} // New has looked at it
	}
	w := &web{target: target, headers: c.Headers, secret: secretsOfWeb(target, c.Headers), base: base, cutOff: make(chan struct{})}
	w.limiter = newLimiter(v, w.cut)
	w.StreamableClientTransport = mcp.StreamableClientTransport{
		Endpoint: c.URL, MaxRetries: maxReconnects, MaxEventSize: maxMessage * 2,
		HTTPClient: &http.Client{Transport: w},
	}
	return w
}

// Connect implements mcp.Transport. It remembers the connection, because the
// library does not close it in each case in which a start fails.
func (w *web) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := w.StreamableClientTransport.Connect(ctx)
	w.conn = conn
	return conn, err
}

// own reports whether a URL is one of the server's own scheme and host.
func (w *web) own(u *url.URL) bool {
	return u.Scheme == w.target.Scheme && strings.EqualFold(u.Hostname(), w.target.Hostname()) && port(u) == port(w.target)
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
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if !w.own(req.URL) {
		return nil, fmt.Errorf("%w: %s", errElsewhere, site(req.URL))
	}
	defer w.replied(req)
	ctx, cancel := context.WithCancel(req.Context())
	stop := make(chan struct{})
	go func() {
		defer cancel()
		select {
		case <-w.cutOff:
		case <-stop:
		case <-ctx.Done():
		}
	}()
	sent := req.Clone(ctx)
	for name, value := range w.headers {
		sent.Header.Set(name, value)
	}
	first := isFirstPost(req)
	resp, err := w.base.RoundTrip(sent)
	if err != nil {
		close(stop)
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound && req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" {
		// In this order: whoever sees the second may end the call.
		if first && isCall(req) && isRefusal(resp) {
			inflightOf(req.Context()).refused.Store(true)
		}
		w.unknown.Store(true)
	}
	resp.Body = &body{Reader: w.reader(resp), inner: resp.Body, stop: stop}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// replied counts an answer of ours to a request of the server's.
func (w *web) replied(req *http.Request) {
	if req.Method != http.MethodPost || !w.limiter.waits() {
		return
	}
	if m, err := messageOf(req); err == nil {
		w.limiter.answered(m)
	}
}

// reader bounds a body, and keeps the texts of what is in it.
func (w *web) reader(resp *http.Response) io.Reader {
	switch kind := kindOf(resp); {
	case resp.StatusCode/100 != 2:
		return io.LimitReader(resp.Body, maxLine*32)
	case kind == "text/event-stream":
		return newEvents(resp.Body, w.limiter)
	default:
		return &whole{in: resp.Body}
	}
}

func kindOf(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// cut may be called more than once.
func (w *web) cut() {
	if w.gone.CompareAndSwap(false, true) {
		close(w.cutOff)
	}
}

func (w *web) shutdown(closeSession func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		closeSession()
		w.close()
	}()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-over:
	case <-late.C:
	}
	w.cut()
	w.close() // closeSession waits for calls; one that the library has lost track of is ended by this
	<-over
}

func (w *web) close() {
	if w.conn != nil {
		_ = w.conn.Close() // the second time it does nothing
	}
}

// hide also knows the name of the connection, by which it can be used.
func (w *web) hide(text string) string {
	text = w.secret.hide(withoutURLs(text))
	if w.conn != nil {
		text = secrets(longer(minSecret, w.conn.SessionID())).hide(text)
	}
	return text
}

func (w *web) where() string          { return site(w.target) }
func (w *web) clean(err error) string { return oneLine(w.hide(plain(err)), maxLine) }
func (w *web) words() string          { return "" }
func (w *web) lost() bool             { return w.unknown.Load() || w.fault() != "" }
func (w *web) forgotten() bool        { return w.unknown.Load() }
func (w *web) fault() string          { return w.limiter.why() }
func (w *web) done() <-chan struct{}  { return w.cutOff }
