// Package remote is what the providers behind HTTP have in common: options, sending
// a request with retries, reading the answer, the kinds of failures, and values in a
// form that every server accepts.
//
// # What it promises
//
//   - Every failure is a *model.Error on one line, without the key or another
//     secret of the options. If the context ends, its cause is returned.
//   - Redirects are not followed, so that the key goes to no other server.
//   - A server that sends no whole event for Options.Timeout is given up. Pauses
//     between two attempts don't count.
//   - An answer of more than 64 MiB is a failure.
//
// # How to use it
//
// A provider's New calls New. Its Generate calls Server.Generate with the request and
// with an Answer, which embeds Reading and puts the reply together.
package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Server asks one model of a provider's server.
type Server struct {
	Options Options  // with the defaults filled in
	Base    *url.URL // ends with /

	provider   Provider
	parameters map[string]tool.JSON
	client     *http.Client // follows no redirects
}

// Provider is what the servers of a provider have in common.
type Provider struct {
	Name      string            // in errors and in what is kept
	BaseURL   string            // where the options have none
	Headers   map[string]string // besides those of the options
	KeyHeader string            // that the key goes into; empty: Authorization, as a bearer token
}

// New checks the options and fills in defaults; it does not connect. Options that
// can't work are errors that name the field.
func New(p Provider, o Options) (*Server, error) {
	if o.BaseURL == "" {
		o.BaseURL = p.BaseURL
	}
	base, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	parameters, err := readParameters(o.Parameters)
	if err != nil {
		return nil, fmt.Errorf("%s: parameters: %w", p.Name, err)
	}
	client := http.Client{}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Server{Options: o, Base: base, provider: p, parameters: parameters, client: &client}, nil
}

// Origin says which server and model a kept value (model.Reply.Kept) comes from. Sent
// to another one it means nothing, and strict servers refuse it.
type Origin struct {
	Provider string `json:"provider"`
	Server   string `json:"server"`
	Model    string `json:"model,omitzero"` // empty: any model of the server
}

// Origin is the origin of what this model keeps.
func (s *Server) Origin() Origin {
	return Origin{Provider: s.provider.Name, Server: s.Base.Host + s.Base.Path, Model: s.Options.Model}
}

// body is a request as it is sent, with the parameters of the options in it.
func (s *Server) body(request any) ([]byte, error) {
	raw, err := json.Marshal(request, Lenient())
	if err == nil && len(s.parameters) > 0 {
		raw, err = merge(raw, s.parameters)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: write the request: %w", s.provider.Name, err)
	}
	return raw, nil
}

// merge puts fields into an object, and into the objects in it. null takes a field out.
func merge(object tool.JSON, changes map[string]tool.JSON) (tool.JSON, error) {
	var fields map[string]tool.JSON
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for name, v := range changes {
		if strictjson.Kind(v) == '{' && strictjson.Kind(fields[name]) == '{' {
			var inner map[string]tool.JSON
			err := json.Unmarshal(v, &inner)
			if err == nil {
				v, err = merge(fields[name], inner)
			}
			if err != nil {
				return nil, err
			}
		}
		fields[name] = v
		if strictjson.Kind(v) == 'n' {
			delete(fields, name)
		}
	}
	return json.Marshal(fields, json.Deterministic(true))
}

// Lenient is how a provider's JSON is read and written: invalid UTF-8 is replaced.
func Lenient() json.Options { return jsontext.AllowInvalidUTF8(true) }

// Answer puts a reply together from what the server sends. It embeds a Reading.
type Answer interface {
	Event(data []byte) (last bool, err error) // takes the next event of a stream
	Whole(body []byte) error                  // takes the JSON body of a server that does not stream
	Reply() (model.Reply, error)              // the reply, once the answer is complete
	Usage() model.Usage                       // as far as it is known
	Progress() *Reading
}

// Reading is how far an answer has been read.
type Reading struct {
	OnDelta  func(model.Delta) // nil: nobody listens
	Begun    bool              // a part of the answer has arrived
	Complete bool              // the server has said why it ended
}

// Progress implements Answer.
func (r *Reading) Progress() *Reading { return r }

// Say passes on a piece of the reply's text.
func (r *Reading) Say(text string) {
	if text != "" && r.OnDelta != nil {
		r.OnDelta(model.Delta{Text: text})
	}
}

// Generate posts a request to a path of the server, and reads the answer into a.
func (s *Server) Generate(ctx context.Context, path string, request any, a Answer) (model.Reply, error) {
	body, err := s.body(request)
	if err != nil {
		return model.Reply{}, err
	}
	send := func(ctx context.Context, w *watch) (*http.Response, error) {
		return s.send(ctx, w, http.MethodPost, path, body)
	}
	if err := s.exchange(ctx, send, a.Progress(), func(res *http.Response) error { return read(res.Body, a) }); err != nil {
		return model.Reply{Usage: a.Usage()}, err
	}
	return a.Reply()
}

// sender sends a request under a watch.
type sender func(ctx context.Context, w *watch) (*http.Response, error)

// exchange sends a request, and has read take the response if its status is 200.
func (s *Server) exchange(ctx context.Context, send sender, progress *Reading, read func(*http.Response) error) error {
	watched, w := startWatch(ctx, s.Options.Timeout)
	defer w.stop()
	err := func() error {
		res, err := send(watched, w)
		if res == nil {
			return &model.Error{Kind: model.Unavailable, Detail: connectionError(err), Err: err}
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return statusError(res)
		}
		return read(res)
	}()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(context.Cause(watched), errSilent) {
		silent := &model.Error{Kind: model.Unavailable, Detail: "nothing has arrived for " + s.Options.Timeout.String(), Err: errSilent}
		if progress.Begun {
			silent.Kind = model.Broken
		}
		err = silent
	}
	return s.named(err)
}

// named adds the provider's name to an error, and takes secrets out of it.
func (s *Server) named(err error) error {
	var told *model.Error
	if !errors.As(err, &told) {
		return err
	}
	told.Provider = s.provider.Name
	told.Detail = s.Options.clean(told.Detail)
	return told
}
