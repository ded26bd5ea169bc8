// Package canary has a real coding agent try one call of a tool against a model of our own, without
// a key and without the internet: so it can be seen whether a denial holds.
//
// A Model only calls tools that a request offers, and only after the Prompt. A Program that is
// tried may run any command line without asking anybody, so what keeps it from that is a hook.
// Its user's settings stay in force, but for the choice of the model, and nothing is written to them.
// Nothing that it has started is left.
//
// # How to use it
//
// Serve a Model with what Program.Shell returns, Try the program, and read the Model's Results. No
// result means that nothing was tried: Asked and Missing say how far it came.
package canary

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lineclear/lineclear/tool"
)

// Prompt is what an agent is told. To a request with these words the model answers with its calls.
const Prompt = "Please run the canary."

// Call is a call of a tool that the model makes.
type Call struct {
	Tool string
	Args tool.JSON // an object
}

// Model is a model server on this machine. It needs no key.
type Model struct {
	calls  []Call
	server *http.Server
	url    string
	served chan struct{}

	mu      sync.Mutex
	made    int
	asked   int
	results []result
	missing []string
	heard   string // the last request with the prompt
}

// Serve starts a model on a free port of the loopback address. It makes the calls one after
// another, each after the result of the one before, then says that it is done.
func Serve(calls ...Call) (*Model, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the model's port: %w", err)
	}
	m := &Model{calls: calls, url: "http://" + listener.Addr().String(), served: make(chan struct{})}
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(m.served)
		_ = m.server.Serve(listener) // it ends with Close
	}()
	return m, nil
}

// Close ends the server and its connections.
func (m *Model) Close() error {
	err := m.server.Close()
	<-m.served
	return err
}

// Then adds calls, to be made after the others.
func (m *Model) Then(calls ...Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, calls...)
}

// First adds a call to make before the others.
func (m *Model) First(c Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append([]Call{c}, m.calls...)
}

// URL is where the model is, without a path.
func (m *Model) URL() string { return m.url }

// Results are what came back of the calls, in order.
func (m *Model) Results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var texts []string
	for _, r := range m.results {
		texts = append(texts, r.text)
	}
	return texts
}

// Heard reports whether the last request with the prompt has a text anywhere, as JSON writes it.
func (m *Model) Heard(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.heard, text)
}

// Asked is how many requests had the prompt and offered tools.
func (m *Model) Asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// Missing says of each call that could not be made which tools there were instead.
func (m *Model) Missing() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.missing)
}

// reply is what the model says: a call with its id, or a text.
type reply struct {
	number int // of all replies, from 1
	id     string
	call   Call
	text   string
	model  string
}

// answer finds the next call by the results that the request has, so that a request that is
// sent twice is answered alike.
func (m *Model) answer(r request, prefix string) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, got := range r.results {
		if !slices.ContainsFunc(m.results, func(old result) bool { return old.id == got.id }) {
			m.results = append(m.results, got)
		}
	}
	m.made++
	say := reply{number: m.made, model: r.model, text: "done"}
	if !r.marked || len(r.tools) == 0 {
		return say
	}
	m.asked++
	m.heard = r.text
	if len(r.results) >= len(m.calls) {
		return say
	}
	left := m.calls[len(r.results):] // a sub-agent is offered fewer tools
	at := slices.IndexFunc(left, func(c Call) bool { return slices.Contains(r.tools, c.Tool) })
	if at < 0 {
		say.text = fmt.Sprintf("the tool %s is not offered, only %q", left[0].Tool, r.tools)
		m.missing = append(m.missing, say.text)
		return say
	}
	next := left[at]
	say.text, say.call, say.id = "", next, fmt.Sprintf("%s%024d", prefix, m.made)
	return say
}

// name is a unique name of something in the reply.
func (r reply) name(prefix string) string { return fmt.Sprintf("%s%d", prefix, r.number) }
