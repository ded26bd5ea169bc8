package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// in says where the keys of a mapping stand.
func in(at []string) func(key string) []string {
	return func(key string) []string { return append(slices.Clone(at), key) }
}

// standingFor is how long a standing approval holds unless told otherwise.
const standingFor = 30 * 24 * time.Hour

// terms are what is said about clearing calls; place says where each key stands.
func (r resolver) terms(f approvalFile, place func(key string) []string) approval.Terms {
	t := approval.Terms{Message: f.Message}
	if f.Required != nil {
		t.Need = approval.NeedNone
		if *f.Required {
			t.Need = approval.NeedAsk
		}
	}
	if f.Scope != "" && len(f.Options) > 0 {
		r.fault(place("options"), "scope is given as well, and both say what an approval may cover: leave one of them out")
	}
	switch approval.Scope(f.Scope) {
	case approval.Once:
		t.Scopes = []approval.Scope{approval.Once}
	case approval.Always:
		if t.Need == approval.NeedAsk {
			r.fault(place("scope"), "always means that the tool is never asked about, and required: true that it always is: leave one of them out")
		}
		t.Need = approval.NeedNone
	case approval.Session:
	default: // left out
		t.Options = r.options(f.Options, place("options"))
		for _, o := range t.Options {
			if o.Status == approval.Approved {
				t.Scopes = append(t.Scopes, o.Scope)
			}
		}
		if len(t.Options) > 0 && len(t.Scopes) == 0 {
			r.fault(place("options"), "none of them approves, so the tool could never run: add Once, or deny the tool under toolPolicies.alwaysDeny")
		}
	}
	if len(t.Scopes) == 0 {
		t.Scopes = []approval.Scope{approval.Once, approval.Session}
	}
	switch {
	case f.Standing && !slices.Contains(t.Scopes, approval.Session):
		r.fault(place("standing"), "this tool can only be approved once: leave it out, or let approvals cover the session")
	case f.Standing:
		t.Standing = r.duration(f.StandingFor, standingFor, place("standingFor"))
	case f.StandingFor != "":
		r.fault(place("standingFor"), "there are no standing approvals of this tool: add standing: true, or leave it out")
	}
	if f.Pattern != "" {
		p, err := approval.CompilePattern(f.Pattern)
		if err != nil {
			r.fault(place("pattern"), "%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		t.Pattern = p
	}
	return t
}

// options are the answers to offer.
func (r resolver) options(words []string, at []string) (options []approval.Option) {
	for i, word := range words {
		if place := in(at)(strconv.Itoa(i)); r.doc.spoilt[id(place)] {
			return nil
		} else if _, _, err := approval.ParseWord(word); err != nil {
			r.fault(place, "unknown answer %s: use once, session, deny or cancel", r.doc.given(place))
			return nil
		}
	}
	options, _ = approval.OptionsOf(words...) // each has been read
	return options
}

// over is what holds for one tool of a server: what is said of it, and of the server
// where nothing is said of it. Scope and options say the same thing in two ways, so
// one of the tool's own takes the place of both; required and a scope of always
// contradict each other, so the tool's own wins.
func (r resolver) over(server, own approvalFile, serverAt, ownAt []string) (f approvalFile, place func(key string) []string) {
	f = server
	said := r.doc.keys[id(ownAt)]
	has := func(key string) bool { return slices.Contains(said, key) }
	if has("required") {
		f.Required = own.Required
		if own.Required != nil && *own.Required && f.Scope == scope(approval.Always) {
			f.Scope = ""
		}
	}
	if has("scope") || has("options") {
		f.Scope, f.Options = own.Scope, own.Options
		if own.Scope == scope(approval.Always) && !has("required") {
			f.Required = nil
		}
	}
	if has("message") {
		f.Message = own.Message
	}
	if has("pattern") {
		f.Pattern = own.Pattern
	}
	if has("standing") || has("standingFor") {
		f.Standing, f.StandingFor = own.Standing, own.StandingFor
	}
	return f, func(key string) []string {
		if has(key) {
			return in(ownAt)(key)
		}
		return in(serverAt)(key)
	}
}

// messages checks those of an agent's own tools.
func (r resolver) messages(a Agent, specs []tool.Spec) {
	for _, t := range a.Tools {
		for _, spec := range specs {
			if spec.Name == t.Name {
				r.aboutArguments(t.Terms, spec, []string{"agents", a.ID, "tools", t.Name, "approval", "message"})
			}
		}
	}
}

// aboutArguments finds fault with a message in which something stands for an
// argument that the tool does not have.
func (r resolver) aboutArguments(t approval.Terms, spec tool.Spec, at []string) {
	for _, text := range unknownArguments(t, spec, spec.Name) {
		r.fault(at, "%s", text)
	}
}

// unknownArguments says what stands for no argument of a tool in the message.
func unknownArguments(t approval.Terms, spec tool.Spec, name string) []string {
	var faults []string
	for _, argument := range t.Placeholders() {
		known, lacks := policy.Lacks(spec.Schema, argument)
		if !lacks {
			continue
		}
		text := "{" + argument + "} stands for an argument that " + name + " does not have" + meant(argument, known)
		if len(known) > 0 {
			text += " (there are " + strings.Join(known, ", ") + ")"
		}
		faults = append(faults, text)
	}
	return faults
}
