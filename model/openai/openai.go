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
//   - Requests that got no answer are tried again, with growing pauses or after
//     the time that the server names, up to a minute. Once the answer has begun
//     nothing is tried again.
//   - For the rest, what package remote promises.
//
// # How to use it
//
//	m, err := openai.New(remote.Options{Model: "llama3", BaseURL: "http://127.0.0.1:11434/v1"})
//	reply, err := m.Generate(ctx, prompt, func(d model.Delta) { fmt.Print(d.Text) })
package openai

import (
	"context"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

var provider = remote.Provider{Name: "openai", BaseURL: "https://api.openai.com/v1/"}

// Model asks one model. It can be used by many goroutines.
type Model struct {
	server *remote.Server
	itself bool // the server is OpenAI's own
	origin remote.Origin
}

var (
	_ model.Model   = (*Model)(nil)
	_ model.Checker = (*Model)(nil)
)

// New makes a model; it does not connect. BaseURL goes up to and includes the
// version, such as http://127.0.0.1:8000/v1; where it is empty, OpenAI itself is
// asked. Options that can't work are errors that name the field.
func New(o remote.Options) (*Model, error) {
	s, err := remote.New(provider, o)
	if err != nil {
		return nil, err
	}
	return &Model{server: s, itself: o.BaseURL == "", origin: s.Origin()}, nil
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	a := &answer{Reading: remote.Reading{OnDelta: onDelta}, origin: m.origin, names: model.NewNames(p.Tools)}
	return m.server.Generate(ctx, "chat/completions", m.request(p), a)
}

// Check implements model.Checker.
func (m *Model) Check(ctx context.Context) (string, error) {
	return m.server.Check(ctx, "models")
}
