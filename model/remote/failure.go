package remote

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lineclear/lineclear/model"
)

// maxDetail is how much of a server's words an error has, in bytes.
const maxDetail = 500

// clean is a server's words on one line, cut, and without secrets.
func (o Options) clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	secrets := []string{o.Key}
	for _, value := range o.Headers {
		if len(value) >= 8 { // shorter ones are words, such as true
			secrets = append(secrets, value)
		}
	}
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	if len(text) <= maxDetail {
		return text
	}
	cut := maxDetail - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// connectionError says why a server was not reached. It leaves out the address,
// which the error of net/http contains.
func connectionError(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// statusError is the failure of a response whose status is not 200.
func statusError(res *http.Response) error {
	raw, _ := io.ReadAll(res.Body) // what could be read is enough
	c := readComplaint(raw)
	if c.words == "" {
		c.words = strconv.Itoa(res.StatusCode) + " " + http.StatusText(res.StatusCode)
	}
	e := &model.Error{Kind: kindOf(res.StatusCode, c), Detail: c.words}
	if res.StatusCode < 400 {
		e.Kind = model.Rejected // a redirect, or an answer to something else
	}
	if e.Kind == model.RateLimited {
		e.After = retryAfter(res.Header)
	}
	return e
}

// StreamError is the failure of an error object inside an answer.
func StreamError(raw []byte) error {
	c := readComplaint(raw)
	return &model.Error{Kind: kindOf(c.statusOf(), c), Detail: c.words}
}

// kindOf finds the kind of a failure by its status and its words.
func kindOf(status int, c complaint) model.Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return model.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.Denied
	case status == http.StatusRequestEntityTooLarge, c.says(
		"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "prompt is too long",
		"maximum context length", "context window", "context length", "context size", "context limit", "input is too long",
		"exceeds the maximum number of tokens", "too many tokens", "request_too_large"):
		return model.TooLong
	case status == http.StatusPaymentRequired, c.says("quota", "insufficient credits", "credit balance", "spend limit", "billing_error"):
		return model.RateLimited
	case c.says("invalid_api_key", "invalid api key", "api key not valid", "incorrect api key"):
		return model.Denied
	case status == http.StatusRequestTimeout, status >= 500:
		return model.Unavailable
	case status >= 400:
		return model.Rejected
	}
	return model.Broken
}

// retryAfter is how long a server says to wait; 0: it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return durationOf(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return durationOf(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// durationOf is n units as a duration, at most the longest one.
func durationOf(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	if n > float64(math.MaxInt64/int64(unit)) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(unit))
}
