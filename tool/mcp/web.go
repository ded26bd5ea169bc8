package mcp

import (
	"context"
	"errors"
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

// web is the way to a server on streamable HTTP.
type web struct {
	mcp.StreamableClientTransport
	target  *url.URL
	headers map[string]string
	base    http.RoundTripper

	conn    mcp.Connection
	unknown atomic.Bool   // the server doesn't know the connection any more
	cutOff  chan struct{} // closed by cut
	gone    atomic.Bool
}

var _ way = (*web)(nil)

// transport is a host's own, or one that is like Go's usual one.
func transport(own http.RoundTripper) http.RoundTripper {
	if own != nil {
		return own
	}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		return usual.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

func newWeb(c Config, base http.RoundTripper) *web {
	target, err := url.Parse(c.URL)
	if err != nil {
		target = &url.URL{} // New has looked at it
	}
	w := &web{target: target, headers: c.Headers, base: base, cutOff: make(chan struct{})}
	w.StreamableClientTransport = mcp.StreamableClientTransport{
		Endpoint: c.URL, MaxRetries: maxReconnects, MaxEventSize: maxMessage * 2,
		HTTPClient: &http.Client{Transport: w, CheckRedirect: w.redirect},
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

// redirect keeps what names the connection, and the server's whole URL, from
// other hosts. Our headers are added below, for each request anew.
func (w *web) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("redirected more than 10 times")
	}
	if !w.own(req.URL) {
		for _, name := range []string{"Referer", "Mcp-Session-Id"} {
			req.Header.Del(name)
		}
	}
	return nil
}

func (w *web) own(u *url.URL) bool {
	return u.Scheme == w.target.Scheme && strings.EqualFold(u.Host, w.target.Host)
}

// RoundTrip implements http.RoundTripper.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
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
	if w.own(req.URL) {
		for name, value := range w.headers {
			sent.Header.Set(name, value)
		}
	}
	resp, err := w.base.RoundTrip(sent)
	if err != nil {
		close(stop)
		return nil, err
	}
	if resp.StatusCode == http.StatusNotFound && req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" {
		w.unknown.Store(true)
	}
	resp.Body = &body{Reader: w.reader(resp), inner: resp.Body, stop: stop}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// reader bounds a body, and keeps the texts of what is in it.
func (w *web) reader(resp *http.Response) io.Reader {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); {
	case resp.StatusCode/100 != 2:
		return io.LimitReader(resp.Body, maxLine*32)
	case kind == "text/event-stream":
		return newEvents(resp.Body)
	default:
		return &whole{in: resp.Body}
	}
}

// cut may be called more than once.
func (w *web) cut() {
	if w.gone.CompareAndSwap(false, true) {
		close(w.cutOff)
	}
}

func (w *web) end(hangUp func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		hangUp()
		if w.conn != nil {
			_ = w.conn.Close() // the second time it does nothing
		}
	}()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-over:
	case <-late.C:
	}
	w.cut()
	<-over
}

func (w *web) where() string { return withoutSecrets(w.Endpoint) }

func (w *web) clean(err error) string {
	return strings.ReplaceAll(plain(err), w.Endpoint, w.where())
}

func (w *web) words() string   { return "" }
func (w *web) lost() bool      { return w.unknown.Load() }
func (w *web) forgotten() bool { return w.unknown.Load() }
