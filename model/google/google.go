// Package google is a model behind the Gemini API of Google, or of a server that
// speaks the same.
//
// # What it promises
//
//   - Nothing of the environment is read: no key, no address, no project. Only
//     the usual variables for a proxy count, as for http.DefaultTransport.
//   - A prompt goes out whole and in order. Names are sent as model.WireName has
//     them and come back as the tools' own. Results of tools, then their images,
//     then what the user says after them are one message.
//   - Signatures of thoughts are kept in Reply.Kept and sent again as they came and
//     where they stood, to the server and the model that they come from.
//   - A reply that ended for a reason that is not known, or with a call that the
//     server could not read, is broken: none of its calls is returned.
//   - Requests that got no answer are tried again, with growing pauses or after
//     the time that the server names in a header, up to a minute. Once the answer
//     has begun nothing is tried again.
//   - For the rest, what package remote promises.
//
// # How to use it
//
//	m, err := google.New(remote.Options{Model: "gemini-3-flash", Key: key})
//	reply, err := m.Generate(ctx, prompt, func(d model.Delta) { fmt.Print(d.Text) })
package google

import (
	"context"
	"net/url"
	"strings"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

var provider = remote.Provider{
	Name:      "google",
	BaseURL:   "https://generativelanguage.googleapis.com/v1beta/",
	KeyHeader: "X-Goog-Api-Key",
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

// New makes a model; it does not connect. BaseURL goes up to and includes the
// version, such as http://127.0.0.1:8000/v1beta; where it is empty, Google itself is
// asked. Options that can't work are errors that name the field.
func New(o remote.Options) (*Model, error) {
	o.Model = strings.TrimPrefix(o.Model, "models/") // as Google lists them
	s, err := remote.New(provider, o)
	if err != nil {
		return nil, err
	}
	return &Model{server: s, origin: s.Origin()}, nil
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	a := &answer{Reading: remote.Reading{OnDelta: onDelta}, origin: m.origin, names: model.NewNames(p.Tools)}
	path := "models/" + url.PathEscape(m.server.Options.Model) + ":streamGenerateContent?alt=sse"
	return m.server.Generate(ctx, path, m.request(p), a)
}

// Check implements model.Checker.
func (m *Model) Check(ctx context.Context) (string, error) {
	return m.server.Check(ctx, "models")
}
