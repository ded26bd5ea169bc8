package approvaltest

import (
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

func queries(t *testing.T, f Fixture) {
	one, two := f.pending(t), f.pending(t)
	old := Request(t, two.SessionID, "call-2")
	old.ExpiresAt = time.Now().Add(-time.Minute).UTC().Truncate(time.Microsecond)
	expired := f.create(t, approval.New(old))
	endless := Request(t, two.SessionID, "call-3")
	endless.ExpiresAt = time.Time{}
	forever := f.create(t, approval.New(endless))
	f.settle(t, one.ApprovalID, approval.Denied)
	f = f.again(t)
	for name, c := range map[string]struct {
		query approval.Query
		want  []string
	}{
		"pending":     {approval.Query{Status: approval.Pending}, ids(two, expired, forever)},
		"a session":   {approval.Query{SessionID: two.SessionID}, ids(two, expired, forever)},
		"expired":     {approval.Query{Status: approval.Pending, ExpiredBy: time.Now()}, ids(expired)},
		"a call":      {approval.Query{SessionID: two.SessionID, ToolCallID: "call-2"}, ids(expired)},
		"by id":       {approval.Query{IDs: ids(one, two)}, ids(one, two)},
		"an agent":    {approval.Query{AgentID: "demo", ToolName: "shell", Newest: 2}, ids(expired, forever)},
		"no agent":    {approval.Query{AgentID: "other", ToolName: "shell", Newest: 9}, nil},
		"no tool":     {approval.Query{AgentID: "demo", ToolName: "read_file", Newest: 9}, nil},
		"a tool":      {approval.Query{AgentID: "demo", ToolName: "shell", Settled: true, Newest: 9}, ids(one)},
		"a key":       {approval.Query{ToolCallID: "call-2", Newest: 9}, ids(expired)},
		"open":        {approval.Query{Open: true}, ids(two, expired, forever)},
		"no ids":      {approval.Query{IDs: []string{}}, nil},
		"ids settled": {approval.Query{IDs: ids(one, two), Settled: true}, ids(one)},
	} {
		rows, err := f.Store.Find(t.Context(), c.query)
		wantErr(t, err, nil)
		t.Run(name, func(t *testing.T) { wantEqual(t, ids(rows...), c.want) })
	}
	for _, q := range []approval.Query{{}, {Settled: true}, {AgentID: "demo"}, {ToolName: "shell"}, {Status: approval.Denied}, {Newest: 9}, {ExpiredBy: time.Now()}} {
		_, err := f.Store.Find(t.Context(), q)
		wantErr(t, err, approval.ErrUnbounded)
	}
}

func programsQueries(t *testing.T, f Fixture) {
	asked := Request(t, f.session(t), "call-1")
	asked.Origin = approval.Origin{Kind: approval.OriginProgram, Subject: "deployer"}
	run := f.create(t, approval.New(asked))
	f.pending(t)
	f.wantFound(t, approval.Query{Running: true})
	f.settle(t, run.ApprovalID, approval.Approved)
	_, err := f.Store.Claim(t.Context(), run.ApprovalID, 0, Holds)
	wantErr(t, err, nil)
	f = f.again(t)
	run = f.row(t, run.ApprovalID)
	f.wantFound(t, approval.Query{Running: true}, run)
	f.wantFound(t, approval.Query{Running: true, AskedUntil: run.RequestedAt})
	f.wantFound(t, approval.Query{Running: true, AskedUntil: run.RequestedAt.Add(time.Microsecond)}, run)
	f.wantFound(t, approval.Query{AskedBy: "deployer", ToolCallID: "call-1", Newest: 9}, run)
	f.wantFound(t, approval.Query{AskedBy: "deploy", ToolCallID: "call-1", Newest: 9})
	wantErr(t, f.Store.Finish(t.Context(), run.ApprovalID, tool.Unreported()), nil)
	f.wantFound(t, approval.Query{Running: true})
}
