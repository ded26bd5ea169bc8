package wsapprover_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/wsapprover"
)

// seesLooking checks who is said to look at a request, next.
func (c *client) seesLooking(t *testing.T, approvalID string, viewers ...string) {
	t.Helper()
	want := approval.Viewing{ApprovalID: approvalID, Viewers: append([]string{}, viewers...)}
	if diff := cmp.Diff(want, as[approval.Viewing](t, c.until("presence"))); diff != "" {
		t.Errorf("it is told (-want +got):\n%s", diff)
	}
}

func TestTabsLearnWhoElseLooksAtARequest(t *testing.T) {
	t.Parallel()
	g, tab, r := asked(t)
	other := g.tab(t)
	other.send("viewing", "v", map[string]any{"approvalId": r.ApprovalID})
	tab.seesLooking(t, r.ApprovalID, "ada")
	_ = other.ws.Close()
	tab.seesLooking(t, r.ApprovalID)
}

func TestTabsLearnWhoLooksAtARequestAtAnotherGateway(t *testing.T) {
	t.Parallel()
	const id = "0197c5a0-0000-7000-8000-000000000001"
	said := make(chan approval.Viewing, 10)
	one, two := start(t, setup{viewing: func(v approval.Viewing) { said <- v }}), start(t, setup{})
	here, there := one.tab(t), two.tab(t)
	here.send("viewing", "v", map[string]any{"approvalId": id})
	two.hub.Viewed("one", <-said)
	there.seesLooking(t, id, "ada")
	two.hub.Viewed("three", approval.Viewing{ApprovalID: id, Viewers: []string{"ada", "bob"}})
	there.seesLooking(t, id, "ada", "bob")
	here.send("viewing", "w", map[string]any{"approvalId": ""})
	two.hub.Viewed("one", <-said)
	two.hub.Viewed("three", approval.Viewing{ApprovalID: id})
	there.seesLooking(t, id, "ada", "bob")
	there.seesLooking(t, id)
}

func TestWhatAGatewaySaysOfItsTabsIsSaidAgainAndForgottenWhenItIsNot(t *testing.T) {
	t.Parallel()
	const id = "0197c5a0-0000-7000-8000-000000000001"
	said := make(chan approval.Viewing, 10)
	g := start(t, setup{viewing: func(v approval.Viewing) { said <- v }})
	tab := g.tab(t)
	tab.send("viewing", "v", map[string]any{"approvalId": id})
	first := <-said
	wsapprover.SayViewing(g.hub, time.Now())
	if diff := cmp.Diff(first, <-said); diff != "" {
		t.Errorf("it is said again otherwise (-first +again):\n%s", diff)
	}
	tab.seesLooking(t, id, "ada")
	g.hub.Viewed("other", approval.Viewing{ApprovalID: id, Viewers: []string{"bob"}})
	tab.seesLooking(t, id, "ada", "bob")
	g.hub.Viewed("other", approval.Viewing{ApprovalID: id, Viewers: []string{"bob"}}) // of which nobody need be told
	wsapprover.SayViewing(g.hub, time.Now().Add(wsapprover.ViewedFor+time.Second))
	tab.seesLooking(t, id, "ada")
}
