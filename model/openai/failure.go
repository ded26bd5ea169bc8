package openai

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
)

// maxDetail is how much of a server's words an error has, in bytes.
const maxDetail = 500

// failure is what Generate returns for an error of the exchange.
func (m *Model) failure(ctx, watched context.Context, a *answer, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(context.Cause(watched), errSilent) {
		err = &model.Error{Kind: model.Unavailable, Detail: "nothing has arrived for " + m.options.Timeout.String(), Err: errSilent}
		if a.begun {
			err.(*model.Error).Kind = model.Broken
		}
	}
	var told *model.Error
	if !errors.As(err, &told) {
		return err
	}
	told.Provider = provider
	told.Detail = m.clean(told.Detail)
	return told
}

// clean is a server's words on one line, cut, without anything that is secret.
func (m *Model) clean(text string) string {
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
	secrets := []string{m.options.Key}
	for _, value := range m.options.Headers {
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

// broken is the failure of an answer that is none.
func broken(detail string, err error) error {
	return &model.Error{Kind: model.Broken, Detail: detail, Err: err}
}

// unreached says why a server was not reached, without its address, which the
// error of net/http has.
func unreached(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// refused is the failure that an answer with another status than 200 tells.
func refused(res *http.Response) error {
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
		e.After = after(res.Header)
	}
	return e
}

// complaint is what a server says of an error: in words, and by names.
type complaint struct {
	words  string
	more   string // what a server behind this one has said
	names  []string
	status int // that the body itself gives
}

// readComplaint reads the forms that servers have for an error:
// {"error":{"message","code","type"}}, a list with one such, {"error":"…"},
// {"message":"…"} and {"detail":"…"}. Another text is the words.
func readComplaint(raw []byte) complaint {
	raw = []byte(strings.TrimSpace(string(raw)))
	var fields map[string]jsontext.Value
	if json.Unmarshal(raw, &fields, lenient()) != nil {
		var list []jsontext.Value
		if json.Unmarshal(raw, &list, lenient()) == nil && len(list) > 0 && list[0].Kind() == '{' {
			return readComplaint(list[0])
		}
		if strings.HasPrefix(string(raw), "<") {
			return complaint{} // a page for people
		}
		return complaint{words: string(raw)}
	}
	for _, name := range []string{"error", "message", "detail"} {
		if text, ok := asText(fields[name]); ok {
			return complaint{words: text, names: names(fields)}
		}
		var inner map[string]jsontext.Value
		if fields[name].Kind() == '{' && json.Unmarshal(fields[name], &inner, lenient()) == nil {
			return readInner(inner)
		}
	}
	return complaint{words: string(raw)}
}

func readInner(fields map[string]jsontext.Value) complaint {
	c := complaint{names: names(fields)}
	c.words, _ = asText(fields["message"])
	if status, err := strconv.Atoi(string(fields["code"])); err == nil {
		c.status = status
	}
	var meta map[string]jsontext.Value
	if fields["metadata"].Kind() == '{' && json.Unmarshal(fields["metadata"], &meta, lenient()) == nil {
		if c.more, _ = asText(meta["raw"]); c.more != "" {
			c.words += ": " + c.more
		}
	}
	if c.words == "" {
		c.words = strings.Join(c.names, " ")
	}
	return c
}

func names(fields map[string]jsontext.Value) []string {
	var found []string
	for _, name := range []string{"code", "type", "status"} {
		if text, ok := asText(fields[name]); ok && text != "" {
			found = append(found, strings.ToLower(text))
		}
	}
	return found
}

func asText(v jsontext.Value) (string, bool) {
	var text string
	if v.Kind() != '"' || json.Unmarshal(v, &text, lenient()) != nil {
		return "", false
	}
	return text, true
}

// kindOf tells failures apart by their status and by what is said.
func kindOf(status int, c complaint) model.Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return model.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.Denied
	case status == http.StatusRequestEntityTooLarge, c.says(
		"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "prompt is too long",
		"maximum context length", "context window", "context length", "context size", "context limit", "input is too long",
		"exceeds the maximum number of tokens", "too many tokens"):
		return model.TooLong
	case status == http.StatusPaymentRequired, c.says("insufficient_quota", "quota", "insufficient credits", "credit balance"):
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

// statusOf is the status that an error in the middle of an answer stands for; 0
// where its names say nothing.
func (c complaint) statusOf() int {
	if c.status >= 400 && c.status < 600 {
		return c.status
	}
	for _, row := range []struct {
		status int
		names  []string
	}{
		{http.StatusTooManyRequests, []string{"429", "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "resource_exhausted"}},
		{http.StatusUnauthorized, []string{"401", "authentication_error", "invalid_api_key", "unauthenticated"}},
		{http.StatusForbidden, []string{"403", "permission_error", "permission_denied"}},
		{http.StatusBadRequest, []string{"400", "invalid_request_error", "invalid_argument"}},
		{http.StatusServiceUnavailable, []string{"500", "502", "503", "529", "server_error", "api_error", "internal_error", "overloaded_error", "timeout_error", "unavailable"}},
	} {
		if slices.ContainsFunc(c.names, func(name string) bool { return slices.Contains(row.names, name) }) {
			return row.status
		}
	}
	return 0
}

// says reports whether the words or the names have one of the phrases.
func (c complaint) says(phrases ...string) bool {
	all := strings.ToLower(c.words) + "\n" + strings.Join(c.names, "\n")
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(all, p) })
}

// after is when a server says to come again, from now; 0: it does not say.
func after(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return length(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return length(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// length is a number of units, within what a duration can hold.
func length(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	if n > float64(math.MaxInt64/int64(unit)) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(unit))
}
