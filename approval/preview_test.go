package approval_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/approval"
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
