package modeltest

import (
	"io"
	"net/http"
	"strings"
	"testing"

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
	status := c.Status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(c.Answer)), Request: r}, nil
}

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
