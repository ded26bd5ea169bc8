package wsapprover_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/wsapprover"
)

// guarded is a gateway whose tabs come in by credentials.
func guarded(t *testing.T, o setup) (*gateway, *auth.Keyring) {
	t.Helper()
	keys, err := auth.OpenKeyring(t.Context(), &auth.Memory{}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	o.keyring = keys
	return start(t, o), keys
}

var root = auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}

// member makes a token and returns it with its identity.
func member(t *testing.T, keys *auth.Keyring, name string, a auth.Access) auth.Identity {
	t.Helper()
	a.Name = name
	c, _, err := keys.NewToken(t.Context(), root, a)
	if err != nil {
		t.Fatal(err)
	}
	return c.Identity()
}

func (c *client) greeted() *client {
	c.until("snapshot")
	return c
}

func TestATabIsClosedWhenItsAccessIsRevokedAndTakesNothingMore(t *testing.T) {
	t.Parallel()
	g, keys := guarded(t, setup{})
	boss := member(t, keys, "boss", auth.Access{Roles: []auth.Role{auth.Admin}})
	ann := member(t, keys, "ann", auth.Access{Roles: []auth.Role{auth.Approver}})
	watching, tab := g.connect(t, boss).greeted(), g.connect(t, ann).greeted()
	watching.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	r := as[approval.Request](t, tab.until("approvalRequest"))
	ticket := issue(t, g.tickets, ann)
	if _, err := keys.Revoke(t.Context(), root, ann.Credential); err != nil {
		t.Fatal(err)
	}
	_ = tab.ws.WriteJSON(map[string]any{ // the connection may be closed
		"event": "approvalResponse", "id": "late", "data": map[string]any{"approvalId": r.ApprovalID, "status": "approved"},
	})
	if code := tab.closed(); code != websocket.ClosePolicyViolation {
		t.Errorf("closed with %d", code)
	}
	g.wantPending(t, 1)
	if _, response, err := g.dial(ticket, http.Header{"Origin": {g.server.URL}}); err == nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("an earlier ticket: %v", err)
	}
	watching.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "denied"})
	if f := watching.reply("a"); f.Event != "ack" {
		t.Errorf("the other tab: %s %s", f.Event, f.Data)
	}
}

// However an answer and the revocation of who gives it fall together, what is
// recorded after the revocation is not by them.
func TestAnAnswerThatComesWithTheRevocationIsTakenBeforeItOrNotAtAll(t *testing.T) {
	t.Parallel()
	g, keys := guarded(t, setup{})
	boss := member(t, keys, "boss", auth.Access{Roles: []auth.Role{auth.Admin}})
	watching := g.connect(t, boss).greeted()
	for i := range 40 {
		ann := member(t, keys, "ann", auth.Access{Roles: []auth.Role{auth.Approver}})
		tab := g.connect(t, ann).greeted()
		watching.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
		r := as[approval.Request](t, tab.until("approvalRequest"))
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_ = tab.ws.WriteJSON(map[string]any{
				"event": "approvalResponse", "id": "a", "data": map[string]any{"approvalId": r.ApprovalID, "status": "approved"},
			})
		}()
		if i%2 == 0 {
			<-sent
		}
		if _, err := keys.Revoke(t.Context(), root, ann.Credential); err != nil {
			t.Fatal(err)
		}
		revoked := time.Now()
		<-sent
		tab.closed()
		row, err := g.manager.Get(t.Context(), r.ApprovalID)
		if err != nil {
			t.Fatal(err)
		}
		if row.Status != approval.Pending && row.Response.At.After(revoked) {
			t.Fatalf("round %d: answered at %s, revoked at %s", i, row.Response.At, revoked)
		}
		if _, err := g.manager.Decide(t.Context(), boss, approval.Response{ApprovalID: r.ApprovalID, Status: approval.Denied}); err != nil && !errors.Is(err, approval.ErrDecided) {
			t.Fatal(err)
		}
	}
}

func TestATabWhoseRoleChangesComesInAsWhatItIsNow(t *testing.T) {
	t.Parallel()
	g, keys := guarded(t, setup{})
	ann := member(t, keys, "ann", auth.Access{Roles: []auth.Role{auth.Approver, auth.Operator}})
	tab := g.connect(t, ann).greeted()
	viewer := []auth.Role{auth.Viewer}
	if _, err := keys.Update(t.Context(), root, ann.Credential, auth.Change{Roles: &viewer}); err != nil {
		t.Fatal(err)
	}
	tab.closed()
	again := g.connect(t, ann) // a ticket that still says approver
	if w := as[wsapprover.Welcome](t, again.until("welcome")); len(w.Identity.Roles) != 1 || w.Identity.Roles[0] != auth.Viewer {
		t.Errorf("welcomed as %+v", w.Identity)
	}
	again.send("message", "m", map[string]any{"sessionId": g.session(t), "text": "hello"})
	if f := again.reply("m"); as[failure](t, f).Code != "forbidden" {
		t.Errorf("it may still talk: %s %s", f.Event, f.Data)
	}
}

func TestOnlySoManyTabsAreOpenWithOneLogin(t *testing.T) {
	t.Parallel()
	g, keys := guarded(t, setup{places: auth.NewPlaces(2, 0)})
	ann := member(t, keys, "ann", auth.Access{Roles: []auth.Role{auth.Viewer}})
	first := g.connect(t, ann).greeted()
	g.connect(t, ann).greeted()
	dial := func() int {
		ws, response, err := g.dial(issue(t, g.tickets, ann), http.Header{"Origin": {g.server.URL}})
		if err == nil {
			_ = ws.Close()
		}
		return response.StatusCode
	}
	if code := dial(); code != http.StatusTooManyRequests {
		t.Errorf("a third: %d", code)
	}
	g.connect(t, member(t, keys, "bob", auth.Access{Roles: []auth.Role{auth.Viewer}})).greeted()
	_ = first.ws.Close()
	for deadline := time.Now().Add(patience); dial() != http.StatusSwitchingProtocols; {
		if time.Now().After(deadline) {
			t.Fatal("the place of the one that was closed is not given to another")
		}
	}
}

// Each glance is told to every tab: a login may cast only so many, whatever tabs it has.
func TestTheGlancesOfALoginAreCountedOverItsTabs(t *testing.T) {
	t.Parallel()
	g := start(t, setup{})
	who := ada()
	who.Root = "one login"
	for range 2 {
		tab := g.connect(t, who)
		for i := range 9 {
			tab.send("viewing", fmt.Sprint(i), map[string]any{"approvalId": uuid.NewString()})
			tab.reply(fmt.Sprint(i))
		}
	}
	if left := wsapprover.GlancesLeft(g.hub, who.Root); left > 19 {
		t.Errorf("after 18 of 20 there are %g left", left)
	}
}

func TestATabThatIsForAnotherAgentLearnsNothing(t *testing.T) {
	t.Parallel()
	g, keys := guarded(t, setup{})
	boss := g.connect(t, member(t, keys, "boss", auth.Access{Roles: []auth.Role{auth.Admin}})).greeted()
	before := g.session(t)
	other := g.connect(t, member(t, keys, "other", auth.Access{Roles: []auth.Role{auth.Admin}, Agents: []string{"other"}}))
	if s := other.until("snapshot"); strings.Contains(string(s.Data), before) {
		t.Errorf("the snapshot has %s", s.Data)
	}
	boss.send("message", "m", map[string]any{"sessionId": before, "text": "hello"})
	r := as[approval.Request](t, boss.until("approvalRequest"))
	boss.send("viewing", "v", map[string]any{"approvalId": r.ApprovalID})
	boss.reply("v")
	for id, data := range map[string]map[string]any{
		"unknown_session subscribe":         {"session": before},
		"unknown_session message":           {"sessionId": before, "text": "approve"},
		"unknown_approval approvalResponse": {"approvalId": r.ApprovalID, "status": "approved"},
		"unknown_approval cancel":           {"approvalId": r.ApprovalID},
		"unknown_session cancel":            {"sessionId": before},
	} {
		code, event, _ := strings.Cut(id, " ")
		other.send(event, id, data)
		f := other.next()
		if f.ID != id || as[failure](t, f).Code != code {
			t.Errorf("%s: %s %s", id, f.Event, f.Data)
		}
	}
	g.wantPending(t, 1)
	boss.send("approvalResponse", "a", map[string]any{"approvalId": r.ApprovalID, "status": "denied"})
	boss.reply("a")
	other.send("hello", "end", map[string]any{"capabilities": []string{"approvals"}})
	if f := other.next(); f.ID != "end" {
		t.Errorf("it was told of %s %s", f.Event, f.Data)
	}
}
