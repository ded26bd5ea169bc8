package approval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Mode says what happens to a tool call about which no rule has a say.
type Mode string

// The modes. The zero Mode is Manual's meaning: ask.
const (
	Manual      Mode = "manual"
	AutoApprove Mode = "auto-approve"
	AutoDeny    Mode = "auto-deny"
)

// UnmarshalText accepts the modes' names; the old name of manual is refused
// with the new one.
func (m *Mode) UnmarshalText(text []byte) error {
	if string(text) == "event-based" {
		return errors.New("mode event-based was renamed to manual")
	}
	return readWord(m, "mode", text, Manual, AutoApprove, AutoDeny)
}

// Need is what a tool itself says about being asked for.
type Need int

// The needs. The zero Need leaves it to the mode.
const (
	NeedByMode Need = iota
	NeedAsk         // asked under every mode; a grant satisfies it
	NeedNone        // never asked
)

// Terms are the conditions under which a gate offers a tool.
type Terms struct {
	Need    Need
	Message string   // shown to the person; {name} stands for an argument
	Scopes  []Scope  // what an approval may cover; once and session when empty
	Options []Option // the answers in words of its own; none: the usual ones
	Pattern Pattern  // calls whose arguments, in canonical JSON, it covers are not asked about

	// Standing is how long an approval with scope always holds, in every session of the
	// agent; zero: it is not offered.
	Standing time.Duration
}

// TermsView is terms as people and programs are told of them.
type TermsView struct {
	Required *bool    `json:"required,omitempty"` // absent: the mode decides
	Message  string   `json:"message,omitempty"`  // what a person is asked, in words
	Scope    Scope    `json:"scope,omitempty"`    // the widest that an approval may cover
	Options  []Option `json:"options,omitempty"`
	Pattern  string   `json:"pattern,omitempty"` // how the choices are shown

	StandingSeconds int64 `json:"standingSeconds,omitzero"` // how long an approval with scope always holds; absent: it is not offered
}

// View is the terms, for people and programs.
func (t Terms) View() TermsView {
	v := TermsView{Message: t.Message, Options: t.Options, Pattern: t.Pattern.text, StandingSeconds: int64(t.Standing.Seconds())}
	if t.Need != NeedByMode {
		asked := t.Need == NeedAsk
		v.Required = &asked
	}
	switch {
	case t.Need == NeedNone: // there is no approval that could cover anything
	case len(t.Scopes) == 0 || slices.Contains(t.Scopes, Session):
		v.Scope = Session
	default:
		v.Scope = t.Scopes[0]
	}
	return v
}

// Effect is what a judge decides. The zero Effect is not a decision and
// denies.
type Effect int

// The effects.
const (
	_ Effect = iota
	Deny
	AskPerson
	Allow
)

// String is the effect's name.
func (e Effect) String() string {
	switch e {
	case Allow:
		return "allow"
	case AskPerson:
		return "ask"
	case Deny:
		return "deny"
	default:
		return "undecided"
	}
}

// Case is what a judge decides about.
type Case struct {
	Request Request
	Args    strictjson.Canonical // the request's; zero: a judge reads them
	Spec    tool.Spec
	Terms   Terms
	Mode    Mode
	At      time.Time // when it is judged; zero: now
	Observe bool      // the agent is observed: what a person would be asked about may run
}

// Now is when it is judged.
func (c Case) Now() time.Time {
	if c.At.IsZero() {
		return time.Now()
	}
	return c.At
}

// CanonicalArgs are the request's arguments, read once.
func (c Case) CanonicalArgs() (strictjson.Canonical, error) {
	if c.Args != (strictjson.Canonical{}) {
		return c.Args, nil
	}
	return c.Request.CanonicalArgs()
}

// Verdict is a judge's decision with its grounds.
type Verdict struct {
	Effect Effect
	Rule   string     // what decided, such as "toolPolicies.alwaysDeny: shell"
	Trace  []string   // how it got there, one finding a line
	Scopes []Scope    // what an approval may still cover; nil leaves it to the terms
	Grant  *Grant     // by which it is allowed; nil where no grant was needed
	Covers []Coverage // what a grant could cover, from narrow to wide
	Risk   Risk
	Fenced bool // it is allowed only in a sandbox

	// Observed says that the call runs although a person would be asked: its agent is
	// observed, and nothing was refused that the call touches.
	Observed bool

	Edit tool.JSON // of a call that is allowed: what runs in place of its arguments, as a merge patch

	Approvers []Approvers // who may approve it, where a person is asked

	Touches []Touch // what the call would touch; set if a person is asked or a rule denies it

	Commands []Command // what a command line runs, where a person is asked or a rule about it denies
}

// VerdictView is a verdict in words, for people.
type VerdictView struct {
	Effect    string       `json:"effect" enum:"allow,ask,deny"` // what would be done
	Policy    PolicyReason `json:"policy"`
	Risk      Risk         `json:"risk,omitzero"`
	Approvers []Approvers  `json:"approvers,omitempty"`
	Covers    []Coverage   `json:"covers,omitempty"`
	Commands  []Command    `json:"commands,omitempty"`
}

// VerdictView puts the verdict in words.
func (v Verdict) View() VerdictView {
	return VerdictView{
		Effect: v.Effect.String(), Policy: PolicyReason{Rule: v.Rule, Trace: v.Trace}, Risk: v.Risk, Covers: v.Covers, Commands: v.Commands,
		Approvers: v.Approvers,
	}
}

// Judge decides whether a tool call may run, must not, or needs a person. It
// is called when a call is asked, when a person edits it, when the rules change
// while it waits, and again when it is about to run. An error counts as a
// denial.
type Judge interface {
	Judge(ctx context.Context, c Case) (Verdict, error)
}

// Findings are what the rules have to say about a case, each empty or the
// name of the rule that says it.
type Findings struct {
	Deny, Ask, Allow string
	Grant            *Grant
	Unknown          bool // what the call runs can't be determined

	Fence string // the rule or grant that lets the call run in a sandbox, even if Unknown
}

// Weigh puts findings, terms and mode in their order: deny beats all; then an
// ask rule, which no grant or mode satisfies; then allow; then a grant; then
// a sandbox; then the tool's own need; then the mode. If what the
// call runs can't be determined, no allow rule and no grant clears it, and none is offered.
func Weigh(f Findings, need Need, mode Mode) Verdict {
	if f.Unknown {
		f.Allow, f.Grant = "", nil
	}
	v := weigh(f, need, mode)
	if v.Effect == AskPerson && (f.Ask != "" || f.Unknown) {
		v.Scopes = []Scope{Once}
	}
	return v
}

func weigh(f Findings, need Need, mode Mode) Verdict {
	switch {
	case f.Deny != "":
		return ruled(Deny, f.Deny)
	case f.Ask != "":
		return ruled(AskPerson, f.Ask)
	case f.Allow != "":
		return ruled(Allow, f.Allow)
	case need == NeedNone && f.Fence == "":
		return ruled(Allow, "approval.required: false")
	case f.Grant != nil:
		v := ruled(Allow, f.Grant.Rule())
		v.Grant = f.Grant
		return v
	case f.Fence != "":
		v := ruled(Allow, f.Fence)
		v.Fenced = true
		return v
	case need == NeedAsk:
		return ruled(AskPerson, "approval.required: true")
	}
	switch mode {
	case AutoApprove:
		return ruled(Allow, "mode auto-approve")
	case Manual, "":
		return ruled(AskPerson, "mode manual")
	case AutoDeny:
		return ruled(Deny, "mode auto-deny")
	default:
		return ruled(Deny, fmt.Sprintf("unknown mode %q", mode))
	}
}

func ruled(e Effect, rule string) Verdict { return Verdict{Effect: e, Rule: rule} }

// Pattern is a regular expression (RE2) that has to cover a text from its
// first to its last character. The zero Pattern covers nothing.
type Pattern struct {
	text string
	full *regexp.Regexp
}

// CompilePattern reads a pattern.
func CompilePattern(text string) (Pattern, error) {
	// Alone first, so that an unbalanced group can't reach over the anchors.
	if _, err := regexp.Compile(text); err != nil {
		return Pattern{}, err
	}
	full, err := regexp.Compile(`\A(?:` + text + `)\z`)
	return Pattern{text: text, full: full}, err
}

// Covers reports whether the whole of text matches.
func (p Pattern) Covers(text string) bool { return p.full != nil && p.full.MatchString(text) }

// Plain is the judge of a program without rules: terms, grants and the mode.
type Plain struct{ Grants Grants }

// Judge implements the interface.
func (p Plain) Judge(ctx context.Context, c Case) (Verdict, error) {
	var f Findings
	args, err := c.CanonicalArgs()
	if err != nil {
		return Verdict{}, fmt.Errorf("approval: judge: %w", err)
	}
	if c.Terms.Pattern.Covers(args.String()) {
		f.Allow = "approval.pattern"
	}
	held, err := p.Grants.Held(ctx, c.Request.SessionID, c.Request.AgentID, c.Request.ToolName)
	if err != nil {
		return Verdict{}, fmt.Errorf("approval: judge: %w", err)
	}
	for _, g := range held {
		if g.Fits(c, c.Now()) && g.CoversPlainly(c.Request) {
			f.Grant = &g
			break
		}
	}
	v := Weigh(f, c.Terms.Need, c.Mode)
	v.Covers = []Coverage{Exactly(), WholeTool(c.Request.ToolName)}
	return v, nil
}

// Answer is what a verdict that needs no person says.
func (v Verdict) Answer() Response {
	switch {
	case v.Effect == Allow && v.Grant != nil:
		return Response{Status: Approved, By: By{Subject: v.Grant.GivenBy.Subject, Via: ViaGrant}, GrantID: v.Grant.ID, Edit: v.Edit}
	case v.Effect == Allow:
		return Response{Status: Approved, By: ByPolicy(), Edit: v.Edit}
	case v.Effect == AskPerson && v.Observed:
		return Response{Status: Approved, Reason: Observed, By: BySystem()}
	default:
		return Response{Status: Denied, Reason: PolicyDenied, Message: v.Rule, By: ByPolicy()}
	}
}
