package wsapprover_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/session/sessiontest"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

var (
	_ session.ClientCalls = (*sessiontest.Member)(nil)
	_ session.ClientCalls = (*store.ClientCalls)(nil)
)

// peer is a gateway of several, and its place among them.
type peer struct {
	*runner
	*sessiontest.Member
}

// peers starts some that work together. The first one runs what is called.
func peers(t *testing.T, n int) (all []peer) {
	t.Helper()
	var cluster sessiontest.Cluster
	for range n {
		member, clients := cluster.Join(), wsapprover.NewClientTools()
		clients.Across(member, nil)
		made, err := clients.Tool(door.ClientTool{Spec: tool.Spec{Name: "count"}, Output: tool.JSON(counts), Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, peer{&runner{gateway: start(t, setup{clients: clients}), tool: made}, member})
	}
	return all
}

// notGiven checks that a tab has been given nothing by now.
func (c *client) notGiven(t *testing.T) {
	t.Helper()
	c.send("viewing", "v", map[string]any{"approvalId": ""})
	for {
		f := c.next()
		if f.Event == "toolCall" {
			t.Errorf("it was given %s as well", f.Data)
		}
		if f.ID == "v" {
			return
		}
	}
}

func (c *client) finish(t *testing.T, id string) {
	t.Helper()
	c.send("toolResult", "r"+id, map[string]any{"toolCallId": id, "result": map[string]any{"n": 7}})
	if f := c.reply("r" + id); f.Event != "ack" {
		t.Errorf("the result got %s", f.Data)
	}
}

func TestACallThatNoTabHereTakesGoesToOneOfAnotherGateway(t *testing.T) {
	t.Parallel()
	all := peers(t, 3)
	tabs := []*client{all[1].able(t, "count"), all[2].able(t, "count")}
	result := all[0].call(t.Context(), "c")
	one, other := tabs[0], tabs[1]
	one.given(t) // the first that was seen
	one.send("toolStart", "1", map[string]any{"toolCallId": "c"})
	if f := one.reply("1"); f.Event != "ack" {
		t.Errorf("its start got %s", f.Data)
	}
	one.send("toolResult", "2", map[string]any{"toolCallId": "c", "result": map[string]any{"n": "one"}})
	if f := one.reply("2"); f.Event != "error" || as[failure](t, f).Code != "invalid" {
		t.Errorf("a result that does not fit got %s %s", f.Event, f.Data)
	}
	other.send("toolResult", "3", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 1}})
	if f := other.reply("3"); f.Event != "error" || as[failure](t, f).Code != "unknown_call" {
		t.Errorf("the result of one that does not have it got %s %s", f.Event, f.Data)
	}
	one.finish(t, "c")
	if got := <-result; got.IsError || got.Text != `{"n":7}` || string(got.Structured) != `{"n":7}` {
		t.Errorf("the result is %+v", got)
	}
	other.notGiven(t)
	one.send("toolResult", "4", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 8}})
	if f := one.reply("4"); f.Event != "error" {
		t.Errorf("a second result got %s", f.Event)
	}
}

func TestATabHereComesFirstUnlessOneElsewhereFollowsTheSession(t *testing.T) {
	t.Parallel()
	all := peers(t, 2)
	here, there := all[0].able(t, "count"), all[1].able(t, "count")
	result := all[0].call(t.Context(), "c")
	here.given(t)
	here.finish(t, "c")
	<-result
	there.notGiven(t)
	followed := all[1].session(t)
	there.send("subscribe", "s", map[string]any{"session": followed})
	there.reply("s")
	there.send("hello", "h", map[string]any{"capabilities": []string{"clientTools"}, "tools": []string{"count"}})
	there.reply("h") // the others know by now
	done := make(chan tool.Result, 1)
	go func() {
		got, err := all[0].tool.Run(t.Context(), tool.Call{ID: "d", SessionID: followed, Args: tool.JSON(`{}`)})
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	there.given(t)
	there.finish(t, "d")
	if got := <-done; got.IsError {
		t.Errorf("the result is %+v", got)
	}
	here.notGiven(t)
}

func TestWhereNoTabOfAnyGatewayCanRunACallItEndsAtOnce(t *testing.T) {
	t.Parallel()
	all := peers(t, 2)
	if got := <-all[0].call(t.Context(), "c"); !strings.Contains(got.Text, "No client that runs tools is connected") {
		t.Errorf("without one: %+v", got)
	}
	all[1].able(t, "other")
	if got := <-all[0].call(t.Context(), "d"); !strings.Contains(got.Text, "No client that is connected can run count") {
		t.Errorf("with one that runs others: %+v", got)
	}
}

// seen is a node that says what the others are shown of it.
type seen struct {
	*sessiontest.Member
	shown chan session.Clients
}

func (s seen) Show(ctx context.Context, here session.Clients) error {
	s.shown <- here
	return s.Member.Show(ctx, here)
}

func TestTheOtherGatewaysKnowWhetherSomebodyIsHereWhoMayAnswer(t *testing.T) {
	t.Parallel()
	var cluster sessiontest.Cluster
	there, here := cluster.Join(), seen{cluster.Join(), make(chan session.Clients, 100)}
	clients := wsapprover.NewClientTools()
	var g *gateway
	clients.Across(here, func(c *session.Clients) { c.Answers = g.hub.Answers() })
	g = start(t, setup{clients: clients})
	attended := func(agentID string) bool {
		others, err := there.Others(t.Context())
		if err != nil || len(others) != 1 {
			t.Fatalf("%+v, %v", others, err)
		}
		return others[0].Attended(agentID)
	}
	hello := func(who auth.Identity, capabilities ...string) *client {
		c := g.connect(t, who)
		c.send("hello", "h", map[string]any{"capabilities": capabilities})
		if f := c.reply("h"); f.Event != "ack" {
			t.Fatalf("hello got %s", f.Data)
		}
		return c
	}
	hello(auth.Identity{Subject: "v", Roles: []auth.Role{auth.Viewer}}, "approvals")
	hello(ada())
	if attended("demo") {
		t.Error("who can't answer counts")
	}
	some := ada()
	some.Agents = []string{"other"}
	hello(some, "approvals")
	if attended("demo") || !attended("other") {
		t.Error("who may answer for other is there for demo, or for nobody")
	}
	all := hello(ada(), "approvals")
	if !attended("demo") {
		t.Error("who may answer for all is not there")
	}
	for len(here.shown) > 0 {
		<-here.shown
	}
	_ = all.ws.Close()
	if left := <-here.shown; left.Attended("demo") || !left.Attended("other") {
		t.Errorf("once that one has left there are %+v", left)
	}
}

func TestAGatewayThatHasGivenACallBackIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	all := peers(t, 2)
	gone := session.Clients{Tools: []session.ClientTools{{Names: []string{"count"}}}} // as the others still see it
	if err := all[1].Show(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if got := <-all[0].call(t.Context(), "c"); !strings.Contains(got.Text, "No client that is connected can run count") {
		t.Errorf("the result is %+v", got)
	}
}

func TestWhenATabOfAnotherGatewayGoesBeforeItHasBegunAnyTakesItsPlace(t *testing.T) {
	t.Parallel()
	all := peers(t, 3)
	first := all[1].able(t, "count")
	second := all[1].able(t, "count")
	third := all[2].able(t, "count")
	result := all[0].call(t.Context(), "c")
	first.given(t)
	_ = first.ws.Close()
	second.given(t) // of the same gateway
	_ = second.ws.Close()
	third.given(t) // of another one
	here := all[0].able(t, "count")
	_ = third.ws.Close()
	here.given(t) // of our own
	here.finish(t, "c")
	if got := <-result; got.IsError {
		t.Errorf("the result is %+v", got)
	}
}

func TestWhenATabOfAnotherGatewayGoesAfterItHasBegunNobodyDoesItAgain(t *testing.T) {
	t.Parallel()
	all := peers(t, 3)
	first := all[1].able(t, "count")
	result := all[0].call(t.Context(), "c")
	first.given(t)
	first.send("toolStart", "1", map[string]any{"toolCallId": "c"})
	first.reply("1")
	same, other := all[1].able(t, "count"), all[2].able(t, "count")
	_ = first.ws.Close()
	if got := <-result; !got.IsError || !strings.Contains(got.Text, "went away") {
		t.Errorf("the result is %+v", got)
	}
	same.notGiven(t)
	other.notGiven(t)
}

func TestACallThatIsCancelledIsTakenBackFromATabOfAnotherGateway(t *testing.T) {
	t.Parallel()
	all := peers(t, 2)
	tab := all[1].able(t, "count")
	ctx, cancel := context.WithCancelCause(t.Context())
	result := all[0].call(ctx, "c")
	tab.given(t)
	cancel(errors.New("cancelled by ada"))
	if got := <-result; !got.IsError || !strings.Contains(got.Text, "cancelled by ada. What the client did by then is not known") {
		t.Errorf("cancelled: %+v", got)
	}
	if f := as[wsapprover.ToolCancel](t, tab.until("toolCancel")); f.ToolCallID != "c" {
		t.Errorf("taken back is %s", f.ToolCallID)
	}
	tab.send("toolResult", "1", map[string]any{"toolCallId": "c", "result": map[string]any{"n": 1}})
	if f := tab.reply("1"); f.Event != "error" || as[failure](t, f).Code != "unknown_call" {
		t.Errorf("its result got %s %s", f.Event, f.Data)
	}
	if away, here, err := all[1].Open(t.Context()); err != nil || len(away)+len(here) > 0 {
		t.Errorf("left are %+v %+v (%v)", away, here, err)
	}
}

func TestACallOfAGatewayThatHasDiedIsFreeUnlessItWasBegun(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]bool{"begun": true, "not begun": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := peers(t, 3)
			first := all[1].able(t, "count")
			result := all[0].call(t.Context(), "c")
			first.given(t)
			if begun {
				first.send("toolStart", "1", map[string]any{"toolCallId": "c"})
				first.reply("1")
			}
			next := all[2].able(t, "count")
			all[1].Leave()
			if begun {
				if got := <-result; !got.IsError || !strings.Contains(got.Text, "went away") {
					t.Errorf("the result is %+v", got)
				}
				next.notGiven(t)
				return
			}
			next.given(t)
			first.send("toolStart", "1", map[string]any{"toolCallId": "c"}) // of which nobody hears any more
			if f := first.reply("1"); f.Event != "error" {
				t.Errorf("the start of one whose gateway is gone got %s", f.Event)
			}
			next.finish(t, "c")
			if got := <-result; got.IsError {
				t.Errorf("the result is %+v", got)
			}
		})
	}
}

func TestATabIsToldWhenTheGatewayThatWaitsForItHasDied(t *testing.T) {
	t.Parallel()
	all := peers(t, 2)
	tab := all[1].able(t, "count")
	ctx, cancel := context.WithCancel(t.Context())
	result := all[0].call(ctx, "c")
	tab.given(t)
	all[0].Leave()
	tab.until("toolCancel")
	cancel()
	<-result
}

// hasty sees its other side as dead, which then begins with a call just before it is taken back.
type hasty struct {
	*sessiontest.Member
	begin func()
}

func (h hasty) Open(ctx context.Context) (away, here []session.ClientCall, err error) {
	away, here, err = h.Member.Open(ctx)
	for i := range away {
		away[i].Gone = true
	}
	return away, here, err
}

func (h hasty) TakeBack(ctx context.Context, id string) error {
	h.begin()
	return h.Member.TakeBack(ctx, id)
}

func TestACallThatIsBegunWithAtTheLastMomentIsNotGivenToAnother(t *testing.T) {
	t.Parallel()
	var cluster sessiontest.Cluster
	runner, taker := cluster.Join(), cluster.Join()
	clients := wsapprover.NewClientTools()
	clients.Across(hasty{runner, func() {
		if err := taker.Start(t.Context(), "c"); err != nil {
			t.Error(err)
		}
	}}, nil)
	made, err := clients.Tool(door.ClientTool{Spec: tool.Spec{Name: "count"}, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	r := runnerOf(t, clients, made)
	if err := taker.Show(t.Context(), session.Clients{Tools: []session.ClientTools{{}}}); err != nil {
		t.Fatal(err)
	}
	result := r.call(t.Context(), "c")
	<-taker.Changed()
	here := r.able(t, "count")
	if got := <-result; !got.IsError || !strings.Contains(got.Text, "went away") {
		t.Errorf("the result is %+v", got)
	}
	here.notGiven(t)
}

func runnerOf(t *testing.T, clients *wsapprover.ClientTools, made tool.Tool) *runner {
	t.Helper()
	return &runner{gateway: start(t, setup{clients: clients}), tool: made}
}
