package door_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

const secret = "hunter2-hunter2"

type roster interface{ door.Agents }

// house is a backend that records through which door it is called. It has one row,
// grant and session, each with a secret.
type house struct {
	door.Approvals
	door.Sessions
	roster
	through map[string]approval.Via
}

func row() approval.Approval {
	filled := approval.Response{ApprovalID: "a", Status: approval.Approved, Edit: tool.JSON(`{"password":"` + secret + `"}`)}
	return approval.Approval{
		Request: approval.Request{ApprovalID: "a", AgentID: "demo", Args: tool.JSON(`{"password":"` + secret + `"}`)},
		Status:  approval.Approved, Run: approval.RunVoid, Response: filled, Voided: filled,
	}
}

func grant() approval.Grant {
	return approval.Grant{ID: "g", AgentID: "demo", Covers: approval.Coverage{Kind: approval.CoverCommand, Text: "password=" + secret}}
}

func conversation() session.Session {
	call := session.ToolCall{Name: "shell", Args: row().Args}
	return session.Session{ID: "s", AgentID: "demo", PendingApprovals: []session.PendingApproval{{ToolCall: call}}}
}

func (h house) Decide(_ context.Context, _ auth.Identity, r approval.Response) (approval.Approval, error) {
	h.through["decide"] = r.By.Via
	return row(), nil
}

func (h house) Cancel(_ context.Context, _ auth.Identity, via approval.Via, _ string) (approval.Approval, error) {
	h.through["cancel"] = via
	return row(), nil
}

func (h house) Reveal(_ context.Context, _ auth.Identity, via approval.Via, _ string) (approval.Request, error) {
	h.through["reveal"] = via
	return row().Request, nil
}

func (h house) Revoke(_ context.Context, _ auth.Identity, via approval.Via, _ string) (approval.Grant, error) {
	h.through["revoke"] = via
	return grant(), nil
}

func (h house) SetMode(_ context.Context, _ auth.Identity, via approval.Via, _ string, _ approval.Mode, _ int64) (approval.ModeSetting, error) {
	h.through["set mode"] = via
	return approval.ModeSetting{}, nil
}

func (h house) Interrupt(_ context.Context, _ auth.Identity, via approval.Via, _ string) (<-chan struct{}, error) {
	h.through["interrupt"] = via
	return nil, nil
}

func (h house) End(_ context.Context, _ auth.Identity, via approval.Via, _ string) error {
	h.through["end"] = via
	return nil
}

func (h house) Grants(context.Context, approval.GrantQuery) ([]approval.Grant, error) {
	return []approval.Grant{grant()}, nil
}

// A house as each of the three that it is.
type (
	approvals struct{ house }
	sessions  struct{ house }
	agents    struct{ house }
)

func (h agents) Agents() []agent.Info { return []agent.Info{{AgentID: "demo"}} }

func (h approvals) Get(context.Context, string) (approval.Approval, error) { return row(), nil }

func (h sessions) Get(context.Context, string) (session.Session, error) { return conversation(), nil }

func (h sessions) List(context.Context, session.Query) ([]session.Session, error) {
	return []session.Session{conversation()}, nil
}

func (h sessions) Events(context.Context, string, int64, int) ([]session.Event, error) {
	raw, err := json.Marshal(row().Request)
	return []session.Event{{SessionID: "s", Seq: 1, Type: session.TypeApprovalRequested, Data: raw}}, err
}

func open(t *testing.T) (*door.Door, house) {
	t.Helper()
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := house{through: map[string]approval.Via{}}
	return door.New(door.Backend{Approvals: approvals{h}, Sessions: sessions{h}, Agents: agents{h}, Secrets: secrets}, "window"), h
}

func TestWhateverIsDecidedThroughADoorBearsItsName(t *testing.T) {
	d, h := open(t)
	ctx, who := t.Context(), auth.Identity{Subject: "ada"}
	_, _ = d.Decide(ctx, who, approval.Answer{ApprovalID: "a", Status: approval.Approved})
	_, _ = d.Cancel(ctx, who, "a")
	_, _ = d.Reveal(ctx, who, "a")
	_, _ = d.Revoke(ctx, who, "g")
	_, _ = d.SetMode(ctx, who, "demo", approval.Manual, 0)
	_, _ = d.Interrupt(ctx, who, "s")
	_ = d.End(ctx, who, "s")
	want := map[string]approval.Via{
		"decide": "window", "cancel": "window", "reveal": "window", "revoke": "window",
		"set mode": "window", "interrupt": "window", "end": "window",
	}
	if diff := cmp.Diff(want, h.through); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAnIdentityMayNotKnowOfIsNotThere(t *testing.T) {
	d, _ := open(t)
	for id, want := range map[string]int{"demo": 1, "other": 0} {
		who := auth.Identity{Subject: "ada", Agents: []string{id}}
		if got := d.Agents(who); len(got) != want {
			t.Errorf("who is for %s sees agents %+v", id, got)
		}
		if got, err := d.Grants(t.Context(), who, approval.GrantQuery{}); len(got) != want || err != nil {
			t.Errorf("who is for %s sees grants %+v, %v", id, got, err)
		}
		if err := d.InScope(t.Context(), who, "s"); (err == nil) != (want == 1) || err != nil && !errors.Is(err, session.ErrUnknown) {
			t.Errorf("for who is for %s the session is %v", id, err)
		}
	}
}

func TestWhatADoorShowsIsMasked(t *testing.T) {
	d, _ := open(t)
	ctx, who := t.Context(), auth.Identity{Subject: "ada"}
	for name, show := range map[string]func() (any, error){
		"a row":       func() (any, error) { return d.Get(ctx, "a") },
		"grants":      func() (any, error) { return d.Grants(ctx, who, approval.GrantQuery{}) },
		"a session":   func() (any, error) { return d.Session(ctx, "s") },
		"sessions":    func() (any, error) { return d.Sessions(ctx, who, session.Query{}) },
		"the journal": func() (any, error) { return d.Events(ctx, "s", 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			shown, err := show()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(shown)
			if err != nil || strings.Contains(string(raw), secret) || !strings.Contains(string(raw), mask.Mark) {
				t.Errorf("it is %s, %v", raw, err)
			}
		})
	}
}
