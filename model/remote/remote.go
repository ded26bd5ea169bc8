// Package remote is what the providers behind HTTP have in common, whatever
// they speak: options, one exchange with its retries and its end, failures told
// apart, and texts that every server takes.
//
// # What it promises
//
//   - Every failure is a *model.Error on one line, without the key or another
//     secret of the options in it; a context that ends is its cause.
//   - Redirects are not followed, so that the key goes to no other server.
//   - A server that stays silent, or sends no whole event, for Options.Timeout
//     is given up. Pauses between two attempts don't count.
//   - An answer of more than 64 MiB is no answer.
//
// # How to use it
//
// A provider's New calls New and makes its library's client with Client and
// Options. Its Generate calls Body for the request and Ask for the exchange,
// with an Answer that puts the reply together.
package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
)

// Server is a provider's server, as one model of it is asked.
type Server struct {
	Options Options  // with what was left out filled in
	Base    *url.URL // ends with /

	provider   string
	parameters map[string]jsontext.Value
}

// New checks the options and fills them in; it does not reach out. The provider
// names itself, as errors do, and its usual address. Options that can't work are
// errors that name the field.
func New(provider, usual string, o Options) (*Server, error) {
	if o.BaseURL == "" {
		o.BaseURL = usual
	}
	base, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", provider, err)
	}
	parameters, err := readParameters(o.Parameters)
	if err != nil {
		return nil, fmt.Errorf("%s: parameters: %w", provider, err)
	}
	return &Server{Options: o, Base: base, provider: provider, parameters: parameters}, nil
}

// Client sends requests, and follows no redirects.
func (s *Server) Client() *http.Client {
	own := http.Client{}
	if c := s.Options.HTTPClient; c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Body is a request as it is sent, with the parameters of the options in it.
func (s *Server) Body(request any) ([]byte, error) {
	raw, err := json.Marshal(request, Lenient())
	if err == nil && len(s.parameters) > 0 {
		raw, err = s.merge(raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: write the request: %w", s.provider, err)
	}
	return raw, nil
}

func (s *Server) merge(raw []byte) ([]byte, error) {
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	maps.Copy(fields, s.parameters)
	maps.DeleteFunc(fields, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	return json.Marshal(fields, json.Deterministic(true))
}

// Lenient is how a provider's JSON is read and written: what is no UTF-8 is
// replaced.
func Lenient() json.Options { return jsontext.AllowInvalidUTF8(true) }

// Attempt is middleware around each attempt of a request; the providers'
// libraries take it as it is.
type Attempt = func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error)

// Send sends a request, as often as is worth it, each time through the Attempt.
// Where there is a response, its status says how it went, and not the error.
type Send func(ctx context.Context, around Attempt) (*http.Response, error)

// Answer puts a reply together.
type Answer interface {
	Events(*http.Response) Events             // decodes a stream, by the provider's library
	Event(data []byte) (last bool, err error) // takes an event of it
	Whole(body []byte) error                  // takes the one body of a server that does not stream
	Begun() bool                              // something of the answer has arrived
	Complete() bool                           // the server has said why it ended
}

// Events are those of a stream.
type Events interface {
	Next() bool
	Data() []byte
	Err() error
}

// Ask sends a request and has the answer read.
func (s *Server) Ask(ctx context.Context, send Send, a Answer) error {
	return s.exchange(ctx, send, a.Begun, func(res *http.Response) error { return read(res, a) })
}

// exchange is one request with its answer, which read is given if it is one.
func (s *Server) exchange(ctx context.Context, send Send, begun func() bool, read func(*http.Response) error) error {
	watched, w := startWatch(ctx, s.Options.Timeout)
	defer w.stop()
	err := func() error {
		res, err := send(watched, w.attempt)
		if res == nil {
			return &model.Error{Kind: model.Unavailable, Detail: unreached(err), Err: err}
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return refused(res)
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
		if begun() {
			silent.Kind = model.Broken
		}
		err = silent
	}
	return s.signed(err)
}

// signed is an error with the provider's name, and without secrets.
func (s *Server) signed(err error) error {
	var told *model.Error
	if !errors.As(err, &told) {
		return err
	}
	told.Provider = s.provider
	told.Detail = s.Options.clean(told.Detail)
	return told
}
