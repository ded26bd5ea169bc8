package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
)

// demanding is a judge that asks, and says who may approve.
type demanding struct{ approvers []approval.Approvers }

func (d *demanding) Judge(_ context.Context, c approval.Case) (approval.Verdict, error) {
	v := approval.Verdict{Effect: approval.AskPerson, Rule: "ask", Scopes: []approval.Scope{approval.Once}, Approvers: d.approvers}
	if strings.Contains(string(c.Request.Args), "prod") {
		v.Approvers = append(v.Approvers, approval.Approvers{Rule: "prod", Subjects: []string{"carol"}})
	}
	return v, nil
}

// waiting opens a request that a person said something to have made.
func (d *desk) waiting(t *testing.T, id string, sentBy ...string) approval.Approval {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	call := d.call(id)
	call.SentBy = sentBy
	asked := d.Bus.Subscribe(4, approval.Requests)
	defer asked.Close()
	go func() {
		defer close(ended)
		_, _ = d.tool.Run(ctx, call) // its end is not what is tested
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	if _, err := asked.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d.row(t, id)
}

func TestWhoMayApproveIsForTheRuleToSayAndAnyoneMayDeny(t *testing.T) {
	person := func(subject string, roles ...auth.Role) auth.Identity {
		return auth.Identity{Subject: subject, Roles: roles}
	}
	ada, bob, root := person("ada", auth.Approver), person("bob", auth.Approver), person("root", auth.Admin)
	for name, c := range map[string]struct {
		demands []approval.Approvers
		sentBy  []string
		may     map[string]bool
	}{
		"nothing is demanded":           {nil, []string{"ada"}, map[string]bool{"ada": true, "bob": true, "root": true}},
		"a person":                      {[]approval.Approvers{{Subjects: []string{"ada"}}}, nil, map[string]bool{"ada": true}},
		"a role":                        {[]approval.Approvers{{Roles: []auth.Role{auth.Admin}}}, nil, map[string]bool{"root": true}},
		"a person or a role":            {[]approval.Approvers{{Subjects: []string{"bob"}, Roles: []auth.Role{auth.Admin}}}, nil, map[string]bool{"bob": true, "root": true}},
		"somebody else":                 {[]approval.Approvers{{NotSender: true}}, []string{"ada"}, map[string]bool{"bob": true, "root": true}},
		"somebody else, of two":         {[]approval.Approvers{{NotSender: true}}, []string{"ada", "bob"}, map[string]bool{"root": true}},
		"somebody else, of nobody":      {[]approval.Approvers{{NotSender: true}}, nil, map[string]bool{}},
		"an admin who did not ask":      {[]approval.Approvers{{Roles: []auth.Role{auth.Admin}, NotSender: true}}, []string{"root"}, map[string]bool{}},
		"two rules, both of which hold": {[]approval.Approvers{{Subjects: []string{"ada", "bob"}}, {NotSender: true}}, []string{"ada"}, map[string]bool{"bob": true}},
		"an unknown role":               {[]approval.Approvers{{Roles: []auth.Role{"boss"}}}, nil, map[string]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{judge: &demanding{c.demands}, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
			row := d.waiting(t, "c", c.sentBy...)
			for _, who := range []auth.Identity{ada, bob, root} {
				if c.may[who.Subject] {
					continue
				}
				_, err := d.manager.Decide(t.Context(), who, approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved})
				if !errors.Is(err, approval.ErrNotApprover) || !errors.Is(err, auth.ErrForbidden) {
					t.Errorf("%s: %v", who.Subject, err)
				}
			}
			if got := d.row(t, "c"); got.Status != approval.Pending {
				t.Fatalf("it is %s", got.Status)
			}
			status, last := approval.Denied, ada // whoever may answer may deny
			for _, who := range []auth.Identity{ada, bob, root} {
				if c.may[who.Subject] {
					status, last = approval.Approved, who
				}
			}
			if _, err := d.manager.Decide(t.Context(), last, approval.Response{ApprovalID: row.ApprovalID, Status: status}); err != nil {
				t.Errorf("%s by %s: %v", status, last.Subject, err)
			}
		})
	}
}

func TestAnEditThatAnotherRuleIsAboutNeedsItsApprovers(t *testing.T) {
	d := newDesk(t, deskOptions{judge: &demanding{}, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	row := d.waiting(t, "c", "ada")
	edit := approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, Edit: tool.JSON(`{"command":"deploy prod"}`)}
	if _, err := d.manager.Decide(t.Context(), approver(), edit); !errors.Is(err, approval.ErrNotApprover) || !strings.Contains(err.Error(), "needs carol (prod)") {
		t.Errorf("ada's edit: %v", err)
	}
	carol := auth.Identity{Subject: "carol", Roles: []auth.Role{auth.Approver}}
	if _, err := d.manager.Decide(t.Context(), carol, edit); err != nil {
		t.Errorf("carol's edit: %v", err)
	}
}

func TestWhoChangesACallThatAnotherHasToClearDoesNotClearIt(t *testing.T) {
	judge := &demanding{[]approval.Approvers{{Rule: "four eyes", NotSender: true}}}
	d := newDesk(t, deskOptions{judge: judge, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	row := d.waiting(t, "c", "ada")
	bob := auth.Identity{Subject: "bob", Roles: []auth.Role{auth.Approver}}
	_, err := d.manager.Decide(t.Context(), bob, approval.Response{
		ApprovalID: row.ApprovalID, Status: approval.Approved, Edit: tool.JSON(`{"command":"something else"}`),
	})
	if !errors.Is(err, approval.ErrNotApprover) || !strings.Contains(err.Error(), "needs another person") {
		t.Errorf("got %v", err)
	}
	if _, err := d.manager.Decide(t.Context(), bob, approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved}); err != nil {
		t.Errorf("as it is: %v", err)
	}
}

// What was asked of certain people is not cleared by a grant, once the rule that
// asked is gone.
func TestAGrantDoesNotClearWhatWasAskedOfCertainPeople(t *testing.T) {
	judge := &turning{}
	d := newDesk(t, deskOptions{judge: judge, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	d.waiting(t, "c", "ada")
	judge.grant.Store(&approval.Grant{ID: "g", GivenBy: approval.By{Subject: "ada"}})
	if err := d.manager.JudgeAgain(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got := d.row(t, "c"); got.Status != approval.Pending {
		t.Errorf("it is %s, by %+v", got.Status, got.Response.By)
	}
}

// turning asks certain people until it has a grant.
type turning struct {
	grant atomic.Pointer[approval.Grant]
}

func (j *turning) Judge(context.Context, approval.Case) (approval.Verdict, error) {
	if g := j.grant.Load(); g != nil {
		return approval.Verdict{Effect: approval.Allow, Rule: "grant", Grant: g}, nil
	}
	return approval.Verdict{Effect: approval.AskPerson, Rule: "ask", Approvers: []approval.Approvers{{Rule: "carol", Subjects: []string{"carol"}}}}, nil
}

func TestARuleThatCameWhileTheRequestWaitedHoldsToo(t *testing.T) {
	judge := &demanding{}
	d := newDesk(t, deskOptions{judge: judge, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	row := d.waiting(t, "c", "ada")
	judge.approvers = []approval.Approvers{{Rule: "new", Subjects: []string{"carol"}}}
	_, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved})
	if !errors.Is(err, approval.ErrNotApprover) {
		t.Errorf("got %v", err)
	}
}

func TestAHandlerIsHeldToTheApproversByName(t *testing.T) {
	judge := &demanding{[]approval.Approvers{{Subjects: []string{"ada"}}}}
	for subject, want := range map[string]approval.Status{"ada": approval.Approved, "bot": approval.Denied, "": approval.Denied} {
		d := newDesk(t, deskOptions{judge: judge, AgentOptions: gate.AgentOptions{Handler: approval.HandlerFunc(
			func(_ context.Context, r approval.Request) (approval.Response, error) {
				return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Approved, By: approval.By{Subject: subject}}, nil
			})}})
		d.run(t, "c")
		if got := d.row(t, "c"); got.Status != want {
			t.Errorf("%q: %s", subject, got.Status)
		}
	}
}

// granted gives a grant.
func (d *desk) granted(t *testing.T) approval.Grant {
	t.Helper()
	row := d.waiting(t, "granted", "ada")
	g := approval.Grant{ID: "g", AgentID: "demo", SessionID: d.session, ToolName: "shell", Covers: approval.Exactly(), GivenBy: approval.By{Subject: "ada"}}
	yes := approval.Response{ApprovalID: row.ApprovalID, Status: approval.Approved, Scope: approval.Session, By: approval.By{Subject: "ada"}}
	if _, err := d.Store.Settle(t.Context(), yes, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnIdentityAnswersForItsOwnAgentsOnly(t *testing.T) {
	d := newDesk(t, deskOptions{judge: &demanding{}, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent()}})
	row := d.waiting(t, "c", "ada")
	other := auth.Identity{Subject: "eve", Roles: []auth.Role{auth.Admin}, Agents: []string{"other"}}
	_, decided := d.manager.Decide(t.Context(), other, approval.Response{ApprovalID: row.ApprovalID, Status: approval.Denied})
	_, cancelled := d.manager.Cancel(t.Context(), other, "test", row.ApprovalID)
	_, revealed := d.manager.Reveal(t.Context(), other, "test", row.ApprovalID)
	_, set := d.manager.SetMode(t.Context(), other, "test", "demo", approval.AutoApprove, 0)
	_, asked := d.manager.Open(t.Context(), other, approval.Request{AgentID: "demo", SessionID: d.session, ToolName: "x"})
	all := d.manager.CancelAll(t.Context(), other, "test", d.session)
	given := d.granted(t)
	_, ended := d.manager.Revoke(t.Context(), other, "test", given.ID)
	for what, err := range map[string]error{"decided": decided, "cancelled": cancelled, "revealed": revealed, "mode": set, "asked": asked, "all": all, "grant": ended} {
		if !errors.Is(err, auth.ErrOutOfScope) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := d.row(t, "c"); got.Status != approval.Pending {
		t.Errorf("it is %s", got.Status)
	}
}

func TestAnAgentCanNotHaveMoreWaitingThanPeopleLookAt(t *testing.T) {
	d := newDesk(t, deskOptions{judge: &demanding{}, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), MaxPending: 2}})
	first := d.waiting(t, "c1", "ada")
	d.waiting(t, "c2", "ada")
	r := d.run(t, "c3")
	if row := d.row(t, "c3"); row.Status != approval.Denied || row.Response.Reason != approval.TooManyPending || d.ran.Load() != 0 {
		t.Errorf("the third is %s, %s; %d ran", row.Status, row.Response.Reason, d.ran.Load())
	}
	if !strings.Contains(r.Text, "so many requests of this agent wait") {
		t.Errorf("the model reads %q", r.Text)
	}
	question, err := d.manager.Ask(t.Context(), approval.Request{AgentID: "demo", SessionID: d.session, Type: approval.Custom, ToolCallID: "q", Message: "?"}, approval.Terms{})
	if err != nil || question.Status != approval.Cancelled || question.Response.Reason != approval.TooManyPending {
		t.Errorf("a question is %s, %s, %v", question.Status, question.Response.Reason, err)
	}
	if _, err := d.manager.Decide(t.Context(), approver(), approval.Response{ApprovalID: first.ApprovalID, Status: approval.Denied}); err != nil {
		t.Fatal(err)
	}
	if next := d.waiting(t, "c4", "ada"); next.Status != approval.Pending {
		t.Errorf("once there is room, one more is %s", next.Status)
	}
}

func TestACallThatWaitsAlreadyIsNotOneTooMany(t *testing.T) {
	d := newDesk(t, deskOptions{judge: &demanding{}, AgentOptions: gate.AgentOptions{Handler: approvaltest.Silent(), MaxPending: 1}})
	row := d.waiting(t, "c", "ada")
	ctx, cancel := timeout(t, 50*time.Millisecond)
	defer cancel()
	// As after a restart: the same call is asked again, and waits on.
	if _, err := d.tool.Run(ctx, d.call("c")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("asked again: %v", err)
	}
	if got := d.row(t, "c"); got.Status != approval.Pending || got.ApprovalID != row.ApprovalID {
		t.Errorf("it is %s", got.Status)
	}
}
