package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// modelFunc is a model in one function.
type modelFunc func(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error)

func (f modelFunc) Generate(ctx context.Context, p model.Prompt, d func(model.Delta)) (model.Reply, error) {
	return f(ctx, p, d)
}

// note is a tool that notes what it is told, and waits where it is told to.
type note struct {
	mu      sync.Mutex
	noted   []string
	waiting chan struct{} // has room for the calls that wait
}

func (*note) Spec() tool.Spec { return tool.Spec{Name: "note"} }

func (n *note) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	var args struct {
		Text string `json:"text"`
		Wait bool   `json:"wait"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tool.Result{}, err
	}
	if args.Wait {
		n.waiting <- struct{}{}
		<-ctx.Done()
		return tool.Result{}, context.Cause(ctx)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.noted = append(n.noted, args.Text)
	return tool.Result{Text: "noted " + args.Text}, nil
}

func (n *note) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string{}, n.noted...)
}

// asks replies with the calls given, then repeats what came of them.
func asks(calls ...string) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		last := p.Messages[len(p.Messages)-1]
		if last.Role == model.User {
			var r model.Reply
			for _, args := range calls {
				// Two calls with the same id of the provider's must stay apart.
				r.Calls = append(r.Calls, model.Call{ID: "same", Name: "note", Args: tool.JSON(args)})
			}
			return r, nil
		}
		var said []string
		for i := len(p.Messages) - len(calls); i < len(p.Messages); i++ {
			said = append(said, p.Messages[i].Text)
		}
		return model.Reply{Text: strings.Join(said, " | ")}, nil
	}
}

// byArgs approves calls whose arguments contain ok, and denies the others.
func byArgs() approval.Handler {
	return approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		if strings.Contains(string(r.Args), "ok") {
			return approval.Response{Status: approval.Approved}, nil
		}
		return approval.Response{Status: approval.Denied, Message: "not that", By: approval.By{Subject: "ada"}}, nil
	})
}

func silent() approval.Handler {
	return approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	})
}

type kit struct {
	*agent.Agent
	runtime *agent.Runtime
	log     *flaky
	bus     *bus.Bus
	note    *note
}

func newKit(t testing.TB, c agent.Config) *kit {
	t.Helper()
	k := &kit{note: &note{waiting: make(chan struct{}, 8)}}
	promises := gate.NewPromises()
	k.bus = bus.New(agent.Topics(), promises.Inline())
	k.log = &flaky{Memory: session.NewMemory(k.bus)}
	rows := approval.NewMemory(k.bus, k.log.Memory)
	manager := gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})
	c.ID, c.Tools = "demo", append([]agent.Tool{{Tool: k.note}}, c.Tools...)
	var err error
	k.runtime = &agent.Runtime{Bus: k.bus, Sessions: k.log, Approvals: manager}
	k.Agent, err = agent.New(c, agent.Options{Runtime: k.runtime})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Stop(0); manager.Wait() })
	return k
}

func ada() auth.Identity { return auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}} }

func (k *kit) session(t *testing.T) string {
	t.Helper()
	s, err := k.NewSession(t.Context(), ada(), "")
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// asking begins a session, has the agent spoken to, and waits for its requests.
func (k *kit) asking(t *testing.T, requests int) (sessionID string) {
	t.Helper()
	id := k.session(t)
	asked := k.bus.Subscribe(64, approval.Requests)
	defer asked.Close()
	if _, err := k.Send(t.Context(), ada(), id, "go"); err != nil {
		t.Fatal(err)
	}
	for range requests {
		if _, err := asked.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

// decoded returns what the events of a type say.
func decoded[T any](t *testing.T, events []session.Event, of session.Type) []T {
	t.Helper()
	var all []T
	for _, e := range events {
		if e.Type != of {
			continue
		}
		var v T
		if err := e.Decode(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// results returns the one result of every call, and fails where there is none
// or more than one.
func (k *kit) results(t *testing.T, id string) []string {
	t.Helper()
	events, err := k.log.Events(context.Background(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range decoded[session.AssistantMessage](t, events, session.TypeAssistantMessage) {
		for _, c := range m.ToolCalls {
			count[c.ID] = 0
		}
	}
	var texts []string
	for _, r := range decoded[session.ToolResult](t, events, session.TypeToolResult) {
		count[r.CallID]++
		texts = append(texts, r.Result.Text)
	}
	for call, n := range count {
		if n != 1 {
			t.Errorf("call %s has %d results", call, n)
		}
	}
	return texts
}
