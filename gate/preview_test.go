package gate_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// drawn is a desk's tool that depends on a file.
type drawn struct {
	*desk
	content atomic.Value
}

func (d *drawn) Preview(context.Context, tool.Call) (tool.Preview, error) {
	return tool.Preview{FileHash: d.content.Load().(string)}, nil
}

func TestACallWhoseFileHasChangedSinceItWasShownIsAskedAnew(t *testing.T) {
	d := newDesk(t, deskOptions{})
	file := &drawn{desk: d}
	file.content.Store("one")
	asked := 0
	d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		if asked++; asked == 1 {
			file.content.Store("two") // while the person looks at it
		}
		if want := map[int]string{1: "one", 2: "two"}[asked]; r.Preview.FileHash != want {
			t.Errorf("round %d shows %s", r.Round, r.Preview.FileHash)
		}
		return approval.Response{Status: approval.Approved}, nil
	}))
	gated, err := d.gate.Guard(file, approval.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gated.Run(t.Context(), d.call("edit")); err != nil {
		t.Fatal(err)
	}
	if asked != 2 || d.ran.Load() != 1 || d.row(t, "edit").Round != 1 {
		t.Errorf("asked %d times, ran %d, round %d", asked, d.ran.Load(), d.row(t, "edit").Round)
	}
}

func TestACallThatIsAskedAgainAfterARestartIsFoundAlthoughItsFileHasChanged(t *testing.T) {
	d := newDesk(t, deskOptions{})
	file := &drawn{desk: d}
	file.content.Store("one")
	gated, err := d.gate.Guard(file, approval.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	// The process that asked first is gone; its request waits.
	left := approval.Request{
		SessionID: d.session, AgentID: "demo", ToolName: "shell", ToolCallID: "edit", Args: d.call("edit").Args,
		Type: approval.ToolConfirmation, ApprovalID: "01a20000-0000-7000-8000-00000000000c", Preview: tool.Preview{FileHash: "one"},
	}
	if left.ArgsDigest, err = approval.Digest(left); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Store.Create(t.Context(), approval.New(left)); err != nil {
		t.Fatal(err)
	}
	file.content.Store("two")
	rounds := []int{}
	d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		rounds = append(rounds, r.Round)
		return approval.Response{Status: approval.Approved}, nil
	}))
	if _, err := gated.Run(t.Context(), d.call("edit")); err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 2 || rounds[0] != 0 || rounds[1] != 1 || d.ran.Load() != 1 {
		t.Errorf("asked in rounds %v, ran %d", rounds, d.ran.Load())
	}
}

func TestACallWhoseSecondRoundWaitsIsFoundAfterARestart(t *testing.T) {
	d := newDesk(t, deskOptions{})
	file := &drawn{desk: d}
	file.content.Store("one")
	gated, err := d.gate.Guard(file, approval.Terms{})
	if err != nil {
		t.Fatal(err)
	}
	process, die := context.WithCancel(t.Context())
	d.gate.SetHandler(approval.HandlerFunc(func(ctx context.Context, r approval.Request) (approval.Response, error) {
		if r.Round == 0 {
			file.content.Store("two")
			return approval.Response{Status: approval.Approved}, nil
		}
		die()
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	}))
	if _, err := gated.Run(process, d.call("edit")); err == nil {
		t.Fatal("the first process came to a result")
	}
	d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		if r.Round != 1 || r.Preview.FileHash != "two" {
			t.Errorf("the second process asks in round %d of %s", r.Round, r.Preview.FileHash)
		}
		return approval.Response{Status: approval.Approved}, nil
	}))
	if result, err := gated.Run(t.Context(), d.call("edit")); err != nil || result.IsError || d.ran.Load() != 1 {
		t.Errorf("it came to %+v, %v; ran %d", result, err, d.ran.Load())
	}
}

// restless is a tool whose file is never twice the same.
type restless struct {
	*desk
	looks atomic.Int64
}

func (r *restless) Preview(context.Context, tool.Call) (tool.Preview, error) {
	return tool.Preview{FileHash: fmt.Sprint(r.looks.Add(1))}, nil
}

func TestACallThatNeverComesToRestIsRefusedAfterEightRounds(t *testing.T) {
	for _, mode := range []approval.Mode{approval.AutoApprove, approval.Manual} {
		d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Mode: mode}})
		d.gate.SetHandler(approvaltest.Says(approval.Approved))
		gated, err := d.gate.Guard(&restless{desk: d}, approval.Terms{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := gated.Run(t.Context(), d.call("edit"))
		if err != nil || !result.IsError || !strings.Contains(result.Text, "changed each time it was approved, 8 times") {
			t.Errorf("%s: it came to %+v, %v", mode, result, err)
		}
		rows, err := d.Store.Find(t.Context(), approval.Query{SessionID: d.session})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Status == approval.Pending || row.Run == approval.RunNone {
				t.Errorf("%s: round %d is left %s, %s", mode, row.Round, row.Status, row.Run)
			}
		}
		if len(rows) != 8 || d.ran.Load() != 0 {
			t.Errorf("%s: %d rounds, ran %d", mode, len(rows), d.ran.Load())
		}
	}
}
