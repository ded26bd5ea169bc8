package approvaltest

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

func wholeDiff(t *testing.T, f Fixture) {
	shown := tool.Preview{FileHash: "sha256:00", Diff: "--- f\n+++ f\n@@ -1,3 +1 @@\n", Omitted: 3, Removed: 2}
	long := Request(t, f.session(t), "call-1")
	long.Preview = shown
	long.Preview.Rest = " a\n-b\n"
	seen := f.Bus.Subscribe(9, approval.Requests)
	defer seen.Close()
	row := f.create(t, approval.New(long))
	short := Request(t, row.SessionID, "call-2")
	short.Preview = tool.Preview{Diff: "--- g\n+++ g\n@@ -0,0 +1 @@\n+a\n", Added: 1}
	whole := f.create(t, approval.New(short))
	settled, err := approval.New(Request(t, row.SessionID, "call-3")).Settle(answer("", approval.Approved, "ada"), row.RequestedAt)
	wantErr(t, err, nil)
	settled.Preview = long.Preview
	cleared := f.create(t, settled)

	wantEqual(t, row.Preview, shown)
	announced, err := seen.Next(t.Context())
	wantErr(t, err, nil)
	r, _ := approval.Requests.From(announced)
	wantEqual(t, r.Preview, shown)
	f.settle(t, row.ApprovalID, approval.Denied)
	f = f.again(t)
	wantEqual(t, f.row(t, row.ApprovalID).Preview, shown)
	rows, err := f.Store.Find(t.Context(), approval.Query{IDs: ids(row)})
	wantErr(t, err, nil)
	wantEqual(t, rows[0].Preview, shown)

	all := shown
	all.Diff, all.Omitted = shown.Diff+long.Preview.Rest, 1
	for id, want := range map[string]tool.Preview{
		row.ApprovalID: all, cleared.ApprovalID: all, whole.ApprovalID: short.Preview, f.pending(t).ApprovalID: {},
	} {
		got, err := f.Store.Change(t.Context(), id)
		wantErr(t, err, nil)
		wantEqual(t, got, want)
	}
	_, err = f.Store.Change(t.Context(), newID(t))
	wantErr(t, err, approval.ErrUnknown)
}
