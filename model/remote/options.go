package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

const (
	defaultRetries = 3
	defaultTimeout = 2 * time.Minute
)

// MaxPause is the longest pause between two attempts. A server that names a
// longer one is not waited for.
const MaxPause = time.Minute

// Options say which model is asked, and where. Only Model is required.
type Options struct {
	Model      string
	BaseURL    string            // empty: the provider's own
	Key        string            // empty: none is sent
	Headers    map[string]string // of every request
	Parameters tool.JSON         // an object that is merged into every request; null takes a field out
	MaxTokens  int               // of one reply; 0: what the provider says
	Retries    int               // 0: three; negative: none
	Timeout    time.Duration     // how long nothing may arrive; 0: two minutes
	HTTPClient *http.Client      // nil: one like http.DefaultClient; redirects are never followed
}

// check fills in what is left out, and returns the address that requests go to.
func (o *Options) check() (*url.URL, error) {
	if strings.TrimSpace(o.Model) == "" {
		return nil, errors.New("model: missing")
	}
	if o.MaxTokens < 0 {
		return nil, fmt.Errorf("max tokens: want none or more, not %d", o.MaxTokens)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("timeout: want a duration, not %s", o.Timeout)
	}
	if hasControl(o.Key) {
		return nil, errors.New("key: has a line break or another control character")
	}
	for name, value := range o.Headers {
		if name == "" || strings.ContainsAny(name, " :") || hasControl(name) || hasControl(value) {
			return nil, fmt.Errorf("headers: %q is not one", name)
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
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("base URL: want http:// or https:// and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("base URL: want no login, no ? and no #; a key has its own option")
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// readParameters reads the fields that are merged into requests. Those that a
// prompt fills can't be set.
func readParameters(v tool.JSON) (map[string]tool.JSON, error) {
	if len(v) == 0 {
		return nil, nil
	}
	object, err := strictjson.Object(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]tool.JSON
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for _, name := range []string{"model", "messages", "tools", "stream", "system", "contents", "systemInstruction", "system_instruction"} {
		if _, ok := fields[name]; ok {
			return nil, fmt.Errorf("%s: can't be replaced", name)
		}
	}
	return fields, nil
}
