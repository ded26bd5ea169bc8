package door_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

var admin = auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Admin}}

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
	filled := approval.Response{ApprovalID: "a", Status: approval.Approved, Message: "not with password=" + secret, Edit: tool.JSON(`{"password":"` + secret + `"}`)}
	return approval.Approval{
		Request: approval.Request{ApprovalID: "a", SessionID: "s", AgentID: "demo", Origin: approval.Origin{Kind: approval.OriginProgram, Subject: "bot"}, Args: tool.JSON(`{"password":"` + secret + `"}`)},
		Status:  approval.Approved, Run: approval.RunVoid, Response: filled, Voided: filled,
	}
}

func grant() approval.Grant {
	return approval.Grant{ID: "g", AgentID: "demo", Covers: approval.Coverage{Kind: approval.CoverCommand, Text: "password=" + secret}}
}

func conversation() session.Session {
	call := session.ToolCall{Name: "shell", Args: row().Args}
	return session.Session{ID: "s", AgentID: "demo", Title: "password=" + secret, PendingApprovals: []session.PendingApproval{{ToolCall: call}}}
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

func (h house) Send(context.Context, auth.Identity, string, string) (int64, error) { return 1, nil }

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

func (h agents) Agents() []agent.Info {
	terms := approval.TermsView{Message: "password=" + secret}
	return []agent.Info{{AgentID: "demo", Tools: []agent.ToolInfo{{Name: "shell", Approval: terms}}}}
}

func (h approvals) Find(context.Context, approval.Query) ([]approval.Approval, error) {
	return []approval.Approval{row()}, nil
}

func (h approvals) Outcome(context.Context, string) (approval.Approval, error) { return row(), nil }

func (h approvals) Get(context.Context, string) (approval.Approval, error) { return row(), nil }

func (approvals) Now() time.Time { return time.Now() }

func (approvals) Adopt(context.Context, approval.Approval) error { return nil }

func (approvals) Seen(string) func() { return func() {} }

func (h sessions) Get(context.Context, string) (session.Session, error) { return conversation(), nil }

func (h sessions) Head(context.Context, string) (session.Session, error) { return conversation(), nil }

func (h sessions) List(context.Context, session.Query) ([]session.Session, error) {
	return []session.Session{conversation()}, nil
}

func (h sessions) Events(context.Context, string, int64, int) ([]session.Event, error) {
	return journal(), nil
}

// journal has a secret in each of its events.
func journal() (events []session.Event) {
	for i, e := range []struct {
		of   session.Type
		body any
	}{
		{session.TypeCreated, session.Created{Session: conversation()}},
		{session.TypeUserMessage, session.UserMessage{Text: "use password=" + secret, By: "ada"}},
		{session.TypeApprovalRequested, row().Request},
		{session.TypeApprovalResolved, row().Response},
	} {
		raw, err := json.Marshal(e.body)
		if err != nil {
			panic(err)
		}
		events = append(events, session.Event{SessionID: "s", Seq: int64(i + 1), Type: e.of, Data: raw})
	}
	return events
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

func TestAMessageThatAnswersBearsTheNameOfItsDoor(t *testing.T) {
	d, h := open(t)
	message := transcript.Message{Role: transcript.Tool, ToolCallID: "approval_a", Content: `{"decision":"approve"}`}
	for want, through := range map[approval.Via]*door.Door{"window": d, "letter": d.As("letter")} {
		if _, err := through.Post(t.Context(), admin, "s", message); err != nil || h.through["decide"] != want {
			t.Errorf("a tool message is by %q, %v; want %q", h.through["decide"], err, want)
		}
		if _, err := through.Say(t.Context(), admin, "s", "approve", 1); err != nil || h.through["decide"] != want {
			t.Errorf("a line of chat is by %q, %v; want %q", h.through["decide"], err, want)
		}
	}
}

func TestWhoMayNotSeeIsShownNothing(t *testing.T) {
	d, _ := open(t)
	ctx, who := t.Context(), auth.Identity{Subject: "bot", Roles: []auth.Role{auth.Agent}}
	for name, read := range map[string]func() (any, error){
		"rows":     func() (any, error) { return d.Find(ctx, who, approval.Query{}) },
		"a search": func() (any, error) { return d.Search(ctx, who, approval.Search{}) },
		"outcomes": func() (any, error) {
			counted, _, err := d.Outcomes(ctx, who, approval.Search{})
			return counted, err
		},
		"grants":     func() (any, error) { return d.Grants(ctx, who, approval.GrantQuery{}) },
		"sessions":   func() (any, error) { return d.Sessions(ctx, who, session.Query{}) },
		"a snapshot": func() (any, error) { return d.Snapshot(ctx, who) },
	} {
		if got, err := read(); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got := d.Agents(who); len(got) > 0 {
		t.Errorf("agents: %+v", got)
	}
}

func TestARowIsThereForWhoMaySeeItAndForWhoAskedForIt(t *testing.T) {
	d, _ := open(t)
	for name, c := range map[string]struct {
		who  auth.Identity
		want error
	}{
		"a viewer":                   {auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Viewer}}, nil},
		"a viewer of other agents":   {auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Viewer}, Agents: []string{"other"}}, approval.ErrUnknown},
		"the program that asked":     {auth.Identity{Subject: "bot", Roles: []auth.Role{auth.Agent}}, nil},
		"another program":            {auth.Identity{Subject: "else", Roles: []auth.Role{auth.Agent}}, gate.ErrNotYours},
		"somebody without any right": {auth.Identity{Subject: "eve"}, gate.ErrNotYours},
	} {
		for how, read := range map[string]func(context.Context, auth.Identity, string) (door.OwnAnswer, error){"look": d.Look, "await": d.Await} {
			got, err := read(t.Context(), c.who, "a")
			if !errors.Is(err, c.want) || (got.ApprovalID == "a") != (c.want == nil) {
				t.Errorf("%s, %s: %+v, %v", name, how, got, err)
			}
		}
	}
}

func TestWhatAnIdentityMayNotKnowOfIsNotThere(t *testing.T) {
	d, _ := open(t)
	for id, want := range map[string]int{"demo": 1, "other": 0} {
		who := auth.Identity{Subject: "ada", Roles: admin.Roles, Agents: []string{id}}
		if got := d.Agents(who); len(got) != want {
			t.Errorf("who is for %s sees agents %+v", id, got)
		}
		if got, err := d.Grants(t.Context(), who, approval.GrantQuery{}); len(got) != want || err != nil {
			t.Errorf("who is for %s sees grants %+v, %v", id, got, err)
		}
		message := transcript.Message{Role: transcript.Tool, ToolCallID: "approval_a", Content: `{"decision":"approve"}`}
		for name, do := range map[string]func() error{
			"a look":         func() error { return d.InScope(t.Context(), who, "s") },
			"a line of chat": func() error { _, err := d.Say(t.Context(), who, "s", "approve", 0); return err },
			"a tool message": func() error { _, err := d.Post(t.Context(), who, "s", message); return err },
			"a message":      func() error { _, err := d.Send(t.Context(), who, "s", "hello"); return err },
			"a stop":         func() error { _, err := d.Interrupt(t.Context(), who, "s"); return err },
			"an end":         func() error { return d.End(t.Context(), who, "s") },
		} {
			if unknown := errors.Is(do(), session.ErrUnknown); unknown != (want == 0) {
				t.Errorf("%s of who is for %s: unknown session %v", name, id, unknown)
			}
		}
	}
}

func TestWhatADoorShowsIsMasked(t *testing.T) {
	d, _ := open(t)
	ctx, who := t.Context(), admin
	for name, show := range map[string]func() (any, error){
		"a row":       func() (any, error) { return d.Get(ctx, "a") },
		"grants":      func() (any, error) { return d.Grants(ctx, who, approval.GrantQuery{}) },
		"a session":   func() (any, error) { return d.Session(ctx, "s") },
		"sessions":    func() (any, error) { return d.Sessions(ctx, who, session.Query{}) },
		"agents":      func() (any, error) { return d.Agents(who), nil },
		"the journal": func() (any, error) { return d.Events(ctx, "s", 0, 0) },
		"a chat":      func() (any, error) { return d.Messages(ctx, "s") },
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
