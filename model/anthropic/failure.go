package anthropic

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
	words string
	names []string
}

// readComplaint reads {"error":{"type","message"}}, which an error's body and an
// error event have alike. Another text is the words.
func readComplaint(raw []byte) complaint {
	var body struct {
		Error struct {
			Type    jsontext.Value `json:"type"`
			Message jsontext.Value `json:"message"`
			Details jsontext.Value `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &body, lenient()) != nil || len(body.Error.Type)+len(body.Error.Message) == 0 {
		return otherComplaint(strings.TrimSpace(string(raw)))
	}
	var c complaint
	c.words, _ = asText(body.Error.Message)
	kind, _ := asText(body.Error.Type)
	var details struct {
		Code jsontext.Value `json:"error_code"`
	}
	if body.Error.Details.Kind() == '{' && json.Unmarshal(body.Error.Details, &details, lenient()) == nil {
		code, _ := asText(details.Code)
		c.names = []string{kind, code}
	} else {
		c.names = []string{kind}
	}
	if c.words == "" {
		c.words = kind
	}
	return c
}

// otherComplaint is what something in between says: a text, {"message":"…"} or
// {"error":"…"}, or a page for people, which is nothing.
func otherComplaint(raw string) complaint {
	var fields map[string]jsontext.Value
	if json.Unmarshal([]byte(raw), &fields, lenient()) == nil {
		for _, name := range []string{"error", "message", "detail"} {
			if text, ok := asText(fields[name]); ok {
				return complaint{words: text}
			}
		}
	}
	if strings.HasPrefix(raw, "<") {
		return complaint{}
	}
	return complaint{words: raw}
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
		"prompt is too long", "input is too long", "context window", "context limit", "context length", "context size", "request_too_large"):
		return model.TooLong
	case status == http.StatusPaymentRequired, c.says("credit balance", "quota", "spend limit", "billing_error"):
		return model.RateLimited
	case status == http.StatusRequestTimeout, status >= 500:
		return model.Unavailable
	case status >= 400:
		return model.Rejected
	}
	return model.Broken
}

// statusOf is the status that an error in the middle of an answer stands for; 0
// where its name says nothing.
func (c complaint) statusOf() int {
	for _, row := range []struct {
		name   string
		status int
	}{
		{"invalid_request_error", http.StatusBadRequest},
		{"authentication_error", http.StatusUnauthorized},
		{"billing_error", http.StatusPaymentRequired},
		{"permission_error", http.StatusForbidden},
		{"not_found_error", http.StatusNotFound},
		{"request_too_large", http.StatusRequestEntityTooLarge},
		{"rate_limit_error", http.StatusTooManyRequests},
		{"api_error", http.StatusInternalServerError},
		{"timeout_error", http.StatusGatewayTimeout},
		{"overloaded_error", http.StatusServiceUnavailable},
	} {
		if slices.Contains(c.names, row.name) {
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
