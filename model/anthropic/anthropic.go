// Package anthropic is a model behind the Messages API of Anthropic, or of a
// server that speaks the same.
//
// # What it promises
//
//   - Nothing of the environment is read: no key, no address, no profile. Only
//     the usual variables for a proxy count, as for http.DefaultTransport.
//   - A prompt goes out whole and in order. Names are sent as model.WireName has
//     them and come back as the tools' own. What a turn of the user consists of,
//     results of tools first, is one message. Empty texts, which are refused, are
//     left out.
//   - Thoughts with their signatures, hidden ones too, are kept in Reply.Kept and
//     sent again as they came and where they stood, to the server that they are
//     from.
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
//	m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-5-5", Key: key})
//	reply, err := m.Generate(ctx, prompt, func(d model.Delta) { fmt.Print(d.Text) })
//
// The key goes out as the library sends it, as a bearer's token. A server that
// reads another header gets it by Options.Headers.
package anthropic

import (
	"context"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
)

// provider is this package's name in errors and in what it keeps.
const provider = "anthropic"

const (
	defaultBaseURL   = "https://api.anthropic.com/"
	defaultMaxTokens = 8192
	defaultRetries   = 3
	defaultTimeout   = 2 * time.Minute
	maxPause         = time.Minute // a server that names a longer one is not waited for
)

// Options say which model is asked, and where. Only Model is required.
type Options struct {
	Model      string
	BaseURL    string            // without the version, which is added: /v1/messages; empty: Anthropic itself
	Key        string            // empty: none is sent
	Headers    map[string]string // of every request
	Parameters jsontext.Value    // an object whose fields go into every request; null takes a field out
	MaxTokens  int               // of one reply, thoughts included; 0: 8192
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
	if o.MaxTokens == 0 {
		o.MaxTokens = defaultMaxTokens
	}
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(withoutRedirects(o.HTTPClient)),
		option.WithMaxRetries(o.Retries),
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	for name, value := range o.Headers {
		options = append(options, option.WithHeader(name, value))
	}
	return &Model{
		options: o, parameters: parameters, origin: origin{Provider: provider, Server: base.Host + base.Path},
		client: sdk.NewClient(options...),
	}, nil
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
	err := m.client.Post(ctx, "v1/messages", body, &res, option.WithMiddleware(w.attempt))
	if res == nil {
		return &model.Error{Kind: model.Unavailable, Detail: unreached(err), Err: err}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refused(res)
	}
	return a.read(res)
}
