package approvaltest

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
)

func (f Fixture) refused(t *testing.T, sessionID string) map[string][]approval.Touch {
	t.Helper()
	list, err := f.Grants.Refused(t.Context(), sessionID)
	wantErr(t, err, nil)
	found := map[string][]approval.Touch{}
	for _, r := range list {
		found[r.ApprovalID] = r.Touches
	}
	return found
}

// refusals checks that a refusal holds until a person approves what it covers.
func refusals(t *testing.T, f Fixture) {
	s := f.session(t)
	touching := func(call string, touches ...approval.Touch) approval.Approval {
		a := approval.New(Request(t, s, call))
		a.Touches = touches
		return f.create(t, a)
	}
	settle := func(a approval.Approval, change func(*approval.Response)) {
		t.Helper()
		r := answer(a.ApprovalID, approval.Approved, "ada")
		change(&r)
		_, err := f.Store.Settle(t.Context(), r, nil)
		wantErr(t, err, nil)
	}
	denied := func(reason approval.Reason) func(*approval.Response) {
		return func(r *approval.Response) { r.Status, r.Reason = approval.Denied, reason }
	}
	no := touching("call-1", "write /w/a", "write /w/b", "reach x.org")
	settle(no, denied(approval.UserDenied))
	settle(touching("call-2", "write /w/c"), denied(approval.Timeout))
	settle(touching("call-3"), denied(approval.UserDenied))
	policy := approval.New(Request(t, s, "call-4"))
	policy.Touches = []approval.Touch{"run rm"}
	settled, err := policy.Settle(approval.Response{Status: approval.Denied, Reason: approval.PolicyDenied, By: approval.ByPolicy()}, policy.RequestedAt)
	wantErr(t, err, nil)
	settled = f.create(t, settled)
	f = f.again(t)
	wantEqual(t, f.refused(t, s), map[string][]approval.Touch{no.ApprovalID: {"write /w/a", "write /w/b", "reach x.org"}, settled.ApprovalID: {"run rm"}})
	wantEqual(t, f.refused(t, f.session(t)), map[string][]approval.Touch{})

	settle(touching("call-5", "write /w/a"), func(r *approval.Response) { r.By = approval.ByPolicy() })
	settle(touching("call-6", "write /w/a"), func(r *approval.Response) { r.Edit = []byte(`{"n":2}`) })
	wantEqual(t, len(f.refused(t, s)[no.ApprovalID]), 3)
	settle(touching("call-7", "write /w/a/deep", "reach www.x.org"), func(*approval.Response) {})
	f = f.again(t)
	wantEqual(t, f.refused(t, s), map[string][]approval.Touch{no.ApprovalID: {"write /w/b"}, settled.ApprovalID: {"run rm"}})
	settle(touching("call-8", "write /w"), func(*approval.Response) {})
	wantEqual(t, f.refused(t, s), map[string][]approval.Touch{settled.ApprovalID: {"run rm"}})
}
