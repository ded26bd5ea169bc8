package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// shifting is a tool of a server that may be another one by the time it runs.
type shifting struct {
	server *server
	spec   tool.Spec
}

// server has one tool, as it is now; gone says that nobody knows.
type server struct {
	mu   sync.Mutex
	spec tool.Spec
	gone error
	ran  []string
}

func (s *shifting) Spec() tool.Spec { return s.spec }

func (s *shifting) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.ran = append(s.server.ran, s.spec.Description+" "+string(c.Args))
	return tool.Result{Text: "ok"}, nil
}

func (s *shifting) Now(context.Context, string) (tool.Tool, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.gone != nil {
		return nil, s.server.gone
	}
	return &shifting{s.server, s.server.spec}, nil
}

func (s *server) now(spec tool.Spec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spec = spec
}

func (s *server) offer(t *testing.T, d *desk) *gate.Gated {
	t.Helper()
	if _, left := d.gate.SetSessionTools(d.session, "set", []tool.Tool{&shifting{s, s.spec}}); len(left) > 0 {
		t.Fatalf("left out: %v", left)
	}
	return d.gate.Tool(d.session, s.spec.Name)
}

func reads() tool.Spec {
	return tool.Spec{Name: "s__do", Description: "reads", Schema: tool.JSON(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}
}

// others are what the tool may have become.
func others() map[string]tool.Spec {
	deletes, strict, trusted := reads(), reads(), reads()
	deletes.Description = "deletes"
	strict.Schema = tool.JSON(`{"type":"object","properties":{"target":{"type":"string"}},"required":["target"],"additionalProperties":false}`)
	trusted.Hints.ReadOnly = true
	return map[string]tool.Spec{"another description": deletes, "another schema": strict, "other hints": trusted}
}

func shiftingCall(d *desk, id string) tool.Call {
	return tool.Call{ID: id, SessionID: d.session, Tool: "s__do", Args: tool.JSON(`{"path":"a"}`)}
}

func TestACallIsAskedAnewWhereItsToolIsNotWhatWasApproved(t *testing.T) {
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			d, s := newDesk(t, deskOptions{}), &server{spec: reads()}
			var shown []string
			d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
				shown = append(shown, r.ToolDigest)
				if len(shown) == 1 {
					s.now(other) // while the person looks at it
					return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved}, nil
				}
				return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Denied}, nil
			}))
			result, err := s.offer(t, d).Run(t.Context(), shiftingCall(d, "c"))
			if err != nil || !result.IsError || len(s.ran) > 0 {
				t.Fatalf("%+v, %v; ran %v", result, err, s.ran)
			}
			if strictjson.Kind(other.Schema) == '{' && name == "another schema" {
				if row := d.row(t, "c"); row.Response.Reason != approval.ValidationFailed || len(shown) != 1 {
					t.Errorf("it is %+v, shown %d times", row.Response, len(shown))
				}
			} else if len(shown) != 2 || shown[0] == shown[1] {
				t.Errorf("shown was %v", shown)
			}
		})
	}
}

func TestACallThatWasApprovedBeforeARestartIsAskedAnewWhereItsToolChanged(t *testing.T) {
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			d, s := newDesk(t, deskOptions{}), &server{spec: reads()}
			ctx, end := context.WithCancel(t.Context())
			asked := make(chan struct{})
			d.gate.SetHandler(approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
				close(asked)
				<-ctx.Done()
				return approval.Response{}, ctx.Err()
			}))
			over := make(chan error, 1)
			gated := s.offer(t, d)
			go func() {
				_, err := gated.Run(ctx, shiftingCall(d, "c"))
				over <- err
			}()
			<-asked
			end() // the process
			<-over
			row := d.row(t, "c")
			if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
				t.Fatal(err)
			}
			d.gate.DropSessionTools(d.session)
			s.now(other)
			d.gate.SetHandler(approvaltest.Says(approval.Denied))
			if result, err := s.offer(t, d).Run(t.Context(), shiftingCall(d, "c")); err != nil || !result.IsError || len(s.ran) > 0 {
				t.Errorf("%+v, %v; ran %v", result, err, s.ran)
			}
			if before, err := d.Store.Get(t.Context(), row.ApprovalID); err != nil || before.Run != approval.RunVoid {
				t.Errorf("what was approved is %s, %v", before.Run, err)
			}
		})
	}
}

func TestAGrantIsForTheToolThatWasShown(t *testing.T) {
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			d, s := newDesk(t, deskOptions{}), &server{spec: reads()}
			first := true
			d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
				if !first {
					return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Denied}, nil
				}
				first = false
				s.now(other) // what is there now was never shown
				s.offer(t, d)
				return approval.Response{
					ApprovalID: r.ApprovalID, Status: approval.Approved, Scope: approval.Session, Grant: approval.GrantTerms{Covers: approval.CoverTool},
				}, nil
			}))
			if _, err := s.offer(t, d).Run(t.Context(), shiftingCall(d, "c")); err != nil {
				t.Fatal(err)
			}
			if len(s.ran) > 0 {
				t.Errorf("unasked: %v", s.ran)
			}
			if err := d.manager.EndOutdated(t.Context(), func(string) bool { return false }); err != nil {
				t.Fatal(err)
			}
			grants, err := d.manager.Grants(t.Context(), approval.GrantQuery{})
			if err != nil || len(grants) != 1 || grants[0].Ended.Reason != approval.GrantToolChanged {
				t.Errorf("%+v, %v", grants, err)
			}
		})
	}
}

func TestACallWhoseToolIsGoneDoesNotRun(t *testing.T) {
	d, s := newDesk(t, deskOptions{}), &server{spec: reads()}
	gated := s.offer(t, d)
	d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = errors.New("the server has it no more")
		return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved}, nil
	}))
	result, err := gated.Run(t.Context(), shiftingCall(d, "c"))
	if err != nil || !result.IsError || !strings.Contains(result.Text, "the server has it no more") || len(s.ran) > 0 {
		t.Errorf("%+v, %v; ran %v", result, err, s.ran)
	}
}

func TestSessionsAreOfferedToolsOfTheirOwn(t *testing.T) {
	d := newDesk(t, deskOptions{})
	mine, yours := &server{spec: reads()}, &server{spec: others()["another description"]}
	d.gate.SetSessionTools("mine", "set", []tool.Tool{&shifting{mine, mine.spec}})
	d.gate.SetSessionTools("yours", "set", []tool.Tool{&shifting{yours, yours.spec}, &shifting{yours, d.Spec()}})
	for session, want := range map[string][]string{"mine": {"reads"}, "yours": {"deletes"}, "": nil} {
		var got []string
		for _, g := range d.gate.SessionTools(session) {
			got = append(got, g.Spec().Description)
		}
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("%q is offered %v, want %v", session, got, want)
		}
	}
	if d.gate.Tool("yours", "shell") != d.tool {
		t.Error("a name of the agent's own was taken")
	}
	before := d.gate.Tool("mine", "s__do")
	if changed, _ := d.gate.SetSessionTools("mine", "set", []tool.Tool{&shifting{mine, reads()}}); changed || d.gate.Tool("mine", "s__do") != before {
		t.Error("a tool that is as it was got another gate")
	}
	if changed, left := d.gate.SetSessionTools("mine", "set", []tool.Tool{&shifting{mine, tool.Spec{Name: "odd", Schema: tool.JSON(`{"type":7}`)}}}); changed || len(left) != 1 {
		t.Errorf("changed %v, left out %v", changed, left)
	}
	d.gate.DropSessionTools("yours")
	if d.gate.Tool("yours", "s__do") != nil || d.gate.Tool("mine", "s__do") != nil {
		t.Error("what was taken back is still there")
	}
}

func TestTheToolsOfASetHaveTermsOfTheirOwnWhichAReloadChanges(t *testing.T) {
	terms := func(all, own approval.Need) map[string]gate.SetTerms {
		return map[string]gate.SetTerms{"set": {
			All: approval.Terms{Need: all}, Tools: map[string]approval.Terms{"s__own": {Need: own, Message: "Own {path}"}},
		}}
	}
	var shown []string
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{
		Sets: terms(approval.NeedNone, approval.NeedAsk),
		Handler: approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
			shown = append(shown, strings.TrimSpace(r.ToolName+" "+r.Message))
			return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved}, nil
		}),
	}})
	own := reads()
	own.Name = "s__own"
	calls := 0
	round := func() {
		t.Helper()
		for _, spec := range []tool.Spec{reads(), own} {
			calls++
			c := shiftingCall(d, "c"+string(rune('a'+calls)))
			c.Tool = spec.Name
			if r, err := d.gate.Tool(d.session, spec.Name).Run(t.Context(), c); err != nil || r.IsError {
				t.Fatalf("%s: %+v, %v", spec.Name, r, err)
			}
		}
	}
	one, two := &server{spec: reads()}, &server{spec: own}
	d.gate.SetSessionTools(d.session, "set", []tool.Tool{&shifting{one, reads()}, &shifting{two, own}})
	round()
	reload := gate.AgentTerms{Sets: terms(approval.NeedAsk, approval.NeedNone)}
	if err := d.manager.Configure(t.Context(), map[string]gate.AgentTerms{"demo": reload}, func() {}); err != nil {
		t.Fatal(err)
	}
	round()
	d.gate.DropSessionTools(d.session)
	d.gate.SetSessionTools(d.session, "set", []tool.Tool{&shifting{one, reads()}, &shifting{two, own}})
	round()
	if got := strings.Join(shown, ", "); got != "s__own Own a, s__do, s__do" {
		t.Errorf("shown was %s", got)
	}
}
