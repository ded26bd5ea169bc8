package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// changedBy are the changes that a person makes, each of which has to be theirs to make when it is written.
func changedBy(t *testing.T, s *store.Store, credential string) map[string]error {
	t.Helper()
	by := approval.By{Subject: "ada", Via: approval.ViaREST, Credential: credential}
	made, err := s.Sessions().Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Approvals()
	waits := func(call string) string {
		row, err := rows.Create(t.Context(), approval.New(approvaltest.Request(t, made.ID, call)))
		if err != nil {
			t.Fatal(err)
		}
		return row.ApprovalID
	}
	given := approval.Grant{
		ID: "01a20000" + made.ID[8:], Scope: approval.Always, AgentID: "demo", ToolName: "shell", Covers: approval.Exactly(),
		GivenBy: approval.By{Subject: "ada", Via: "test"}, GivenAt: time.Now().UTC(), Standing: true, ExpiresAt: time.Now().UTC().Add(time.Hour),
	}
	if given, err = rows.GiveGrant(t.Context(), given); err != nil { // which may be there already
		t.Fatal(err)
	}
	settled := func(call string, r approval.Response) error {
		r.ApprovalID, r.By = waits(call), by
		row, err := rows.Settle(t.Context(), r, nil)
		if stands, getErr := rows.Get(t.Context(), r.ApprovalID); getErr != nil || (err == nil) != (stands.Status != approval.Pending) {
			t.Errorf("%s: %v, and it is %s (%v)", call, err, stands.Status, getErr)
		}
		if row.Response.By.Credential != "" {
			t.Errorf("%s: the answer has the credential", call)
		}
		return err
	}
	errs := map[string]error{
		"approve": settled("approve", approval.Response{Status: approval.Approved}),
		"deny":    settled("deny", approval.Response{Status: approval.Denied, Reason: approval.UserDenied}),
		"cancel":  settled("cancel", approval.Response{Status: approval.Cancelled, Reason: approval.UserCancelled}),
		"reveal":  rows.Revealed(t.Context(), waits("reveal"), by),
	}
	_, errs["mode"] = rows.SetModes(t.Context(), approval.ModeSetting{AgentID: made.ID, Mode: approval.Manual, SetBy: by}) // of an agent of its own, so that versions agree
	_, errs["end a grant"] = rows.EndGrant(t.Context(), given.ID, approval.GrantRevoked, by)
	given.ID, given.Credential, given.Covers = "01a20001"+made.ID[8:], credential, approval.Coverage{Kind: approval.CoverTool}
	_, errs["give a grant"] = rows.GiveGrant(t.Context(), given)
	_, errs["halt"] = rows.SetHalt(t.Context(), approval.Halt{AgentID: "other", On: true, By: by})
	if _, err := rows.SetHalt(t.Context(), approval.Halt{AgentID: "other", On: true, By: approval.BySystem()}); err != nil {
		t.Fatal(err)
	}
	_, errs["lift"] = rows.SetHalt(t.Context(), approval.Halt{AgentID: "other", By: by})
	return errs
}

func TestWhatACredentialMayIsLookedAtInTheTransaction(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	all := []string{"approve", "deny", "cancel", "reveal", "mode", "end a grant", "give a grant", "halt", "lift"}
	answers := []string{"approve", "deny", "reveal", "end a grant", "give a grant"}
	keep := func(c auth.Credential) {
		kept, err := s.Credentials().ReadAccess(t.Context())
		if err == nil {
			_, err = s.Credentials().SaveCredentials(t.Context(), kept.Version, "root", c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		role    auth.Role
		expires time.Time
		refused []string
		want    error
	}{
		"an admin":             {role: auth.Admin},
		"an approver":          {role: auth.Approver, refused: []string{"mode", "lift"}, want: auth.ErrForbidden},
		"an operator":          {role: auth.Operator, refused: append([]string{"mode", "lift"}, answers...), want: auth.ErrForbidden},
		"a viewer":             {role: auth.Viewer, refused: all, want: auth.ErrForbidden},
		"one that is over":     {role: auth.Admin, expires: time.Now().Add(-time.Second), refused: all, want: auth.ErrOver},
		"one that is gone":     {refused: all, want: auth.ErrOver},
		"of an embedder":       {},
		string(auth.KindLocal): {},
	} {
		t.Run(name, func(t *testing.T) {
			id := name
			if name == "of an embedder" {
				id = ""
			}
			if c.role != "" {
				keep(auth.Credential{ID: id, Kind: auth.KindToken, Name: name, Subject: "ada", Roles: []auth.Role{c.role}, ExpiresAt: c.expires, Fingerprint: name})
			}
			want := map[string]bool{}
			for _, what := range c.refused {
				want[what] = true
			}
			got := map[string]bool{}
			for what, err := range changedBy(t, s, id) {
				if err != nil {
					got[what] = true
				}
				if err != nil && !errors.Is(err, c.want) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what is refused (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACredentialForSomeAgentsAnswersForNoOther(t *testing.T) {
	_, s, stop := running(t, t.TempDir())
	defer stop()
	c := auth.Credential{ID: "c", Kind: auth.KindToken, Name: "c", Subject: "ada", Roles: []auth.Role{auth.Admin}, Agents: []string{"mine"}, Fingerprint: "f"}
	if _, err := s.Credentials().SaveCredentials(t.Context(), auth.Version{}, "root", c); err != nil {
		t.Fatal(err)
	}
	by := approval.By{Subject: "ada", Via: approval.ViaREST, Credential: "c"}
	for _, agentID := range []string{"mine", "other", ""} {
		_, err := s.Approvals().SetHalt(t.Context(), approval.Halt{AgentID: agentID, On: true, By: by})
		if (agentID == "mine") != (err == nil) || err != nil && !errors.Is(err, auth.ErrOutOfScope) {
			t.Errorf("%q: %v", agentID, err)
		}
	}
}
