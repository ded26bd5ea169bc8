package approvaltest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func grantOf(t *testing.T, a approval.Approval) approval.Grant {
	t.Helper()
	return approval.Grant{
		ID: newID(t), Scope: approval.Session, AgentID: a.AgentID, SessionID: a.SessionID, ToolName: a.ToolName,
		Covers: approval.Exactly(), Digest: a.ArgsDigest, ToolDigest: "sha256:00", ApprovalID: a.ApprovalID,
		GivenBy: approval.By{Subject: "ada", Via: "test"}, GivenAt: time.Now().UTC().Truncate(time.Microsecond),
	}
}

// give settles a new request of a session by an approval that gives a grant.
func (f Fixture) give(t *testing.T, sessionID, callID string, change func(*approval.Grant)) approval.Grant {
	t.Helper()
	a := f.create(t, approval.New(Request(t, sessionID, callID)))
	g := grantOf(t, a)
	change(&g)
	r := answer(a.ApprovalID, approval.Approved, "ada")
	r.Scope, r.GrantID = approval.Session, g.ID
	if _, err := f.Store.Settle(t.Context(), r, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func asGiven(*approval.Grant) {}

func (f Fixture) held(t *testing.T, sessionID, agentID, toolName string) []string {
	t.Helper()
	list, err := f.Grants.Held(t.Context(), sessionID, agentID, toolName)
	wantErr(t, err, nil)
	ids := []string{}
	for _, g := range list {
		ids = append(ids, g.ID)
	}
	return ids
}

// byGrant is the answer that a grant gives.
func byGrant(approvalID string, g approval.Grant) approval.Response {
	return approval.Response{
		ApprovalID: approvalID, Status: approval.Approved, GrantID: g.ID,
		By: approval.By{Subject: "ada", Via: approval.ViaGrant},
	}
}

func grants(t *testing.T, f Fixture) {
	a := f.pending(t)
	g := grantOf(t, a)
	refused := f.create(t, approval.New(Request(t, a.SessionID, "call-2")))
	_, err := f.Store.Settle(t.Context(), answer(refused.ApprovalID, approval.Denied, "ada"), &g)
	wantErr(t, err, nil)
	wantEqual(t, f.held(t, a.SessionID, a.AgentID, a.ToolName), []string{})

	first := f.give(t, a.SessionID, "call-3", asGiven)
	types := f.journal(t, a.SessionID)
	wantEqual(t, types[len(types)-2:], []session.Type{session.TypeApprovalResolved, session.TypeGrantGiven})
	second := f.give(t, a.SessionID, "call-4", asGiven)
	f = f.again(t)
	wantEqual(t, f.held(t, a.SessionID, a.AgentID, a.ToolName), []string{second.ID, first.ID})
	wantEqual(t, f.held(t, f.session(t), a.AgentID, a.ToolName), []string{})
	wantEqual(t, f.held(t, a.SessionID, "other", a.ToolName), []string{})
	wantEqual(t, f.held(t, a.SessionID, a.AgentID, "read_file"), []string{})
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{SessionID: a.SessionID, Live: true})
	wantErr(t, err, nil)
	wantEqual(t, list, []approval.Grant{second, first})
}

func grantQueries(t *testing.T, f Fixture) {
	s := f.session(t)
	f.give(t, s, "call-1", asGiven)
	counted := f.give(t, s, "call-2", func(g *approval.Grant) { g.MaxUses = 3 })
	timed := f.give(t, s, "call-3", func(g *approval.Grant) { g.ExpiresAt = g.GivenAt.Add(time.Hour) })
	over := f.give(t, s, "call-4", func(g *approval.Grant) { g.MaxUses = 1 })
	_, err := f.Store.EndGrant(t.Context(), over.ID, approval.GrantRevoked, approval.By{})
	wantErr(t, err, nil)
	f = f.again(t)
	for _, c := range []struct {
		query approval.GrantQuery
		want  []approval.Grant
	}{
		{approval.GrantQuery{ID: counted.ID}, []approval.Grant{counted}},
		{approval.GrantQuery{Live: true, Limited: true}, []approval.Grant{timed, counted}},
	} {
		list, err := f.Store.ListGrants(t.Context(), c.query)
		wantErr(t, err, nil)
		wantEqual(t, list, c.want)
	}
}

func uses(t *testing.T, f Fixture) {
	s := f.session(t)
	g := f.give(t, s, "call-1", func(g *approval.Grant) { g.MaxUses = 1 })
	cleared := Request(t, s, "call-2")
	row, err := approval.New(cleared).Settle(byGrant(cleared.ApprovalID, g), cleared.RequestedAt)
	wantErr(t, err, nil)
	f.create(t, row)
	waiting := f.create(t, approval.New(Request(t, s, "call-3")))
	_, err = f.Store.Settle(t.Context(), byGrant(waiting.ApprovalID, g), nil)
	wantErr(t, err, approval.ErrGrantEnded)
	wantState(t, f.row(t, waiting.ApprovalID), approval.Pending, approval.RunNone)

	endless := f.give(t, s, "call-4", asGiven)
	_, err = f.Store.Settle(t.Context(), byGrant(waiting.ApprovalID, endless), nil)
	wantErr(t, err, nil)
	ada := approval.By{Subject: "ada", Via: "test"}
	_, err = f.Store.EndGrant(t.Context(), endless.ID, approval.GrantCrowdedOut, approval.By{})
	wantErr(t, err, nil)
	ended, err := f.Store.EndGrant(t.Context(), endless.ID, approval.GrantRevoked, ada) // also of one that has run out
	wantErr(t, err, nil)
	f = f.again(t)
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{SessionID: s})
	wantErr(t, err, nil)
	if len(list) != 2 || list[0].Uses != 1 || list[1].Uses != 1 {
		t.Errorf("the grants are %+v", list)
	}
	wantEqual(t, []any{list[0].Ended.Reason, list[0].Ended.By}, []any{approval.GrantRevoked, ada})
	again, err := f.Store.EndGrant(t.Context(), endless.ID, approval.GrantExpired, approval.By{})
	wantErr(t, err, nil)
	wantEqual(t, again.Ended, ended.Ended)
	wantEqual(t, f.held(t, s, "demo", "shell"), []string{g.ID})
	next := Request(t, s, "call-5")
	row, err = approval.New(next).Settle(byGrant(next.ApprovalID, endless), next.RequestedAt)
	wantErr(t, err, nil)
	_, err = f.Store.Create(t.Context(), row)
	wantErr(t, err, approval.ErrGrantEnded)
	_, err = f.Store.Get(t.Context(), next.ApprovalID)
	wantErr(t, err, approval.ErrUnknown)
	_, err = f.Store.EndGrant(t.Context(), "nothing", approval.GrantRevoked, ada)
	wantErr(t, err, approval.ErrNoGrant)
}

func crowded(t *testing.T, f Fixture) {
	s := f.session(t)
	oldest := f.give(t, s, "call-0", asGiven)
	for range approval.GrantsPerSession {
		f.give(t, s, newID(t), asGiven)
	}
	held := f.held(t, s, "demo", "shell")
	if len(held) != approval.GrantsPerSession {
		t.Errorf("the session holds %d grants", len(held))
	}
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{SessionID: s})
	wantErr(t, err, nil)
	last := list[len(list)-1]
	wantEqual(t, []any{last.ID, last.Ended.Reason}, []any{oldest.ID, approval.GrantCrowdedOut})
	types := f.journal(t, s)
	wantEqual(t, types[len(types)-2:], []session.Type{session.TypeGrantEnded, session.TypeGrantGiven})
}

func crowdedByOverdue(t *testing.T, f Fixture) {
	s := f.session(t)
	oldest := f.give(t, s, "call-0", asGiven)
	f.give(t, s, "call-1", func(g *approval.Grant) { g.ExpiresAt = g.GivenAt })
	for range approval.GrantsPerSession - 1 {
		f.give(t, s, newID(t), asGiven)
	}
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{ID: oldest.ID})
	wantErr(t, err, nil)
	if len(list) != 1 || list[0].Ended.Reason != approval.GrantCrowdedOut {
		t.Errorf("the oldest is %+v", list)
	}
}

func endedGrants(t *testing.T, f Fixture) {
	s := f.session(t)
	f.give(t, s, "call-1", asGiven)
	if _, err := f.Log.Append(t.Context(), s, session.Ended{Outcome: session.Cancelled}); err != nil {
		t.Fatal(err)
	}
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{SessionID: s})
	wantErr(t, err, nil)
	if len(list) != 1 || list[0].Ended.Reason != approval.GrantSessionEnded {
		t.Errorf("the grants are %+v", list)
	}
}

func givenBefore(t *testing.T, f Fixture) {
	made := func(change func(*approval.Grant)) approval.Grant {
		g := approval.Grant{
			ID: newID(t), Scope: approval.Always, AgentID: "demo", ToolName: "shell", Covers: approval.Exactly(), Args: tool.JSON(`{"command":"uname"}`),
			Digest: "sha256:01", ToolDigest: "sha256:00", GivenBy: approval.By{Subject: "ada", Via: "test"},
			GivenAt: time.Now().UTC().Truncate(time.Microsecond), Standing: true, Directory: "/srv",
		}
		g.ExpiresAt = g.GivenAt.Add(time.Hour)
		change(&g)
		return g
	}
	g := made(asGiven)
	given, err := f.Store.GiveGrant(t.Context(), g)
	wantErr(t, err, nil)
	wantEqual(t, given, g)
	f = f.again(t)
	again, err := f.Store.GiveGrant(t.Context(), made(func(g *approval.Grant) { g.MaxUses = 3 }))
	wantErr(t, err, nil)
	wantEqual(t, again, g)
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), []string{g.ID})

	held := []string{g.ID}
	for _, other := range []func(*approval.Grant){
		func(g *approval.Grant) { g.Digest = "sha256:02" },
		func(g *approval.Grant) { g.Directory = "/tmp" },
		func(g *approval.Grant) { g.ToolDigest = "sha256:03" },
		func(g *approval.Grant) { g.Covers = approval.WholeTool("shell") },
		func(g *approval.Grant) {
			g.Covers = approval.Coverage{Kind: approval.CoverCommand, Command: []string{"ls *"}}
		},
		func(g *approval.Grant) {
			g.Covers = approval.Coverage{Kind: approval.CoverCommand, Command: []string{"wc *"}}
		},
		func(g *approval.Grant) {
			g.Covers = approval.Coverage{Kind: approval.CoverPath, Paths: []string{"/srv"}}
		},
	} {
		given, err := f.Store.GiveGrant(t.Context(), made(other))
		wantErr(t, err, nil)
		held = append([]string{given.ID}, held...)
	}
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), held)

	ada := approval.By{Subject: "ada", Via: "test"}
	ended, err := f.Store.EndGrant(t.Context(), g.ID, approval.GrantRevoked, ada)
	wantErr(t, err, nil)
	wantEqual(t, ended.Ended.Reason, approval.GrantRevoked)
	next, err := f.Store.GiveGrant(t.Context(), made(asGiven))
	wantErr(t, err, nil)
	if next.ID == g.ID {
		t.Error("one that has ended was returned")
	}
	_, err = f.Store.SetHalt(t.Context(), approval.Halt{AgentID: "demo", On: true, By: ada})
	wantErr(t, err, nil)
	_, err = f.Store.GiveGrant(t.Context(), made(func(g *approval.Grant) { g.Digest = "sha256:09" }))
	wantErr(t, err, approval.ErrHalted)
}

func modes(t *testing.T, f Fixture) {
	next := approval.ModeSetting{
		AgentID: "demo", Mode: approval.AutoDeny, Configured: approval.Manual, SetBy: approval.By{Subject: "ada", Via: "test"},
	}
	sub := f.Bus.Subscribe(4, approval.Modes)
	defer sub.Close()
	first, err := f.Store.SetModes(t.Context(), next)
	wantErr(t, err, nil)
	told, err := sub.Next(t.Context())
	wantErr(t, err, nil)
	wantEqual(t, []approval.ModeSetting{told.Value.(approval.ModeSetting)}, first)
	next.Mode = approval.AutoApprove
	other := next
	other.AgentID = "other"
	stands, err := f.Store.SetModes(t.Context(), other, next)
	wantErr(t, err, approval.ErrModeChanged)
	wantEqual(t, stands, first)
	f = f.again(t)
	next.Version = first[0].Version
	second, err := f.Store.SetModes(t.Context(), next, other)
	wantErr(t, err, nil)
	list, err := f.Store.ListModes(t.Context())
	wantErr(t, err, nil)
	slices.SortFunc(list, func(a, b approval.ModeSetting) int { return strings.Compare(a.AgentID, b.AgentID) })
	wantEqual(t, list, second)
	wantEqual(t, []any{second[0].Version, second[0].Mode, second[1].Version}, []any{int64(2), approval.AutoApprove, int64(1)})
}

func standing(t *testing.T, f Fixture) {
	stands := func(g *approval.Grant) {
		g.Scope, g.Standing, g.Directory, g.ExpiresAt = approval.Always, true, "/srv", g.GivenAt.Add(time.Hour)
	}
	first := f.session(t)
	g := f.give(t, first, "call-1", stands)
	other := f.session(t)
	own := f.give(t, other, "call-1", asGiven)
	wantEqual(t, f.held(t, other, "demo", "shell"), []string{own.ID, g.ID})
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), []string{g.ID})
	wantEqual(t, f.held(t, other, "someone", "shell"), []string{})
	if _, err := f.Log.Append(t.Context(), first, session.Ended{Outcome: session.Cancelled}); err != nil {
		t.Fatal(err)
	}
	f = f.again(t)
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), []string{g.ID})
	list, err := f.Store.ListGrants(t.Context(), approval.GrantQuery{ID: g.ID})
	wantErr(t, err, nil)
	wantEqual(t, list, []approval.Grant{g})

	var given []string
	for range approval.GrantsPerSession {
		given = append(given, f.give(t, f.session(t), "call-1", stands).ID)
	}
	slices.Reverse(given)
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), given)
	wantEqual(t, f.held(t, other, "demo", "shell"), append(slices.Clone(given), own.ID)) // a session's have their own room
	_, err = f.Store.EndGrant(t.Context(), given[0], approval.GrantRevoked, approval.By{Subject: "bob"})
	wantErr(t, err, nil)
	wantEqual(t, f.held(t, f.session(t), "demo", "shell"), given[1:])
}
