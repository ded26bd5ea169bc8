package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

func TestAStandingGrantEndsWithItsGiversRightToAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		kind   auth.Kind
		change func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error)
		ends   bool
	}{
		"a token is revoked": {auth.KindToken, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			return s.DropCredentials(t.Context(), seen, "admin", auth.LoginEnd{}, c)
		}, true},
		"an admin ends the login": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			return s.DropCredentials(t.Context(), seen, "admin", auth.LoginEnd{}, c)
		}, true},
		"its holder logs out": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			return s.DropCredentials(t.Context(), seen, "ada", auth.LoginEnd{}, c)
		}, false},
		"the login runs out": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			c.ExpiresAt = time.Now().Add(-time.Minute)
			return s.DropCredentials(t.Context(), seen, "system", auth.LoginEnd{}, c)
		}, false},
		"it may only look from now on": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			c.Roles = []auth.Role{auth.Viewer}
			return s.SaveCredentials(t.Context(), seen, "admin", c)
		}, true},
		"it is for other agents from now on": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			c.Agents = []string{"other"}
			return s.SaveCredentials(t.Context(), seen, "admin", c)
		}, true},
		"it is for this agent alone from now on": {auth.KindLogin, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			c.Agents = []string{"demo"}
			return s.SaveCredentials(t.Context(), seen, "admin", c)
		}, false},
		"another one is revoked": {auth.KindToken, func(s auth.CredentialStore, seen auth.Version, c auth.Credential) (auth.Version, error) {
			c.ID = "other"
			return s.DropCredentials(t.Context(), seen, "admin", auth.LoginEnd{}, c)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, s, stop := running(t, t.TempDir())
			defer stop()
			who := auth.Credential{ID: "c", Kind: c.kind, Subject: "ada", Roles: []auth.Role{auth.Approver}, Fingerprint: "f"}
			seen, err := s.Credentials().SaveCredentials(t.Context(), auth.Version{}, "admin", who)
			if err != nil {
				t.Fatal(err)
			}
			made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			row, err := s.Approvals().Create(t.Context(), approval.New(approvaltest.Request(t, made.ID, "call")))
			if err != nil {
				t.Fatal(err)
			}
			g := approval.Grant{
				ID: "01a20000-0000-7000-8000-00000000000a", Scope: approval.Always, AgentID: "demo", SessionID: made.ID, ToolName: "shell",
				Covers: approval.Exactly(), ApprovalID: row.ApprovalID, GivenBy: approval.By{Subject: "ada", Via: "test"},
				GivenAt: time.Now().UTC(), Standing: true, Credential: "c", ExpiresAt: time.Now().UTC().Add(time.Hour),
			}
			yes := approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, GrantID: g.ID, By: g.GivenBy}
			if _, err := s.Approvals().Settle(t.Context(), yes, &g); err != nil {
				t.Fatal(err)
			}
			if held, err := s.Approvals().Held(t.Context(), "elsewhere", "demo", "shell"); err != nil || len(held) != 1 {
				t.Fatalf("it is not held: %v, %v", held, err)
			}
			if _, err := c.change(s.Credentials(), seen, who); err != nil {
				t.Fatal(err)
			}
			held, err := s.Approvals().Held(t.Context(), "elsewhere", "demo", "shell")
			if err != nil || (len(held) == 0) != c.ends {
				t.Errorf("it is held: %v, %v", held, err)
			}
			list, err := s.Approvals().ListGrants(t.Context(), approval.GrantQuery{ID: g.ID})
			if err != nil || c.ends && list[0].Ended.Reason != approval.GrantGiverGone {
				t.Errorf("it ended with %+v, %v", list, err)
			}
		})
	}
}

func TestGrantsOfAnEarlierVersionHoldAndOneOfNoSessionIsAudited(t *testing.T) {
	dir := t.TempDir()
	f, s, stop := running(t, dir)
	made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	row, err := f.Store.Create(t.Context(), approval.New(approvaltest.Request(t, made.ID, "call")))
	if err != nil {
		t.Fatal(err)
	}
	own := approval.Grant{
		ID: "01a20000-0000-7000-8000-00000000000a", Scope: approval.Session, AgentID: "demo", SessionID: made.ID, ToolName: "shell",
		Covers: approval.Exactly(), ApprovalID: row.ApprovalID, GivenBy: approval.By{Subject: "ada", Via: "test"}, GivenAt: time.Now().UTC(),
	}
	yes := approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, GrantID: own.ID, By: own.GivenBy}
	if _, err := f.Store.Settle(t.Context(), yes, &own); err != nil {
		t.Fatal(err)
	}
	stop()
	downTo(t, dir, 23)
	f, s, stop = running(t, dir)
	defer stop()
	before := approval.Grant{
		ID: "01a20000-0000-7000-8000-00000000000b", Scope: approval.Always, AgentID: "demo", ToolName: "shell", Covers: approval.WholeTool("shell"),
		GivenBy: own.GivenBy, GivenAt: time.Now().UTC(), Standing: true, ExpiresAt: time.Now().UTC().Add(time.Hour),
	}
	if _, err := f.Store.GiveGrant(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	held, err := f.Grants.Held(t.Context(), made.ID, "demo", "shell")
	if err != nil || len(held) != 2 || held[0].ID != before.ID || held[1].ID != own.ID {
		t.Errorf("held are %+v, %v", held, err)
	}
	events, err := s.Sessions().Events(t.Context(), made.ID, 0, 0)
	if err != nil || events[len(events)-1].Type != session.TypeGrantGiven {
		t.Errorf("the session's newest is %+v, %v", events[len(events)-1], err)
	}
	if _, err := f.Store.EndGrant(t.Context(), before.ID, approval.GrantRevoked, own.GivenBy); err != nil {
		t.Fatal(err)
	}
	var told []audit.Kind
	for _, kind := range kinds(collect(t, s.Audit(t.Context()))) {
		if kind == audit.GrantGiven || kind == audit.GrantEnded {
			told = append(told, kind)
		}
	}
	if diff := cmp.Diff([]audit.Kind{audit.GrantGiven, audit.GrantGiven, audit.GrantEnded}, told); diff != "" {
		t.Error(diff)
	}
}
