package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
)

func admin() auth.Identity {
	return auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}}
}

func TestAModeIsSetByWhoHasSeenTheNewest(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Approved)}})
	set := func(who auth.Identity, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
		return d.manager.SetMode(t.Context(), who, "test", "demo", mode, seen)
	}
	if _, err := set(approver(), approval.AutoDeny, 0); !errors.Is(err, auth.ErrForbidden) {
		t.Errorf("an approver got %v", err)
	}
	if _, err := set(admin(), "yolo", 0); !errors.Is(err, approval.ErrInvalid) {
		t.Errorf("an unknown mode got %v", err)
	}
	first, err := set(admin(), approval.AutoDeny, 0)
	if err != nil || first.Version != 1 || d.gate.Mode() != approval.AutoDeny {
		t.Fatalf("it is %+v, %v", first, err)
	}
	stands, err := set(admin(), approval.AutoApprove, 0)
	if !errors.Is(err, approval.ErrModeChanged) || stands.Mode != approval.AutoDeny || d.gate.Mode() != approval.AutoDeny {
		t.Errorf("the second of two clicks made it %+v, %v", stands, err)
	}
	if _, err := d.manager.SetMode(t.Context(), admin(), "test", "nobody", approval.Manual, 0); !errors.Is(err, gate.ErrNoAgent) {
		t.Errorf("an unknown agent got %v", err)
	}
	d.gate.SetHandler(nil)
	if _, err := set(admin(), approval.Manual, 1); !errors.Is(err, gate.ErrNoHandler) {
		t.Errorf("manual without a handler got %v", err)
	}
}

func TestAModeThatDeniesSettlesWhatWaitsAndOneThatApprovesDoesNot(t *testing.T) {
	for mode, want := range map[approval.Mode]approval.Status{
		approval.AutoDeny: approval.Denied, approval.AutoApprove: approval.Pending,
	} {
		t.Run(string(mode), func(t *testing.T) {
			d, end := several(t, deskOptions{}, "one")
			if _, err := d.manager.SetMode(t.Context(), admin(), "test", "demo", mode, 0); err != nil {
				t.Fatal(err)
			}
			if got := d.row(t, "one").Status; got != want {
				t.Errorf("it is %s", got)
			}
			if err := d.manager.CancelAll(t.Context(), approver(), "test", d.session); err != nil {
				t.Fatal(err)
			}
			if err := end(); err != nil || d.ran.Load() != 0 {
				t.Errorf("%d ran, %v", d.ran.Load(), err)
			}
		})
	}
}

func TestAModeThatWasSetHoldsUntilTheConfigurationChanges(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Mode: approval.AutoApprove, Handler: approvaltest.Silent()}})
	if _, err := d.manager.SetMode(t.Context(), admin(), "test", "demo", approval.Manual, 0); err != nil {
		t.Fatal(err)
	}
	restarted := func(mode approval.Mode) approval.ModeSetting {
		t.Helper()
		m := gate.NewManager(d.Store, d.Promises, approval.Plain{Grants: d.Grants}, gate.Options{})
		gate := m.Agent("demo", gate.AgentOptions{Mode: mode, Handler: approvaltest.Silent()})
		if err := m.RestoreModes(t.Context()); err != nil {
			t.Fatal(err)
		}
		return gate.Setting()
	}
	if got := restarted(approval.AutoApprove); got.Mode != approval.Manual || got.SetBy.Subject != "root" {
		t.Errorf("with the same configuration: %+v", got)
	}
	if got := restarted(approval.AutoDeny); got.Mode != approval.AutoDeny || got.Version != 2 {
		t.Errorf("with another: %+v", got)
	}
	if got := restarted(approval.AutoDeny); got.Mode != approval.AutoDeny || got.Version != 2 {
		t.Errorf("with that again: %+v", got)
	}
}

func TestConfigureChangesAnAgentWhileItWorks(t *testing.T) {
	d, end := several(t, deskOptions{}, "one")
	configure := func(agentID string, terms gate.AgentTerms) (ruled bool, err error) {
		err = d.manager.Configure(t.Context(), map[string]gate.AgentTerms{agentID: terms}, func() { ruled = true })
		return ruled, err
	}
	denyAll := gate.AgentTerms{Mode: approval.AutoDeny, Tools: map[string]approval.Terms{"shell": {Need: approval.NeedNone}}}
	if ruled, err := configure("demo", denyAll); err != nil || !ruled {
		t.Fatal(ruled, err)
	}
	d.run(t, "never asked")
	if got := d.row(t, "never asked").Policy.Rule; got != "approval.required: false" {
		t.Errorf("it was decided by %q", got)
	}
	if _, err := configure("demo", gate.AgentTerms{Mode: approval.AutoDeny, Tools: map[string]approval.Terms{"shell": {}}}); err != nil {
		t.Fatal(err)
	}
	if err := d.manager.JudgeAgain(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil || d.row(t, "one").Response.Reason != approval.PolicyDenied {
		t.Errorf("what waited is %+v, %v", d.row(t, "one").Response, err)
	}
	if ruled, err := configure("nobody", gate.AgentTerms{}); !errors.Is(err, gate.ErrNoAgent) || ruled {
		t.Errorf("an unknown agent got %v, %v", ruled, err)
	}
}

// fullDisk is a store that takes no modes.
type fullDisk struct{ approval.Store }

func (fullDisk) SetModes(context.Context, ...approval.ModeSetting) ([]approval.ModeSetting, error) {
	return nil, errors.New("no space left")
}

func TestAConfigurationThatCanNotBeTakenOverChangesNothing(t *testing.T) {
	d := newDesk(t, deskOptions{})
	m := gate.NewManager(fullDisk{d.Store}, d.Promises, approval.Plain{Grants: d.Grants}, gate.Options{})
	quiet, loud := m.Agent("quiet", gate.AgentOptions{Mode: approval.AutoDeny}), m.Agent("loud", gate.AgentOptions{Mode: approval.AutoApprove})
	err := m.Configure(t.Context(), map[string]gate.AgentTerms{
		"quiet": {Mode: approval.AutoDeny}, "loud": {Mode: approval.AutoDeny},
	}, func() { t.Error("the rules were replaced") })
	if err == nil || quiet.Mode() != approval.AutoDeny || loud.Mode() != approval.AutoApprove {
		t.Errorf("%v: quiet is %s, loud is %s", err, quiet.Mode(), loud.Mode())
	}
}
