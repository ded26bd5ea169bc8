// Package modeltest is the contract that every provider of models passes, and
// the servers that it is held against: one for each wire, which refuse what the
// real ones refuse and answer as a test tells them.
//
// # How to use it
//
// A provider's test calls Run. Tests of its own take a Server, which Start
// brings up on loopback and Connect in memory, for a bubble of testing/synctest:
//
//	s := modeltest.NewServer(modeltest.Messages, modeltest.Answer{Text: []string{"Hel", "lo."}})
//	url, client := s.Start(t)
package modeltest

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

// Provider is what the suite is run against.
type Provider struct {
	Name string // in its errors
	Wire Wire
	New  func(remote.Options) (model.Model, error)
}

// Run puts a provider through the contract.
func Run(t *testing.T, p Provider) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Provider)
	}{
		{"text comes piece by piece and is the reply", textInPieces},
		{"a body that is cut inside characters is put together", cutInsideCharacters},
		{"calls in pieces are put together, under their own names", callsInPieces},
		{"arguments that are no JSON are passed on, and none are an object", oddArguments},
		{"ids are passed on as they are", oddIDs},
		{"why a reply ended is told", stops},
		{"usage is told, or is zero", usageTold},
		{"one JSON body is understood too", wholeBody},
		{"a conversation with results, errors and images is accepted", conversation},
		{"any valid prompt is accepted", anyPrompt},
		{"thoughts are told and go back as they came", thoughts},
		{"what was kept elsewhere, or is malformed, is left out", foreignKept},
		{"the options are in the request", options},
		{"nothing of the environment is read", environment},
		{"a redirect is not followed", redirect},
		{"failures are told apart", failures},
		{"what a server says is cleaned, cut and without the key", details},
		{"a server that is not there is unavailable", refusedConnection},
		{"what is worth it is tried again, and nothing else", retries},
		{"a pause that the server names is kept", namedPause},
		{"a pause that is too long is not waited for", longPause},
		{"an answer that breaks off is broken, and not asked for again", brokenAnswers},
		{"an error in the middle has its kind", errorEvents},
		{"a silent server is given up", silence},
		{"a sign of life keeps the line", keptAlive},
		{"a context that ends is its cause", ended},
		{"many may ask at once", manyAtOnce},
		{"a check finds the model, or says what is there", checks},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, p) })
	}
}

const key = "sk-test-0123456789"

// fixture is a server and a model that asks it.
type fixture struct {
	*Server
	model model.Model
}

// loopback is a fixture on loopback.
func (p Provider) loopback(t testing.TB, o remote.Options, script ...Answer) fixture {
	t.Helper()
	s := NewServer(p.Wire, script...)
	o.BaseURL, o.HTTPClient = s.Start(t)
	return p.fixture(t, s, o)
}

func (p Provider) make(t testing.TB, o remote.Options) model.Model {
	t.Helper()
	o.Model = "test-1"
	m, err := p.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (p Provider) fixture(t testing.TB, s *Server, o remote.Options) fixture {
	t.Helper()
	if o.Key == "" {
		o.Key = key
	}
	s.Key = o.Key
	return fixture{Server: s, model: p.make(t, o)}
}

// bubble runs a test with a fixture in memory, whose time passes at once.
func (p Provider) bubble(t *testing.T, o remote.Options, test func(*testing.T, fixture), script ...Answer) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(p.Wire, script...)
		o := o
		o.BaseURL, o.HTTPClient = s.Connect(t)
		test(t, p.fixture(t, s, o))
	})
}

// said is a prompt of one message.
func said(text string) model.Prompt {
	return model.Prompt{Messages: []model.Message{{Role: model.User, Text: text}}, Tools: tools()}
}

// tools have names that providers don't take.
func tools() []tool.Spec {
	return []tool.Spec{
		{Name: "shell", Description: "Runs a command.", Schema: jsontext.Value(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)},
		{Name: "ui.show"},
		{Name: strings.Repeat("lang-", 30), Schema: jsontext.Value(`{"type":"object"}`)},
	}
}

// generate asks and wants a reply, whose pieces are its text.
func (f fixture) generate(t testing.TB, p model.Prompt) (model.Reply, []string) {
	t.Helper()
	var pieces []string
	reply, err := f.model.Generate(t.Context(), p, func(d model.Delta) { pieces = append(pieces, d.Text) })
	if err != nil {
		t.Fatalf("%v %s", err, f.fault())
	}
	if strings.Join(pieces, "") != reply.Text {
		t.Fatalf("the pieces %q are not the text %q", pieces, reply.Text)
	}
	return reply, pieces
}

// fault is why the newest request was refused.
func (f fixture) fault() string {
	all := f.Requests()
	if len(all) == 0 || all[len(all)-1].Fault == nil {
		return ""
	}
	return "\nrefused: " + string(all[len(all)-1].Body)
}

// fail asks and wants a failure of a kind.
func (f fixture) fail(t testing.TB, p Provider, want model.Kind) *model.Error {
	t.Helper()
	reply, err := f.model.Generate(t.Context(), said("Go on."), nil)
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("no failure of a model: %+v, %v", reply, err)
	}
	if e.Kind != want || e.Provider != p.Name {
		t.Errorf("%q is of the kind %s by %s, want %s", err, e.Kind, e.Provider, want)
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("the key stands in %q", err)
	}
	return e
}
