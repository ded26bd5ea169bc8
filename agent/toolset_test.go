package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// served is a tool of a server, and the schema that it has now.
type served struct {
	name, schema string
	ran          *[]string
}

func (s served) Spec() tool.Spec {
	return tool.Spec{Name: s.name, Schema: tool.JSON(s.schema)}
}

func (s served) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	*s.ran = append(*s.ran, s.name+" "+string(c.Args))
	return tool.Result{Text: "ran " + s.name}, nil
}

// server is a toolset that a test changes; under the mutex while the agent is at
// work.
type server struct {
	mu    sync.Mutex
	tools []tool.Tool
	err   error
	asked []string // by which sessions
	ran   []string
}

func (s *server) set() []agent.Toolset {
	return []agent.Toolset{{Name: "files", Prefix: "files__", Tools: func(_ context.Context, sessionID string) ([]tool.Tool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, sessionID)
		return s.tools, s.err
	}}}
}

func (s *server) has(names ...string) {
	s.tools = nil
	for _, n := range names {
		s.tools = append(s.tools, served{n, `{"type":"object"}`, &s.ran})
	}
}

// calling makes one call of each tool named, then says what it has read.
func calling(names ...string) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		last := p.Messages[len(p.Messages)-1]
		if last.Role != model.User {
			return model.Reply{Text: last.Text}, nil
		}
		var r model.Reply
		for _, n := range names {
			r.Calls = append(r.Calls, model.Call{Name: n, Args: tool.JSON(`{"ok":1}`)})
		}
		return r, nil
	}
}

func specNames(p model.Prompt) []string {
	var names []string
	for _, s := range p.Tools {
		names = append(names, s.Name)
	}
	return names
}

func TestAToolsetsToolsAreThoseItHasNow(t *testing.T) {
	s, m := &server{}, &reader{}
	s.has("files__read", "note") // the second is the agent's own, and stays its own
	k := newKit(t, agent.Config{Model: m, Handler: byArgs(), Toolsets: s.set()})
	id := k.session(t)
	run := func(want ...string) {
		t.Helper()
		if _, err := k.Run(t.Context(), id, "go"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, specNames(m.last())); diff != "" {
			t.Error(diff)
		}
	}
	run("note", "files__read")
	s.has("files__write", "files__read")
	run("note", "files__write", "files__read")
	s.has()
	run("note")
	for _, asked := range s.asked {
		if asked != id {
			t.Errorf("it was asked for session %q", asked)
		}
	}
}

func TestACallOfAToolsetGoesThroughTheGate(t *testing.T) {
	s := &server{}
	s.has("files__read", "files__no")
	k := newKit(t, agent.Config{Model: calling("files__read"), Handler: byArgs(), Toolsets: s.set()})
	if words, err := k.Run(t.Context(), "", "go"); err != nil || words != "ran files__read" {
		t.Errorf("it said %q, %v", words, err)
	}
	found, err := k.runtime.Approvals.Search(t.Context(), approval.Search{ToolName: "files__read"})
	if err != nil || len(found.Rows) != 1 || found.Rows[0].Status != approval.Approved {
		t.Errorf("its rows are %+v, %v", found.Rows, err)
	}
}

func TestWithoutAToolsetTheModelIsToldAndTheTurnGoesOn(t *testing.T) {
	s, m := &server{err: errors.New("could not start\x1b[31m")}, &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: byArgs(), Toolsets: s.set()})
	id := k.session(t)
	if _, err := k.Run(t.Context(), id, "go"); err != nil || !strings.Contains(m.last().System, "The tools of files can't be used at the moment.") || strings.Contains(m.last().System, "could not start") {
		t.Errorf("%v, and the model was told %q", err, m.last().System)
	}
	s.err = nil
	s.has("files__read")
	if _, err := k.Run(t.Context(), id, "go"); err != nil || strings.Contains(m.last().System, "files") || len(m.last().Tools) != 2 {
		t.Errorf("%v, and the model was told %q", err, m.last().System)
	}
	s.err = errors.New("it ended")
	if _, err := k.Run(t.Context(), id, "go"); err != nil || len(m.last().Tools) != 1 {
		t.Errorf("%v, and the model has %v", err, specNames(m.last()))
	}
}

func TestAToolsetThatBreaksIsOneThatIsNotThere(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: byArgs(), Toolsets: []agent.Toolset{{Name: "files", Tools: func(context.Context, string) ([]tool.Tool, error) {
		panic("a nil map")
	}}}})
	if _, err := k.Run(t.Context(), "", "go"); err != nil || !strings.Contains(m.last().System, "can't be used at the moment") {
		t.Errorf("%v, and the model was told %q", err, m.last().System)
	}
}

func TestASessionIsOfferedWhatIsItsOwn(t *testing.T) {
	m, mine := &reader{}, ""
	k := newKit(t, agent.Config{Model: m, Handler: byArgs(), Toolsets: []agent.Toolset{{Name: "files", Tools: func(_ context.Context, sessionID string) ([]tool.Tool, error) {
		if sessionID == mine {
			return nil, errors.New("could not start")
		}
		return []tool.Tool{served{"files__read", `{"type":"object"}`, nil}}, nil
	}}}})
	mine = k.session(t)
	for id, want := range map[string]int{mine: 1, k.session(t): 2} {
		if _, err := k.Run(t.Context(), id, "go"); err != nil || len(m.last().Tools) != want {
			t.Errorf("%v; it is offered %v", err, specNames(m.last()))
		}
	}
}

func TestACallOfAToolThatIsGoneIsClosedInWords(t *testing.T) {
	s := &server{err: errors.New("could not start")}
	k := newKit(t, agent.Config{Model: calling("files__read"), Handler: byArgs(), Toolsets: s.set()})
	words, err := k.Run(t.Context(), "", "go")
	if err != nil || !strings.Contains(words, `no such tool: "files__read"`) || !strings.Contains(words, "there are: note. The tools of files can't be used at the moment.") || strings.Contains(words, "..") {
		t.Errorf("it said %q, %v", words, err)
	}
}

func TestAGrantEndsWhenItsToolTakesOtherArguments(t *testing.T) {
	s := &server{}
	s.has("files__read")
	k := newKit(t, agent.Config{Model: calling("files__read"), Toolsets: s.set(), Handler: approval.HandlerFunc(
		func(context.Context, approval.Request) (approval.Response, error) {
			return approval.Response{Status: approval.Approved, Scope: approval.Session, Grant: approval.GrantTerms{Covers: approval.CoverTool}}, nil
		})})
	id := k.session(t)
	live := func() int {
		t.Helper()
		grants, err := k.runtime.Approvals.Grants(t.Context(), approval.GrantQuery{Live: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(grants)
	}
	if _, err := k.Run(t.Context(), id, "go"); err != nil || live() != 1 {
		t.Fatalf("%v; %d grants live", err, live())
	}
	s.tools = []tool.Tool{served{"files__read", `{"type":"object","properties":{"all":{"type":"boolean"}}}`, &s.ran}}
	k.SetApprovalHandler(silent())
	asked := k.bus.Subscribe(8, approval.Requests)
	defer asked.Close()
	if _, err := k.Send(t.Context(), ada(), id, "again"); err != nil {
		t.Fatal(err)
	}
	if _, err := asked.Next(t.Context()); err != nil || live() != 0 {
		t.Errorf("%v; %d grants live", err, live())
	}
}

// restarted is an agent whose process has ended while a call of its toolset was
// asked for; the toolset is not there yet when it comes back.
func restarted(t *testing.T, s *server) (*kit, string) {
	t.Helper()
	s.has("files__read")
	k := newKit(t, agent.Config{Model: calling("files__read"), Handler: silent(), Toolsets: s.set(), Timeout: time.Minute})
	id := k.asking(t, 1)
	k.Stop(0)
	s.err = errors.New("it can be started again in 1s")
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := k.Resume(id); err != nil {
		t.Fatal(err)
	}
	return k, id
}

func TestACallThatWasAskedForWaitsForItsToolset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		k, id := restarted(t, s)
		synctest.Wait()
		pending, err := k.PendingApprovals(t.Context())
		if err != nil || len(pending) != 1 {
			t.Fatalf("%v waits, %v", pending, err)
		}
		answer := approval.Response{ApprovalID: pending[0].ApprovalID, Status: approval.Approved}
		if _, err := k.runtime.Approvals.Decide(t.Context(), ada(), answer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		s.mu.Lock()
		if len(s.ran) > 0 {
			t.Errorf("without its server %v ran", s.ran)
		}
		s.err = nil
		s.mu.Unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := k.results(t, id); len(s.ran) != 1 || len(got) != 1 || got[0] != "ran files__read" {
			t.Errorf("ran %v, results %q", s.ran, got)
		}
	})
}

func TestACallWhoseToolsetDoesNotComeBackEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, id := restarted(t, &server{})
		go func() { _ = k.runtime.Approvals.Run(t.Context()) }() // which looks after deadlines
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := k.results(t, id); len(got) != 1 || !strings.Contains(got[0], "nobody answered") {
			t.Errorf("results %q", got)
		}
	})
}

func TestAnAgentIsListedWithItsToolsWhereTheyRunAndHowTheyAreCleared(t *testing.T) {
	s, m := &server{}, &reader{}
	s.has("files__read", "files__write")
	pattern, err := approval.CompilePattern(`\{.*\}`)
	if err != nil {
		t.Fatal(err)
	}
	sets := s.set()
	sets[0].Server = "files"
	sets[0].Terms = gate.SetTerms{
		All: approval.Terms{Need: approval.NeedNone},
		Tools: map[string]approval.Terms{"files__write": {
			Need: approval.NeedAsk, Message: "Write {path}", Scopes: []approval.Scope{approval.Once}, Pattern: pattern,
			Options: []approval.Option{{Word: "Yes", Status: approval.Approved, Scope: approval.Once}},
		}},
	}
	k := newKit(t, agent.Config{Model: m, Handler: byArgs(), Toolsets: sets})
	roster := agent.NewRoster(k.runtime, k.Agent)
	listed := func() []agent.ToolInfo {
		t.Helper()
		list := roster.Agents()
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		return list[0].Tools
	}
	if got := listed(); len(got) != 1 || got[0].Name != "note" || got[0].Location != "server" || got[0].Server != "" || got[0].Approval.Required != nil {
		t.Errorf("before a session: %+v", got)
	}
	if _, err := k.Run(t.Context(), "", "go"); err != nil {
		t.Fatal(err)
	}
	no, yes, schema := false, true, tool.JSON(`{"type":"object"}`)
	want := []agent.ToolInfo{
		{Name: "files__read", Schema: schema, Location: "server", Server: "files", Approval: approval.TermsView{Required: &no}},
		{Name: "files__write", Schema: schema, Location: "server", Server: "files", Approval: approval.TermsView{
			Required: &yes, Message: "Write {path}", Scope: approval.Once, Pattern: `\{.*\}`, Options: sets[0].Terms.Tools["files__write"].Options,
		}},
	}
	if diff := cmp.Diff(want, listed()[1:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next := map[string]gate.AgentTerms{"demo": {Sets: map[string]gate.SetTerms{"files": {All: approval.Terms{Need: approval.NeedAsk}}}}}
	if err := k.runtime.Approvals.Configure(t.Context(), next, func() {}); err != nil {
		t.Fatal(err)
	}
	if got := listed()[1].Approval; got.Required == nil || !*got.Required || got.Scope != approval.Session {
		t.Errorf("after a reload: %+v", got)
	}
}
