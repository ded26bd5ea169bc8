package approvaltest

import (
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

func extended(t *testing.T, f Fixture) {
	a := f.pending(t)
	until := a.ExpiresAt.Add(time.Hour)
	got, err := f.Store.Extend(t.Context(), a.ApprovalID, until)
	wantErr(t, err, nil)
	want := a
	want.ExpiresAt, want.Rev = until, a.Rev+1
	wantEqual(t, got, want)
	f = f.again(t)
	wantEqual(t, f.row(t, a.ApprovalID), want)
	rows, err := f.Store.Find(t.Context(), approval.Query{Status: approval.Pending, ExpiredBy: a.ExpiresAt})
	wantErr(t, err, nil)
	wantEqual(t, len(rows), 0)
	events := f.journal(t, a.SessionID)
	wantEqual(t, events[len(events)-1], session.TypeApprovalExtended)
	for _, earlier := range []time.Time{until, a.ExpiresAt} {
		_, err = f.Store.Extend(t.Context(), a.ApprovalID, earlier)
		wantErr(t, err, approval.ErrInvalid)
	}
	f.settle(t, a.ApprovalID, approval.Denied)
	_, err = f.Store.Extend(t.Context(), a.ApprovalID, until.Add(time.Hour))
	wantErr(t, err, approval.ErrDecided)
	late := Request(t, f.session(t), "late")
	late.RequestedAt, late.ExpiresAt = late.RequestedAt.Add(-time.Hour), late.RequestedAt
	f.create(t, approval.New(late))
	_, err = f.Store.Extend(t.Context(), late.ApprovalID, time.Now().Add(time.Hour))
	wantErr(t, err, approval.ErrExpired)
	_, err = f.Store.Extend(t.Context(), newID(t), until)
	wantErr(t, err, approval.ErrUnknown)
}
