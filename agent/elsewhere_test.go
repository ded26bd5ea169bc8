package agent_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

// cluster is a log that several processes share.
type cluster struct {
	*session.Memory

	mu      sync.Mutex
	runners map[string]string // the process that works in a session
	stops   map[string]session.Stop
	gone    map[string]bool
	early   bool                               // the next stop comes before anybody works there
	told    func(id string, stop session.Stop) // who works there; nil: nobody
	taken   func(id string)                    // has the process that is asked to stop it take the session over; nil: it does not
}

// member is what one process of a cluster has of its log.
type member struct {
	*cluster
	name string
}

func (m member) Work(_ context.Context, id string) (session.Stop, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if by := m.runners[id]; by != "" && by != m.name && !m.gone[by] {
		return session.Stop{}, session.ErrElsewhere
	}
	m.runners[id] = m.name
	return m.stops[id], nil
}

func (m member) Stop(_ context.Context, id string, by session.Stop) error {
	if m.taken != nil {
		m.taken(id)
		return nil
	}
	m.mu.Lock()
	early := m.early
	m.early = false
	if !early {
		m.stops[id] = by
	}
	m.mu.Unlock()
	if early {
		return nil
	}
	if m.told != nil {
		m.told(id, by)
	}
	return nil
}

func (m member) Append(ctx context.Context, id string, body session.Body) (session.Event, error) {
	if body.EventType() == session.TypeTurnFinished {
		m.mu.Lock()
		delete(m.stops, id)
		m.mu.Unlock()
	}
	return m.Memory.Append(ctx, id, body)
}

// process is one of a cluster, with one agent.
type process struct {
	*agent.Roster
	agent *agent.Agent
	log   member
	bus   *bus.Bus
	asked *int // how often its model has spoken
}

// processes makes two of a cluster. Their agents ask about one call in each turn, which nobody answers.
func processes(t *testing.T) (one, two process) {
	t.Helper()
	return processesThat(t, func(context.Context) {})
}

// processesThat is processes whose models first do something once they have heard what came of a call.
func processesThat(t *testing.T, do func(ctx context.Context)) (one, two process) {
	t.Helper()
	promises := []*gate.Promises{gate.NewPromises(), gate.NewPromises()}
	b := bus.New(agent.Topics(), promises[0].Inline(), promises[1].Inline())
	log := &cluster{Memory: session.NewMemory(b), runners: map[string]string{}, stops: map[string]session.Stop{}, gone: map[string]bool{}}
	rows := approval.NewMemory(b, log.Memory)
	var all []process
	for i, name := range []string{"one", "two"} {
		manager := gate.NewManager(rows, promises[i], approval.Plain{Grants: rows}, gate.Options{})
		p := process{log: member{log, name}, bus: b, asked: new(int)}
		runtime := &agent.Runtime{Bus: b, Sessions: p.log, Approvals: manager}
		var mu sync.Mutex
		speak := asks(`{"text":"x"}`)
		var err error
		p.agent, err = agent.New(agent.Config{
			ID: "demo", Handler: silent(), Tools: []agent.Tool{{Tool: &note{}}},
			Model: modelFunc(func(ctx context.Context, m model.Prompt, d func(model.Delta)) (model.Reply, error) {
				if m.Messages[len(m.Messages)-1].Role == model.ToolRole {
					do(ctx)
				}
				mu.Lock()
				defer mu.Unlock()
				*p.asked++
				return speak(ctx, m, d)
			}),
		}, agent.Options{Runtime: runtime})
		if err != nil {
			t.Fatal(err)
		}
		p.Roster = agent.NewRoster(runtime, p.agent)
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Roster.Stop(0); manager.Wait() })
		all = append(all, p)
	}
	return all[0], all[1]
}

// begun is a session in which the first process waits for an answer.
func (p process) begun(t *testing.T) (id string) {
	t.Helper()
	s, err := p.NewSession(t.Context(), ada(), "demo", "")
	if err != nil {
		t.Fatal(err)
	}
	p.hears(t, session.TypeApprovalRequested, func() {
		if _, err := p.Send(t.Context(), ada(), s.ID, "go"); err != nil {
			t.Fatal(err)
		}
	})
	return s.ID
}

// hears waits for an event that something brings about.
func (p process) hears(t *testing.T, of session.Type, from func()) (e session.Event) {
	t.Helper()
	sub := p.bus.Subscribe(100, session.Events)
	defer sub.Close()
	from()
	for e.Type != of {
		next, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e, _ = session.Events.From(next)
	}
	return e
}

func TestWhatIsSaidAtAnotherProcessIsAnsweredByTheOneThatWorksInTheSession(t *testing.T) {
	one, two := processes(t)
	id := one.begun(t)
	if _, err := two.Send(t.Context(), ada(), id, "and this"); err != nil {
		t.Fatal(err)
	}
	one.hears(t, session.TypeTurnFinished, func() {
		if err := one.interrupt(t, id); err != nil {
			t.Fatal(err)
		}
	})
	one.hears(t, session.TypeApprovalRequested, func() {
		if _, err := two.Send(t.Context(), ada(), id, "and that"); err != nil {
			t.Fatal(err)
		}
		if err := one.Heed(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	})
	if *two.asked != 0 {
		t.Errorf("the other one's model has spoken %d times", *two.asked)
	}
}

// interrupt stops the turn of a session, and waits until it is over.
func (p process) interrupt(t *testing.T, id string) error {
	over, err := p.Interrupt(t.Context(), ada(), approval.ViaREST, id)
	if err == nil {
		<-over
	}
	return err
}

func TestATurnIsStoppedFromAnotherProcess(t *testing.T) {
	one, two := processes(t)
	id := one.begun(t)
	done := make(chan error, 1)
	two.log.told = func(id string, stop session.Stop) {
		if !one.Stopped(id, stop) {
			t.Error("it has no turn there")
		}
	}
	e := one.hears(t, session.TypeTurnFinished, func() { go func() { done <- two.interrupt(t, id) }() })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var end session.TurnFinished
	if err := e.Decode(&end); err != nil {
		t.Fatal(err)
	}
	if end.Outcome != session.Cancelled || end.Message != "cancelled by ada" {
		t.Errorf("it ended as %s: %s", end.Outcome, end.Message)
	}
}

func TestAStopThatCameBeforeTheOtherProcessWorkedInTheSessionReachesIt(t *testing.T) {
	one, two := processesThat(t, func(ctx context.Context) { <-ctx.Done() }) // the turn would end by itself
	id := one.begun(t)
	two.log.early = true
	two.log.told = func(id string, stop session.Stop) { one.Stopped(id, stop) }
	done := make(chan error, 1)
	e := one.hears(t, session.TypeTurnFinished, func() { go func() { done <- two.interrupt(t, id) }() })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var end session.TurnFinished
	if err := e.Decode(&end); err != nil || end.Outcome != session.Cancelled {
		t.Errorf("it ended as %s: %v", end.Outcome, err)
	}
}

func TestATurnWhoseProcessIsGoneIsStoppedByTheOneThatWasAsked(t *testing.T) {
	one, two := processes(t)
	id := one.begun(t)
	one.Roster.Stop(0) // which leaves it open
	e := two.hears(t, session.TypeTurnFinished, func() {
		over, err := two.Interrupt(t.Context(), ada(), approval.ViaREST, id)
		if err != nil {
			t.Fatal(err)
		}
		one.log.mu.Lock()
		one.log.gone["one"] = true
		one.log.mu.Unlock()
		<-over
	})
	var end session.TurnFinished
	if err := e.Decode(&end); err != nil || end.Outcome != session.Cancelled {
		t.Errorf("it ended as %s: %v", end.Outcome, err)
	}
}

// left is a session with an open turn whose process is gone, and another process.
func left(t *testing.T) (two process, id string) {
	t.Helper()
	one, two := processes(t)
	id = one.begun(t)
	one.Roster.Stop(0)
	one.log.mu.Lock()
	defer one.log.mu.Unlock()
	one.log.gone["one"] = true
	return two, id
}

func TestATurnThatIsTakenOverWhileItIsStoppedEnds(t *testing.T) {
	two, id := left(t)
	two.log.taken = func(id string) {
		if err := two.agent.Resume(id); err != nil {
			t.Error(err)
		}
	}
	if err := two.interrupt(t, id); err != nil {
		t.Fatal(err)
	}
	if s, err := two.log.Get(t.Context(), id); err != nil || s.TurnOpen {
		t.Errorf("the turn is open: %v", err)
	}
}

func TestASessionThatAProcessLeftIsGoneOnWithByAnother(t *testing.T) {
	two, id := left(t)
	if err := two.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	two.hears(t, session.TypeTurnFinished, func() {
		if err := two.interrupt(t, id); err != nil {
			t.Fatal(err)
		}
	})
	events, err := two.log.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, r := range decoded[approval.Request](t, events, session.TypeApprovalRequested) {
		asked = append(asked, r.ToolName)
	}
	if diff := cmp.Diff([]string{"note"}, asked); diff != "" {
		t.Errorf("what was asked (-want +got):\n%s", diff)
	}
	if *two.asked != 0 {
		t.Errorf("its model was asked again, %d times", *two.asked)
	}
}
