// Package modeltest is the contract that every provider of models passes. It plays
// a provider's recorded exchanges, and one of them also cut, delayed and broken.
//
// # How to use it
//
// A provider's test calls Run, AnyPrompt and the fuzz functions:
//
//	var provider = modeltest.Provider{Name: "openai", New: …}
//
//	func TestTheContractOfModels(t *testing.T) { modeltest.Run(t, provider) }
//
// The exchanges are the files testdata/*.txtar. Each begins with a comment that
// says what it proves. Then come its sections:
//
//	options       JSON of remote.Options; if it names no model, that is test-1
//	prompt        JSON of model.Prompt; without this section it is "Go on."
//	request       what the provider must send; go test -update writes it
//	response      what the server answers, as curl --http1.1 -i prints it
//	outcome       JSON of what the model must return: deltas, reasoning, calls, kept, stop
//	              and usage of the reply; or error (its kind), detail and usage; or
//	              found, of a check of the model
//	next request  what the provider must send when the reply goes back, with the result
//	              "ok" for each call; go test -update writes it
//
// A request that has no section is not compared. A file may have several prompts
// ("prompt: without tools") and several responses ("response: with nulls"). All prompts
// must be sent alike, and all responses must have the same outcome.
//
// The exchange good.txtar is the one that is cut, delayed and broken. It has no options,
// and nothing in it is kept. Its answer is a stream with a text in pieces, calls, and the
// usage.
package modeltest

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

// Provider is what is tested.
type Provider struct {
	Name string // in its errors
	New  func(remote.Options) (model.Model, error)
}

// Run tests a provider against the contract.
func Run(t *testing.T, p Provider) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Provider)
	}{
		{"every exchange goes as it was recorded", exchanges},
		{"an answer may arrive in pieces of any size, and in other lines", pieces},
		{"kept values of another server, and malformed ones, are left out", foreignKept},
		{"nothing of the environment is read", environment},
		{"a redirect is not followed", redirect},
		{"many goroutines may ask at once", manyAtOnce},
		{"failures are told apart", failures},
		{"the words of a server are cleaned, cut, and free of secrets", details},
		{"a server that is not there is unavailable", refusedConnection},
		{"only a failure that may pass is tried again", retries},
		{"the pause of Retry-After is kept", namedPause},
		{"a Retry-After of more than a minute is not waited for, and a wrong one is none", longPause},
		{"an answer that breaks off is broken, and is not asked for again", brokenAnswers},
		{"a server that stays silent is given up", silence},
		{"a comment or an event restarts the time limit", keptAlive},
		{"a call whose context ends returns the cause", ended},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, p) })
	}
}

// key is sent unless the options of an exchange have another.
const key = "the-key-of-the-test"

// fixture is a server, a model that asks it, and the exchange good.txtar.
type fixture struct {
	*server
	provider Provider
	model    model.Model
	good     response // of good.txtar
	recorded exchange // good.txtar
	half     int      // of the events of good
}

func (p Provider) fixture(t testing.TB, o remote.Options, answers ...answer) fixture {
	t.Helper()
	recorded, err := readExchange(filepath.Join("testdata", "good.txtar"))
	if err != nil || recorded.section(requestSection) == nil || len(recorded.responses[0].events()) < 4 {
		t.Fatalf("good.txtar: want a request and a stream of events: %v", err)
	}
	s, good := newServer(t, answers...), recorded.responses[0]
	return fixture{server: s, provider: p, model: p.make(t, s, o), good: good, recorded: recorded, half: len(good.events()) / 2}
}

// bubble runs a test with a fixture whose time passes at once.
func (p Provider) bubble(t *testing.T, o remote.Options, test func(*testing.T, fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, p.fixture(t, o)) })
}

// make makes a model that asks the server.
func (p Provider) make(t testing.TB, s *server, o remote.Options) model.Model {
	t.Helper()
	if o.Model == "" {
		o.Model = "test-1"
	}
	o.HTTPClient = &http.Client{Transport: s}
	m, err := p.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// events are the body, cut after each event.
func (r response) events() []string {
	return strings.SplitAfter(strings.TrimSuffix(r.body, "\n\n"), "\n\n")
}

// first is the answer up to its nth event, and then what rest does.
func (r response) first(n int, rest answer) answer {
	return func(l *line) {
		l.head(r)
		l.say(strings.Join(r.events()[:n], ""))
		rest(l)
	}
}

// whole is the answer in pieces of size bytes; 0: in one piece.
func (r response) whole(size int) answer {
	return func(l *line) {
		l.head(r)
		for left := r.body; left != ""; {
			n := len(left)
			if size > 0 {
				n = min(size, n)
			}
			l.say(left[:n])
			left = left[n:]
		}
	}
}

func end(*line) {}

// ask has a model continue the first prompt, or checks it if there is none.
func ask(ctx context.Context, m model.Model, prompts ...model.Prompt) (outcome, model.Reply, error) {
	var o outcome
	var r model.Reply
	var err error
	if len(prompts) == 0 {
		o.Found, err = m.(model.Checker).Check(ctx)
	} else {
		r, err = m.Generate(ctx, prompts[0], func(d model.Delta) { o.Deltas = append(o.Deltas, d.Text) })
		o.Reasoning, o.Kept, o.Stop, o.Usage = r.Reasoning, r.Kept, r.Stop, r.Usage
		for _, c := range r.Calls {
			o.Calls = append(o.Calls, call{ID: c.ID, Name: c.Name, Args: string(c.Args)})
		}
	}
	var e *model.Error
	if errors.As(err, &e) {
		o.Error, o.Detail = e.Kind, e.Detail
		err = nil
	}
	return o, r, err
}

// succeed asks as good.txtar does, and wants its outcome.
func (f fixture) succeed(t testing.TB) {
	t.Helper()
	got, _, err := ask(t.Context(), f.model, f.recorded.prompts...)
	if err != nil {
		t.Error(err)
	}
	diff(t, "outcome", f.recorded.want, got)
}

// fail asks and wants a failure of a kind.
func (f fixture) fail(t testing.TB, want model.Kind) *model.Error {
	t.Helper()
	reply, err := f.model.Generate(t.Context(), said("Go on."), nil)
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("no failure of a model: %+v, %v", reply, err)
	}
	if e.Kind != want || e.Provider != f.provider.Name {
		t.Errorf("%q is of the kind %s by %s, want %s", err, e.Kind, e.Provider, want)
	}
	if strings.Contains(err.Error(), key) {
		t.Errorf("the key stands in %q", err)
	}
	return e
}

func diff(t testing.TB, what string, want, got any) {
	t.Helper()
	sameJSON := cmp.Comparer(func(a, b tool.JSON) bool { return canonical(a) == canonical(b) })
	if diff := cmp.Diff(want, got, sameJSON); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func canonical(v tool.JSON) string {
	c := jsontext.Value(v).Clone()
	if c.Canonicalize() != nil {
		return string(v)
	}
	return string(c)
}
