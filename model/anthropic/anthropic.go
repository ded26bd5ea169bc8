// Package anthropic is a model behind the Messages API of Anthropic, or of a
// server that speaks the same.
//
// # What it promises
//
//   - Nothing of the environment is read: no key, no address, no profile. Only
//     the usual variables for a proxy count, as for http.DefaultTransport.
//   - A prompt goes out whole and in order. Names are sent as model.WireName has
//     them and come back as the tools' own. Results of tools
//     and what the user says after them are one message. Empty texts, which servers
//     refuse, are left out.
//   - Thoughts with their signatures, hidden ones too, are kept in Reply.Kept and
//     sent again as they came and where they stood, to the server that they come
//     from.
//   - Requests that got no answer are tried again, with growing pauses or after
//     the time that the server names, up to a minute. Once the answer has begun
//     nothing is tried again.
//   - For the rest, what package remote promises.
//
// # How to use it
//
//	m, err := anthropic.New(remote.Options{Model: "claude-sonnet-5-5", Key: key})
//	reply, err := m.Generate(ctx, prompt, func(d model.Delta) { fmt.Print(d.Text) })
//
// The key is sent as a bearer token. For a server that reads another header, set it in
// Options.Headers.
package anthropic

import (
	"context"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

const defaultMaxTokens = 8192

var provider = remote.Provider{
	Name:    "anthropic",
	BaseURL: "https://api.anthropic.com/",
	Headers: map[string]string{"Anthropic-Version": "2026-10-21"},
}

// Model asks one model. It can be used by many goroutines.
type Model struct {
	server *remote.Server
	origin remote.Origin
}

var (
	_ model.Model   = (*Model)(nil)
	_ model.Checker = (*Model)(nil)
)

// New makes a model; it does not connect. BaseURL goes without the version,
// which is added (/v1/messages); where it is empty, Anthropic itself is asked.
// MaxTokens, thoughts included, are 8192 unless given. Options that can't work
// are errors that name the field.
func New(o remote.Options) (*Model, error) {
	if o.MaxTokens == 0 {
		o.MaxTokens = defaultMaxTokens
	}
	s, err := remote.New(provider, o)
	if err != nil {
		return nil, err
	}
	from := s.Origin()
	from.Model = "" // its models read each other's thoughts
	return &Model{server: s, origin: from}, nil
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	a := &answer{Reading: remote.Reading{OnDelta: onDelta}, origin: m.origin, names: model.NewNames(p.Tools)}
	return m.server.Generate(ctx, "v1/messages", m.request(p), a)
}

// Check implements model.Checker.
func (m *Model) Check(ctx context.Context) (string, error) {
	return m.server.Check(ctx, "v1/models")
}
