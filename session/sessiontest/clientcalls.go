package sessiontest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// Nodes are some that work together, each with a way to leave.
type Nodes func(t *testing.T, n int) (all []session.ClientCalls, leave []func())

// RunClientCalls holds a ClientCalls to what it promises.
func RunClientCalls(t *testing.T, nodes Nodes) {
	t.Run("what others have shown", nodes.shown)
	t.Run("a call's way to its result", nodes.handed)
	t.Run("what begun with is not taken back", nodes.begun)
	t.Run("a node that has left", nodes.left)
	t.Run("one takes back or begins", nodes.race)
}

func clientCall(node int64) session.ClientCall {
	return session.ClientCall{
		ID: "c", SessionID: "s", AgentID: "demo", ToolName: "count", Args: tool.JSON(`{"to":3}`), Output: tool.JSON(`{"type":"object"}`),
		ExpiresAt: time.Now().Add(time.Minute).UTC().Truncate(time.Second), Node: node,
	}
}

// node is what the others know a node by.
func node(t *testing.T, from, to session.ClientCalls, name string) int64 {
	t.Helper()
	if err := to.Show(t.Context(), session.Clients{Tools: []session.ClientTools{{Names: []string{name}}}}); err != nil {
		t.Fatal(err)
	}
	others, err := from.Others(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range others {
		if len(o.Tools) == 1 && o.Tools[0].Runs("demo", name) {
			return o.Node
		}
	}
	t.Fatalf("nobody has %s: %+v", name, others)
	return 0
}

func (nodes Nodes) shown(t *testing.T) {
	all, leave := nodes(t, 3)
	want := session.Clients{
		Tools:   []session.ClientTools{{Names: []string{"a"}, Agents: []string{"demo"}, Sessions: []string{"s"}}},
		Answers: [][]string{nil, {"demo"}},
	}
	for _, c := range []session.Clients{{}, want} { // the later takes the place of the earlier
		if err := all[0].Show(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	other := node(t, all[1], all[2], "b")
	shown, err := all[1].Others(t.Context())
	if err != nil || len(shown) != 2 {
		t.Fatalf("the other two have shown %+v (%v)", shown, err)
	}
	for _, s := range shown {
		if want.Node = s.Node; s.Node != other && cmp.Diff(want, s, cmpopts.EquateEmpty()) != "" {
			t.Errorf("(-want +got)\n%s", cmp.Diff(want, s))
		}
	}
	leave[0]()
	if shown, err := all[1].Others(t.Context()); err != nil || len(shown) != 1 || shown[0].Node != other {
		t.Errorf("after one has left: %+v (%v)", shown, err)
	}
}

// open are the calls that a node has handed to others, and those handed to it.
func open(t *testing.T, of session.ClientCalls) (away, here []session.ClientCall) {
	t.Helper()
	away, here, err := of.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return away, here
}

func changed(t *testing.T, of session.ClientCalls) {
	t.Helper()
	select {
	case <-of.Changed():
	case <-time.After(30 * time.Second):
		t.Fatal("it is not told of a change")
	}
}

func (nodes Nodes) handed(t *testing.T) {
	all, _ := nodes(t, 3)
	runner, taker, other := all[0], all[1], all[2]
	call := clientCall(node(t, runner, taker, "count"))
	if err := runner.Hand(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	changed(t, taker)
	call.State = session.CallHanded
	_, here := open(t, taker)
	if diff := cmp.Diff([]session.ClientCall{call}, here); diff != "" {
		t.Errorf("(-handed +there)\n%s", diff)
	}
	for what, err := range map[string]error{
		"start":  other.Start(t.Context(), "c"),
		"return": other.Return(t.Context(), "c"),
		"finish": runner.Finish(t.Context(), "c", tool.Result{Text: "x"}),
		"none":   taker.Start(t.Context(), "another"),
	} {
		if !errors.Is(err, session.ErrCallGone) {
			t.Errorf("%s, of one that does not have it: %v", what, err)
		}
	}
	if err := errors.Join(taker.Start(t.Context(), "c"), taker.Start(t.Context(), "c")); err != nil {
		t.Error(err)
	}
	changed(t, runner)
	if away, _ := open(t, runner); len(away) != 1 || away[0].State != session.CallStarted || away[0].Gone {
		t.Errorf("once it is begun: %+v", away)
	}
	result := tool.Result{Text: "3", Structured: tool.JSON(`3`)}
	if err := taker.Finish(t.Context(), "c", result); err != nil {
		t.Fatal(err)
	}
	if err := taker.Finish(t.Context(), "c", tool.Result{Text: "4"}); !errors.Is(err, session.ErrCallGone) {
		t.Errorf("finished twice: %v", err)
	}
	changed(t, runner)
	away, _ := open(t, runner)
	if len(away) != 1 || away[0].State != session.CallFinished || cmp.Diff(result, away[0].Result) != "" {
		t.Errorf("once it is finished: %+v", away)
	}
	for range 2 { // the second time there is nothing to do
		if err := runner.End(t.Context(), "c"); err != nil {
			t.Error(err)
		}
	}
	changed(t, taker)
	for i, of := range all {
		if away, here := open(t, of); len(away)+len(here) > 0 {
			t.Errorf("after its end node %d has %+v and %+v", i, away, here)
		}
	}
	if err := taker.Start(t.Context(), "c"); !errors.Is(err, session.ErrCallGone) {
		t.Errorf("begun with after its end: %v", err)
	}
}

func (nodes Nodes) begun(t *testing.T) {
	all, _ := nodes(t, 3)
	runner, taker, next := all[0], all[1], all[2]
	call := clientCall(node(t, runner, taker, "count"))
	if err := errors.Join(runner.Hand(t.Context(), call), taker.Return(t.Context(), "c")); err != nil {
		t.Fatal(err)
	}
	if away, _ := open(t, runner); len(away) != 1 || away[0].State != session.CallReturned {
		t.Errorf("once it is returned: %+v", away)
	}
	if _, here := open(t, taker); len(here) > 0 {
		t.Errorf("who has returned it has %+v", here)
	}
	if err := taker.Start(t.Context(), "c"); !errors.Is(err, session.ErrCallGone) {
		t.Errorf("begun with once it is returned: %v", err)
	}
	if err := runner.TakeBack(t.Context(), "c"); err != nil {
		t.Error(err)
	}
	call.Node = node(t, runner, next, "more")
	if err := errors.Join(runner.Hand(t.Context(), call), next.Start(t.Context(), "c")); err != nil {
		t.Fatal(err)
	}
	if err := next.Return(t.Context(), "c"); !errors.Is(err, session.ErrCallGone) {
		t.Errorf("returned once it is begun with: %v", err)
	}
	if err := runner.TakeBack(t.Context(), "c"); !errors.Is(err, session.ErrCallBegun) {
		t.Errorf("taken back once it is begun with: %v", err)
	}
	if err := runner.Hand(t.Context(), call); err == nil {
		t.Error("it was handed out twice")
	}
}

func (nodes Nodes) left(t *testing.T) {
	all, leave := nodes(t, 2)
	call := clientCall(node(t, all[0], all[1], "count"))
	if err := all[0].Hand(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	leave[1]()
	if away, _ := open(t, all[0]); len(away) != 1 || !away[0].Gone || away[0].State != session.CallHanded {
		t.Errorf("its node has left: %+v", away)
	}
	if err := all[0].TakeBack(t.Context(), "c"); err != nil {
		t.Error(err)
	}

	all, leave = nodes(t, 2)
	call = clientCall(node(t, all[0], all[1], "count"))
	if err := all[0].Hand(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	leave[0]()
	if _, here := open(t, all[1]); len(here) > 0 {
		t.Errorf("who runs its session has left, and it is there: %+v", here)
	}
}

// race has a node begin with a call while the runner takes it back.
func (nodes Nodes) race(t *testing.T) {
	all, _ := nodes(t, 2)
	call := clientCall(node(t, all[0], all[1], "count"))
	for range 20 {
		if err := all[0].Hand(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		var begun, back error
		var both sync.WaitGroup
		both.Go(func() { begun = all[1].Start(t.Context(), "c") })
		both.Go(func() { back = all[0].TakeBack(t.Context(), "c") })
		both.Wait()
		if (begun == nil) == (back == nil) {
			t.Errorf("begun with: %v; taken back: %v", begun, back)
		}
		if err := all[0].End(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
	}
}
