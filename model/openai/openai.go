// Package openai is a model behind the chat completions of OpenAI, or of one of
// the many servers that speak the same: Gemini's endpoint, OpenRouter, vLLM,
// llama.cpp, Ollama.
//
// # What it promises
//
//   - Nothing of the environment is read: no key, no address, no header. Only
//     the usual variables for a proxy count, as for http.DefaultTransport.
//   - A prompt goes out whole and in order. Names are sent as model.WireName has
//     them and come back as the tools' own. An error of a tool begins with
//     "Error: "; images, which tool messages can't have, follow the results in
//     one message of the user that names their calls.
//   - What a server wants back (reasoning_details, the extra_content of calls,
//     and reasoning_content while tools are called) is kept in Reply.Kept, and
//     sent again to the server and the model that it came from, nowhere else.
//   - Every failure is a *model.Error, without the key in it; a context that
//     ends is its cause.
//   - Requests that got no answer are tried again, with growing pauses or after
//     the time that the server names, up to a minute. Once the answer has begun
//     nothing is tried again.
//   - A server that stays silent, or sends no whole event, for Options.Timeout
//     is given up.
//
// # How to use it
//
//	m, err := openai.New(openai.Options{Model: "llama3", BaseURL: "http://127.0.0.1:11434/v1"})
//	reply, err := m.Generate(ctx, prompt, func(d model.Delta) { fmt.Print(d.Text) })
package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/lineclear/lineclear/model"
)

// provider is this package's name in errors and in what it keeps.
const provider = "openai"

const (
	defaultBaseURL = "https://api.openai.com/v1/"
	defaultRetries = 3
	defaultTimeout = 2 * time.Minute
	maxPause       = time.Minute // a server that names a longer one is not waited for
)

// Options say which model is asked, and where. Only Model is required.
type Options struct {
	Model      string
	BaseURL    string            // up to and with the version, such as http://127.0.0.1:8000/v1; empty: OpenAI itself
	Key        string            // empty: none is sent
	Headers    map[string]string // of every request
	Parameters jsontext.Value    // an object whose fields go into every request; null takes a field out
	MaxTokens  int               // of one reply; 0: what the server says
	Retries    int               // 0: three; negative: none
	Timeout    time.Duration     // how long nothing may arrive; 0: two minutes
	HTTPClient *http.Client      // nil: http.DefaultClient; redirects are never followed
}

// Model asks one model. It can be used by many goroutines.
type Model struct {
	options    Options
	origin     origin
	parameters map[string]jsontext.Value
	client     sdk.Client
}

var _ model.Model = (*Model)(nil)

// New makes a model; it does not reach out. Options that can't work are errors
// that name the field.
func New(o Options) (*Model, error) {
	base, err := o.check()
	if err != nil {
		return nil, err
	}
	parameters, err := readParameters(o.Parameters)
	if err != nil {
		return nil, err
	}
	m := &Model{options: o, parameters: parameters, origin: origin{Provider: provider, Server: base.Host + base.Path, Model: o.Model}}
	// The library's own constructor would read the environment.
	m.client.Options = []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(withoutRedirects(o.HTTPClient)),
		option.WithMaxRetries(o.Retries),
		option.WithMaxRetryDelay(maxPause),
	}
	if o.Key != "" {
		m.client.Options = append(m.client.Options, option.WithAPIKey(o.Key))
	}
	for name, value := range o.Headers {
		m.client.Options = append(m.client.Options, option.WithHeader(name, value))
	}
	return m, nil
}

// withoutRedirects is a client that hands its headers, and with them the key, to
// no other server.
func withoutRedirects(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	body, err := m.request(p)
	if err != nil {
		return model.Reply{}, err
	}
	watched, w := startWatch(ctx, m.options.Timeout)
	defer w.stop()
	a := &answer{names: model.NewNames(p.Tools), onDelta: onDelta}
	if err := m.exchange(watched, w, body, a); err != nil {
		return model.Reply{}, m.failure(ctx, watched, a, err)
	}
	return a.reply(m.origin)
}

// exchange sends the request, as often as needed, and reads the answer.
func (m *Model) exchange(ctx context.Context, w *watch, body []byte, a *answer) error {
	var res *http.Response
	err := m.client.Post(ctx, "chat/completions", body, &res, option.WithMiddleware(w.attempt))
	if res == nil {
		return &model.Error{Kind: model.Unavailable, Detail: unreached(err), Err: err}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refused(res)
	}
	return a.read(res)
}
