package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// full is a store that takes no results, and no modes, while the disk is full.
type full struct {
	approval.Store
	is bool
}

func (f *full) Finish(ctx context.Context, approvalID string, result tool.Result) error {
	if f.is {
		return errDisk
	}
	return f.Store.Finish(ctx, approvalID, result)
}

func (f *full) SetModes(ctx context.Context, set ...approval.ModeSetting) ([]approval.ModeSetting, error) {
	if f.is {
		return set, errDisk // the attempt, as a store may return it
	}
	return f.Store.SetModes(ctx, set...)
}

// A result that can't be written waits until it can: only a process that is gone makes
// an outcome unknown.
func TestAResultThatCanNotBeWrittenIsWrittenWhenTheStoreIsBack(t *testing.T) {
	for name, close := range map[string]func(d *desk) error{
		"by the turn that tries again": func(d *desk) error {
			_, err := d.tool.Run(t.Context(), d.call("call"))
			return err
		},
		"by the turn's end": func(d *desk) error {
			_, err := d.manager.CloseCall(t.Context(), d.session, "call", "the turn was stopped")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := &full{is: true}
			d := newDesk(t, deskOptions{
				AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)},
				store:        func(d *desk) approval.Store { disk.Store = d.Store; return disk },
			})
			if _, err := d.tool.Run(t.Context(), d.call("call")); !errors.Is(err, errDisk) {
				t.Fatalf("on a full disk: %v", err)
			}
			if err := close(d); !errors.Is(err, errDisk) {
				t.Fatalf("again: %v", err)
			}
			disk.is = false
			if err := close(d); err != nil {
				t.Fatal(err)
			}
			if result := d.result(t, "call"); result.Text != "ran" || d.ran.Load() != 1 {
				t.Errorf("%q, after %d runs", result.Text, d.ran.Load())
			}
		})
	}
}

func TestAResultThatWaitsIsTold(t *testing.T) {
	disk := &full{is: true}
	f := approvaltest.Memory(t)
	disk.Store = f.Store
	var told []string
	d := &desk{Fixture: f}
	d.manager = gate.NewManager(disk, f.Promises, approval.Plain{Grants: f.Grants}, gate.Options{Failed: func(what string, err error) {
		told = append(told, what+": "+err.Error())
	}})
	var err error
	if d.tool, err = d.manager.Agent("demo", gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}).Guard(d, approval.Terms{}); err != nil {
		t.Fatal(err)
	}
	s, err := d.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	d.session = s.ID
	_, _ = d.tool.Run(t.Context(), d.call("call"))
	if len(told) != 1 || !strings.Contains(told[0], "result") || !strings.Contains(told[0], errDisk.Error()) {
		t.Errorf("told was %q", told)
	}
}

func TestARefusalToSetAModeShowsTheOneThatStands(t *testing.T) {
	disk := &full{is: true}
	d := newDesk(t, deskOptions{store: func(d *desk) approval.Store { disk.Store = d.Store; return disk }})
	set, err := d.manager.SetMode(t.Context(), admin(), "test", "demo", approval.AutoDeny, 0)
	if !errors.Is(err, errDisk) || set.Mode != approval.Manual || set.Version != 0 {
		t.Errorf("%+v, %v", set, err)
	}
}
