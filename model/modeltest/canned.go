package modeltest

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

// Canned answers every request with one body, whatever is asked, and keeps the
// newest request. It is an http.RoundTripper.
type Canned struct {
	New    func(remote.Options) (model.Model, error)
	Status int // 0: 200
	Answer string

	Sent string // the newest request's body
	URL  string // where it went
}

// RoundTrip implements http.RoundTripper.
func (c *Canned) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.Sent, c.URL = string(raw), r.URL.String()
	return &http.Response{StatusCode: c.status(), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.Answer)), Request: r}, nil
}

func (c *Canned) status() int { return cmp.Or(c.Status, http.StatusOK) }

// Ask sends a prompt to a model of these options, which is called test-1 unless
// they say otherwise. Nothing is tried again.
func (c *Canned) Ask(t testing.TB, o remote.Options, p model.Prompt) (model.Reply, error) {
	t.Helper()
	if o.Model == "" {
		o.Model = "test-1"
	}
	o.Retries, o.HTTPClient = -1, &http.Client{Transport: c}
	m, err := c.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Generate(t.Context(), p, nil)
}

// Sound fails where what Ask gave for the prompt p is neither a reply nor a
// failure in words, as a server with this status and body may bring about. It
// reports whether it is a reply.
func (c *Canned) Sound(t testing.TB, o remote.Options, p model.Prompt) (reply model.Reply, ok bool) {
	t.Helper()
	reply, err := c.Ask(t, o, p)
	if err != nil {
		var e *model.Error
		if !errors.As(err, &e) || e.Kind == "" || len(e.Detail) > 500 || !utf8.ValidString(e.Detail) ||
			strings.ContainsFunc(e.Detail, unicode.IsControl) || strings.Contains(e.Detail, o.Key) {
			t.Fatalf("%q", err)
		}
		return reply, false
	}
	if c.status() != http.StatusOK || !utf8.ValidString(reply.Text) || len(reply.Kept) > 0 && !reply.Kept.IsValid() {
		t.Fatalf("%d: %+v", c.status(), reply)
	}
	return reply, true
}
