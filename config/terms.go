package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// in says where the keys of a mapping stand.
func in(at []string) func(key string) []string {
	return func(key string) []string { return append(slices.Clone(at), key) }
}

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
		t.Scopes = r.options(f.Options, place("options"))
	}
	if len(t.Scopes) == 0 {
		t.Scopes = []approval.Scope{approval.Once, approval.Session}
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

// options are the scopes of the answers that approve.
func (r resolver) options(answers []string, at []string) []approval.Scope {
	var scopes []approval.Scope
	sound := true
	for i, word := range answers {
		place := append(slices.Clone(at), strconv.Itoa(i))
		status, scope, err := approval.ParseWord(word)
		switch {
		case r.doc.spoilt[id(place)]:
			sound = false
		case err != nil:
			r.fault(place, "unknown answer %s: use once, session, deny or cancel", r.doc.given(place))
			sound = false
		case status == approval.Approved && !slices.Contains(scopes, scope):
			scopes = append(scopes, scope)
		}
	}
	if len(answers) > 0 && len(scopes) == 0 && sound {
		r.fault(at, "none of them approves, so the tool could never run: add Once, or deny the tool under toolPolicies.alwaysDeny")
	}
	return scopes
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
