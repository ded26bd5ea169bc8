package remote_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model"
)

// endless is a body that repeats a text, and counts its bytes.
type endless struct {
	status int
	text   string
	read   int
}

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: e.status, Header: http.Header{}, Body: e, Request: r}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text)
	e.read += n
	return n, nil
}

func (e *endless) Close() error { return nil }

var _ io.ReadCloser = (*endless)(nil)

func TestOfAnEndlessAnswerOnlySoMuchIsRead(t *testing.T) {
	for _, c := range []struct {
		body   endless
		kind   model.Kind
		detail string
		most   int
	}{
		{endless{status: http.StatusOK, text: ": " + strings.Repeat("x", 4000) + "\n"}, model.Broken, "model: the answer is larger than 64 MiB", 64 << 20},
		{endless{status: http.StatusInternalServerError, text: "x"}, model.Unavailable, strings.Repeat("x", 497) + "…", 64 << 10},
	} {
		_, err := server(t, &c.body).Generate(t.Context(), "x", nil, &errorAnswer{})
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Detail != c.detail || c.body.read > c.most {
			t.Errorf("%d bytes of %d are read: %v", c.body.read, c.body.status, err)
		}
	}
}
