package anthropic

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
)

// check fills in what is left out, and returns the address that requests go to.
func (o *Options) check() (*url.URL, error) {
	if strings.TrimSpace(o.Model) == "" {
		return nil, fmt.Errorf("anthropic: model: missing")
	}
	if o.MaxTokens < 0 {
		return nil, fmt.Errorf("anthropic: max tokens: want none or more, not %d", o.MaxTokens)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("anthropic: timeout: want a duration, not %s", o.Timeout)
	}
	if hasControl(o.Key) {
		return nil, fmt.Errorf("anthropic: key: has a line break or another control character")
	}
	for name, value := range o.Headers {
		if name == "" || strings.ContainsAny(name, " :") || hasControl(name) || hasControl(value) {
			return nil, fmt.Errorf("anthropic: headers: %q is not one", name)
		}
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	switch {
	case o.Retries == 0:
		o.Retries = defaultRetries
	case o.Retries < 0:
		o.Retries = 0
	}
	return baseURL(o.BaseURL)
}

func baseURL(text string) (*url.URL, error) {
	if text == "" {
		text = defaultBaseURL
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("anthropic: base URL: want http:// or https:// and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("anthropic: base URL: want no login, no ? and no #; a key has its own option")
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// readParameters reads what is merged into requests. What a prompt says can't
// be said by it.
func readParameters(v jsontext.Value) (map[string]jsontext.Value, error) {
	if len(v) == 0 {
		return nil, nil
	}
	object, err := strictjson.Object(v)
	if err != nil {
		return nil, fmt.Errorf("anthropic: parameters: %w", err)
	}
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, fmt.Errorf("anthropic: parameters: %w", err)
	}
	for _, name := range []string{"model", "messages", "tools", "stream", "system"} {
		if _, ok := fields[name]; ok {
			return nil, fmt.Errorf("anthropic: parameters: %s: can't be replaced", name)
		}
	}
	return fields, nil
}
