package remote

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// complaint is what a server says about an error: words for people, and codes.
type complaint struct {
	words  string
	more   string // the words of another server behind this one
	names  []string
	status int // given in the body; 0: none
}

// readComplaint reads the forms that servers have for an error:
// {"error":{"message","code","type"}}, a list with one such, {"error":"…"},
// {"message":"…"} and {"detail":"…"}. Any other text counts as words.
func readComplaint(raw []byte) complaint {
	raw = []byte(strings.TrimSpace(string(raw)))
	var fields map[string]tool.JSON
	if json.Unmarshal(raw, &fields, Lenient()) != nil {
		var list []tool.JSON
		if json.Unmarshal(raw, &list, Lenient()) == nil && len(list) > 0 && strictjson.Kind(list[0]) == '{' {
			return readComplaint(list[0])
		}
		if strings.HasPrefix(string(raw), "<") {
			return complaint{} // HTML
		}
		return complaint{words: string(raw)}
	}
	for _, name := range []string{"error", "message", "detail"} {
		if text, ok := Text(fields[name]); ok {
			return complaint{words: text, names: names(fields)}
		}
		var inner map[string]tool.JSON
		if strictjson.Kind(fields[name]) == '{' && json.Unmarshal(fields[name], &inner, Lenient()) == nil {
			return readInner(inner)
		}
	}
	return complaint{words: string(raw)}
}

func readInner(fields map[string]tool.JSON) complaint {
	c := complaint{names: names(fields)}
	c.words, _ = Text(fields["message"])
	if status, err := strconv.Atoi(string(fields["code"])); err == nil {
		c.status = status
	}
	var more struct {
		Code tool.JSON `json:"error_code"`
	}
	if strictjson.Kind(fields["details"]) == '{' && json.Unmarshal(fields["details"], &more, Lenient()) == nil {
		if code, ok := Text(more.Code); ok {
			c.names = append(c.names, code)
		}
	}
	var meta map[string]tool.JSON
	if strictjson.Kind(fields["metadata"]) == '{' && json.Unmarshal(fields["metadata"], &meta, Lenient()) == nil {
		if c.more, _ = Text(meta["raw"]); c.more != "" {
			c.words += ": " + c.more
		}
	}
	if c.words == "" {
		c.words = strings.Join(c.names, " ")
	}
	return c
}

func names(fields map[string]tool.JSON) []string {
	var found []string
	for _, name := range []string{"code", "type", "status"} {
		if text, ok := Text(fields[name]); ok && text != "" {
			found = append(found, strings.ToLower(text))
		}
	}
	return found
}

// Text is the text of a JSON string, and whether it is one.
func Text(v tool.JSON) (string, bool) {
	var text string
	if strictjson.Kind(v) != '"' || json.Unmarshal(v, &text, Lenient()) != nil {
		return "", false
	}
	return text, true
}

// statusOf is the HTTP status that an error inside an answer stands for; 0 if its
// codes are not known.
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
		{http.StatusPaymentRequired, []string{"402", "billing_error"}},
		{http.StatusNotFound, []string{"404", "not_found_error"}},
		{http.StatusRequestEntityTooLarge, []string{"413", "request_too_large"}},
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
