package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

func tried() approval.Request {
	return approval.Request{AgentID: "demo", ToolName: "shell", Args: tool.JSON(`{"command":"uname"}`), WorkingDirectory: "/srv"}
}

// give gives a grant as it is offered now.
func (d *desk) give(t *testing.T, who auth.Identity, r approval.Request, terms approval.GrantTerms) (approval.Grant, error) {
	t.Helper()
	return d.manager.Give(t.Context(), who, "test", r, d.offer(t, r).Digest, terms)
}

func (d *desk) offer(t *testing.T, r approval.Request) gate.Offer {
	t.Helper()
	about, v, err := d.manager.Foresee(t.Context(), r)
	if err != nil {
		return gate.Offer{}
	}
	return d.manager.Offer(about, v)
}

func TestAStandingApprovalIsGivenBeforeACallIsMadeOnlyAsForOne(t *testing.T) {
	const month = 30 * 24 * time.Hour
	asks := approval.Verdict{Effect: approval.AskPerson, Covers: []approval.Coverage{approval.Exactly(), approval.WholeTool("shell")}}
	once := asks
	once.Scopes = []approval.Scope{approval.Once}
	byAda := asks
	byAda.Approvers = []approval.Approvers{{Subjects: []string{"ben"}, Rule: "r"}}
	bySender := asks
	bySender.Approvers = []approval.Approvers{{NotSender: true, Rule: "r"}}
	changed := func(change func(*approval.Request)) approval.Request {
		r := tried()
		change(&r)
		return r
	}
	exact := approval.GrantTerms{Covers: approval.CoverExact}
	for name, c := range map[string]struct {
		verdict  approval.Verdict
		standing time.Duration
		who      auth.Identity
		request  approval.Request
		terms    approval.GrantTerms
		want     error
		says     string
	}{
		"as offered":                         {asks, month, approver(), tried(), exact, nil, ""},
		"for a shorter time and a few calls": {asks, month, approver(), tried(), approval.GrantTerms{Covers: approval.CoverTool, Seconds: 60, Uses: 2}, nil, ""},
		"longer than the file allows":        {asks, time.Hour, approver(), tried(), approval.GrantTerms{Covers: approval.CoverExact, Seconds: 7200}, approval.ErrInvalid, "grant.seconds"},
		"what is not offered":                {asks, month, approver(), tried(), approval.GrantTerms{Covers: approval.CoverCommand}, approval.ErrInvalid, "grant.covers"},
		"nothing named":                      {asks, month, approver(), tried(), approval.GrantTerms{}, approval.ErrInvalid, "grant.covers"},
		"where the file does not allow it":   {asks, 0, approver(), tried(), exact, approval.ErrInvalid, "approval.standing"},
		"where each call has to be seen":     {once, month, approver(), tried(), exact, approval.ErrInvalid, "approval.standing"},
		"what is denied":                     {approval.Verdict{Effect: approval.Deny, Rule: "r"}, month, approver(), tried(), exact, approval.ErrInvalid, "denies the call"},
		"what is not judged":                 {approval.Verdict{}, month, approver(), tried(), exact, approval.ErrInvalid, "denies the call"},
		"what runs already":                  {approval.Verdict{Effect: approval.Allow, Rule: "r"}, month, approver(), tried(), exact, approval.ErrInvalid, "runs without asking already"},
		"by who may not approve it":          {byAda, month, approver(), tried(), exact, approval.ErrNotApprover, "ben"},
		"where nobody knows who asked":       {bySender, month, approver(), tried(), exact, approval.ErrNotApprover, "not known who did"},
		"by who may not answer":              {asks, month, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator}}, tried(), exact, auth.ErrForbidden, ""},
		"by an agent":                        {asks, month, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Agent}}, tried(), exact, auth.ErrForbidden, ""},
		"for another agent":                  {asks, month, auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Approver}, Agents: []string{"other"}}, tried(), exact, auth.ErrOutOfScope, ""},
		"an unknown agent":                   {asks, month, approver(), changed(func(r *approval.Request) { r.AgentID = "nobody" }), exact, gate.ErrNoAgent, ""},
		"an unknown tool":                    {asks, month, approver(), changed(func(r *approval.Request) { r.ToolName = "x" }), exact, approval.ErrInvalid, "toolName"},
		"arguments that the tool refuses":    {asks, month, approver(), changed(func(r *approval.Request) { r.Args = tool.JSON(`{"x":1}`) }), exact, approval.ErrInvalid, "args"},
		"a very long call":                   {asks, month, approver(), changed(func(r *approval.Request) { r.Args = tool.JSON(`{"command":"` + strings.Repeat("x", 5000) + `"}`) }), exact, approval.ErrInvalid, "too long"},
		"arguments with a name twice":        {asks, month, approver(), changed(func(r *approval.Request) { r.Args = tool.JSON(`{"command":"a","command":"b"}`) }), exact, approval.ErrRequest, "args"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{judge: judgeFunc(func() (approval.Verdict, error) { return c.verdict, nil }), terms: approval.Terms{Standing: c.standing}})
			g, err := d.give(t, c.who, c.request, c.terms)
			if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, want %v with %q", err, c.want, c.says)
			}
			all, listed := d.manager.Grants(t.Context(), approval.GrantQuery{})
			if listed != nil {
				t.Fatal(listed)
			}
			if c.want != nil {
				if len(all) > 0 {
					t.Errorf("it gave %+v", all)
				}
				return
			}
			if diff := cmp.Diff([]approval.Grant{g}, all); diff != "" {
				t.Error(diff)
			}
			seconds := c.terms.Seconds
			if seconds == 0 {
				seconds = int64(month.Seconds())
			}
			if !g.Standing || g.ApprovalID+g.SessionID != "" || g.Directory != "/srv" || g.ToolDigest == "" || g.Covers.Kind != c.terms.Covers ||
				g.GivenBy != (approval.By{Subject: "ada", Via: "test"}) || g.MaxUses != c.terms.Uses || g.ExpiresAt.Sub(g.GivenAt) != time.Duration(seconds)*time.Second {
				t.Errorf("%+v", g)
			}
		})
	}
}

func TestAGrantThatIsGivenBeforeIsBoundToTheFilesAsTheyAre(t *testing.T) {
	d := newDesk(t, deskOptions{AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)}})
	file := &drawn{desk: d}
	file.content.Store("one")
	gated, err := d.gate.Guard(file, approval.Terms{Standing: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	r := tried()
	r.WorkingDirectory = ""
	if _, err := d.give(t, approver(), r, approval.GrantTerms{Covers: approval.CoverExact}); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]int64{"one": 1, "two": 0} {
		file.content.Store(content)
		v, err := d.manager.Preview(t.Context(), r)
		if err != nil || (v.Effect == approval.Allow) != (want == 1) {
			t.Errorf("of %s it would come to %+v, %v", content, v, err)
		}
		before := d.ran.Load()
		if _, err := gated.Run(t.Context(), d.call(content)); err != nil || d.ran.Load()-before != want {
			t.Errorf("of %s %d ran, %v", content, d.ran.Load()-before, err)
		}
	}
}

func TestAGrantIsGivenOnlyAsItWasOffered(t *testing.T) {
	verdict := approval.Verdict{Effect: approval.AskPerson, Covers: []approval.Coverage{
		approval.Exactly(), {Kind: approval.CoverPath, Text: "files below sub/", Paths: []string{"/srv/sub"}},
	}}
	d := newDesk(t, deskOptions{judge: judgeFunc(func() (approval.Verdict, error) { return verdict, nil }), AgentOptions: gate.AgentOptions{Handler: approvaltest.Says(approval.Denied)}})
	file := &drawn{desk: d}
	file.content.Store("one")
	if _, err := d.gate.Guard(file, approval.Terms{Standing: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(r *approval.Request){
		"the file":      func(*approval.Request) { file.content.Store("two") },
		"the coverage":  func(*approval.Request) { verdict.Covers[1].Paths = []string{"/srv"} },
		"the folder":    func(r *approval.Request) { r.WorkingDirectory = "/etc" },
		"the arguments": func(r *approval.Request) { r.Args = tool.JSON(`{"command":"id"}`) },
	} {
		r := tried()
		offer := d.offer(t, r)
		if offer.StandingSeconds == 0 || len(offer.Covers) != 2 || offer.Digest != d.offer(t, r).Digest {
			t.Fatalf("%+v", offer)
		}
		change(&r)
		for _, kind := range []approval.CoverageKind{approval.CoverExact, approval.CoverPath} {
			if g, err := d.manager.Give(t.Context(), approver(), "test", r, offer.Digest, approval.GrantTerms{Covers: kind}); !errors.Is(err, gate.ErrOutdated) {
				t.Errorf("%s changed: given %+v, %v", name, g, err)
			}
		}
	}
	if _, err := d.manager.Give(t.Context(), approver(), "test", tried(), "", approval.GrantTerms{Covers: approval.CoverExact}); !errors.Is(err, gate.ErrOutdated) {
		t.Errorf("without an offer: %v", err)
	}
}

// unshowable is a tool whose preview fails: such a call is not asked for.
type unshowable struct{ *drawn }

func (unshowable) Preview(context.Context, tool.Call) (tool.Preview, error) { panic("broken") }

func TestNothingIsOfferedWhereNothingCouldBeAsked(t *testing.T) {
	d := newDesk(t, deskOptions{terms: approval.Terms{Standing: time.Hour}})
	if offer := d.offer(t, tried()); offer.Digest == "" {
		t.Fatalf("%+v", offer)
	}
	if _, err := d.manager.Halt(t.Context(), admin(), "test", "demo"); err != nil {
		t.Fatal(err)
	}
	if offer := d.offer(t, tried()); offer.Digest != "" || offer.StandingSeconds != 0 {
		t.Errorf("during a halt: %+v", offer)
	}
	if _, err := d.give(t, approver(), tried(), approval.GrantTerms{Covers: approval.CoverExact}); !errors.Is(err, approval.ErrHalted) {
		t.Errorf("during a halt: %v", err)
	}
	if _, err := d.gate.Guard(unshowable{&drawn{desk: d}}, approval.Terms{Standing: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.manager.Foresee(t.Context(), tried()); err == nil || !strings.Contains(err.Error(), "preview") {
		t.Errorf("where the preview fails: %v", err)
	}
}

func TestAGrantThatIsGivenBeforeClearsCallsOfEverySessionUntilItIsRevoked(t *testing.T) {
	d, end := several(t, deskOptions{terms: approval.Terms{Standing: time.Hour}}, "uname")
	r := tried()
	r.WorkingDirectory = ""
	g, err := d.give(t, approver(), r, approval.GrantTerms{Covers: approval.CoverExact})
	if err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil || d.ran.Load() != 1 { // what waited is released
		t.Fatalf("%d ran, %v", d.ran.Load(), err)
	}
	if string(g.Args) != `{"command":"uname"}` || g.Words() != "exactly uname" {
		t.Errorf("it covers %s: %s", g.Words(), g.Args)
	}
	if _, err := d.give(t, approver(), r, approval.GrantTerms{Covers: approval.CoverExact}); !errors.Is(err, approval.ErrInvalid) {
		t.Errorf("given once more: %v", err)
	}
	other, err := d.Log.Create(t.Context(), session.Session{AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	call := d.call("two")
	call.SessionID = other.ID
	d.gate.SetHandler(approvaltest.Says(approval.Denied))
	if _, err := d.tool.Run(t.Context(), call); err != nil || d.ran.Load() != 2 {
		t.Errorf("in another session %d ran, %v", d.ran.Load(), err)
	}
	if _, err := d.manager.Revoke(t.Context(), approver(), "test", g.ID); err != nil {
		t.Fatal(err)
	}
	call.ID = "three"
	if _, err := d.tool.Run(t.Context(), call); err != nil || d.ran.Load() != 2 {
		t.Errorf("once it is revoked %d ran, %v", d.ran.Load(), err)
	}
	d.manager.Wait()
}
