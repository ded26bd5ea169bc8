//go:build postgres

package postgres_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
)

// agrees has a node say what its file says of the agent demo.
func (n node) agrees(t *testing.T, a store.Agent, insist bool) (behind map[string]string) {
	t.Helper()
	return must[map[string]string](t)(n.store.Agree(t.Context(), map[string]store.Agent{"demo": a}, insist))
}

// cleared is an approved call that has not been started.
func (n node) cleared(t *testing.T, sessionID, call string) string {
	t.Helper()
	a := n.ask(t, sessionID, call)
	if _, err := n.Store.Settle(t.Context(), answer(a.ApprovalID, approval.Approved, "ada"), nil); err != nil {
		t.Fatal(err)
	}
	return a.ApprovalID
}

func (n node) claims(t *testing.T, approvalID string) error {
	t.Helper()
	_, err := n.Store.Claim(t.Context(), approvalID, 0, func() bool { return true })
	return err
}

func TestANodeWhoseFileDiffersClaimsNothingUntilItCountsOrAgrees(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := all[0], all[1]
	first, other := store.Agent{Digest: "first", Runs: true}, store.Agent{Digest: "other", Runs: true}
	if behind := one.agrees(t, first, false); len(behind) > 0 {
		t.Errorf("the first one is behind: %v", behind)
	}
	if diff := cmp.Diff(map[string]string{"demo": "first"}, two.agrees(t, other, false)); diff != "" {
		t.Errorf("the second one is behind (-want +got):\n%s", diff)
	}
	listed := must[[]session.Node](t)(one.store.Nodes(t.Context()))
	want := []session.Differing{{AgentID: "demo", Digest: "other", Counts: "first"}}
	if len(listed) != 2 || len(listed[0].Differs) > 0 || !slices.Equal(listed[1].Differs, want) {
		t.Errorf("listed are %+v", listed)
	}
	id := one.session(t)
	if err := two.claims(t, two.cleared(t, id, "a")); !errors.Is(err, session.ErrBehind) {
		t.Errorf("it claims: %v", err)
	}
	two.says(t, id, "hi")
	if _, err := two.Log.Work(t.Context(), id); !errors.Is(err, session.ErrElsewhere) {
		t.Errorf("it works: %v", err)
	}
	within(t, one.nodes) // and is told that a session is left
	if left, _, err := two.Log.Left(t.Context(), []string{"demo"}); err != nil || len(left) > 0 {
		t.Errorf("it takes %v over: %v", left, err)
	}
	if left, _, err := one.Log.Left(t.Context(), []string{"demo"}); err != nil || len(left) != 1 {
		t.Errorf("the first one takes %v over: %v", left, err)
	}

	if behind := two.agrees(t, other, true); len(behind) > 0 {
		t.Errorf("it insists, and is behind: %v", behind)
	}
	waits := one.cleared(t, id, "b")
	if err := one.claims(t, waits); !errors.Is(err, session.ErrBehind) {
		t.Errorf("the first one claims, before it has heard: %v", err)
	}
	one.agrees(t, first, false)
	if _, err := one.Log.Work(t.Context(), id); !errors.Is(err, session.ErrElsewhere) {
		t.Errorf("the first one goes on with its session: %v", err)
	}
	two.works(t, id)
	if err := two.claims(t, waits); err != nil {
		t.Errorf("the second one: %v", err)
	}
	two.stop()
	if behind := one.agrees(t, first, false); len(behind) > 0 {
		t.Errorf("nobody else is there, and it is behind: %v", behind)
	}
	if err := one.claims(t, one.cleared(t, id, "c")); err != nil {
		t.Error(err)
	}
}

func TestANodeWorksForTheAgentsThatAreItsOwn(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := all[0], all[1]
	one.agrees(t, store.Agent{Digest: "same"}, false)
	two.agrees(t, store.Agent{Digest: "same", Runs: true}, false)
	id := one.session(t)
	one.says(t, id, "hi")
	if _, err := one.Log.Work(t.Context(), id); !errors.Is(err, session.ErrElsewhere) {
		t.Errorf("it works for another's: %v", err)
	}
	want := session.Stop{By: "ada", Via: "rest"}
	if err := one.Log.Stop(t.Context(), id, want); err != nil {
		t.Fatal(err)
	}
	left, _, err := two.Log.Left(t.Context(), []string{"demo"})
	if err != nil || len(left) != 1 {
		t.Fatalf("the other one takes %v over: %v", left, err)
	}
	if stop, err := two.Log.Work(t.Context(), id); err != nil || stop != want {
		t.Errorf("who stopped it before it began: %v, %v", stop, err)
	}
}
