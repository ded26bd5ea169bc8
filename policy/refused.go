package policy

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// maxTouches limits the touches kept of one call.
const maxTouches = 100

// touched collects what a call would touch.
type touched struct {
	all  []approval.Touch
	open bool // it may touch more: it runs code that can't be read
}

func (t *touched) add(kind, what string) {
	if made := approval.Touch(kind + " " + what); what != "" && !slices.Contains(t.all, made) {
		t.all = append(t.all, made)
	}
}

// touch returns what the call would touch, as far as it can be read.
func (c *call) touch() *touched {
	t := &touched{open: c.unknown()}
	for part := range c.parts() {
		c.touchPart(t, part)
	}
	for _, p := range c.pathArgs() {
		kind := "read"
		if c.sideOf(p) == toWrite && !c.runs() {
			kind = "write"
		}
		if p.known && (!p.maybe || strings.Contains(p.text, "/")) && plainPath(p.text) {
			c.touchPath(t, kind, c.bases(), p.text)
		}
	}
	if !c.runs() {
		for _, p := range appendTexts(nil, c.args) {
			t.add("reach", hostIn(p.text, false))
		}
	}
	for _, name := range c.Spec.URLs {
		if path, err := readArgPath(name); err == nil {
			values, _ := path.find(c.args)
			for _, p := range appendTexts(nil, values) {
				t.add("reach", hostIn(p.text, true))
			}
		}
	}
	return t
}

func (c *call) touchPart(t *touched, part *plain.Part) {
	known := c.about(part)
	understood := part.Builtin || len(part.Words) == 0 || part.Inner != nil || known.use.Known && !slices.ContainsFunc(known.use.Roles, uncertain)
	t.open = t.open || !understood || known.doubt || c.runsProject(part) || part.More && !c.harmlessPart(part)
	before := len(t.all)
	for _, n := range c.filesOf(part) {
		reads, writes := c.effectOf(part, n.kind)
		n.word.Each(func(text string) bool {
			t.open = t.open || c.replaced(part, text)
			if reads {
				c.touchPath(t, "read", c.dirsOf(part), text)
			}
			if writes {
				c.touchPath(t, "write", c.dirsOf(part), text)
			}
			return true
		})
	}
	for _, r := range known.use.Roles {
		r.Word.Each(func(text string) bool {
			t.add("reach", hostIn(text, r.Kind == programs.URL))
			return true
		})
	}
	named := slices.ContainsFunc(t.all[before:], changes)
	t.open = t.open || !named && known.hazard >= 0 && slices.Contains(changesFiles, knownHazards()[known.hazard].text)
	shellOnly := part.Builtin && part.Program().Text != "kill"
	if !shellOnly && len(part.Words) > 0 && !named && !(understood && c.harmlessPart(part) && !part.Builtin) {
		t.add("run", programs.Named(part))
	}
}

// changes reports whether a touch does more than read.
func changes(e approval.Touch) bool { return !strings.HasPrefix(string(e), "read ") }

// uncertain reports whether it is unknown what a program does with an argument.
func uncertain(r programs.Role) bool { return r.Kind == programs.Unknown || r.Kind == programs.Code }

// effectOf reports whether a part reads and writes a file that it names.
func (c *call) effectOf(part *plain.Part, kind programs.Kind) (reads, writes bool) {
	switch kind {
	case programs.Write, programs.Make:
		return false, true
	case programs.Drop, programs.Unknown, programs.Code: // a moved file can be read elsewhere
		return true, true
	case programs.List: // only names, unless they are passed on or linked
		handed := part.Inner != nil || c.findsFor(part) != programs.List
		return handed || c.partWrites(part), part.Inner != nil && !c.harmlessPart(part.Inner)
	case programs.Option, programs.Text, programs.Read, programs.Tree, programs.Shown, programs.Dir, programs.URL:
	}
	return true, false
}

// harmlessPart reports whether a known program only reads.
func (c *call) harmlessPart(part *plain.Part) bool {
	return !c.partWrites(part) && c.about(part).hazard < 0
}

// runsProject reports whether a part runs code of the project: a script, a build, tests.
func (c *call) runsProject(part *plain.Part) bool {
	i := c.about(part).hazard
	return len(programs.Scripts(part)) > 0 || i >= 0 && knownHazards()[i].text == projectsCode
}

// touchPath adds a path as written and as resolved.
func (c *call) touchPath(t *touched, kind string, bases []string, text string) {
	if plain.NullDevice(text) {
		return
	}
	for _, p := range c.placesOf(bases, text) {
		t.add(kind, p.lexical)
		t.add(kind, p.resolved)
	}
}

// hostIn returns the host of a URL. With bare set, the scheme may be missing.
func hostIn(text string, bare bool) string {
	if len(text) > maxTexts {
		return ""
	}
	at := strings.Index(text, "://")
	switch {
	case at < 0 && !bare:
		return ""
	case at < 0:
		text = "http://" + text
	default:
		text = text[strings.LastIndexByte(text[:at], '=')+1:]
	}
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// refusable returns what a refusal of the call would cover: what it changes or reaches or, if it only
// reads, what it reads.
func (c *call) refusable() []approval.Touch {
	t := c.touch()
	kept := slices.DeleteFunc(slices.Clone(t.all), func(e approval.Touch) bool { return !changes(e) })
	if len(kept) == 0 {
		kept = t.all
	}
	return kept[:min(len(kept), maxTouches)]
}

// heldBack says why a call that would run has to be asked about all the same: it touches what was
// refused in its session, or might do so. The zero ground: nothing holds it back.
func (p *Policy) heldBack(ctx context.Context, c *call, f *matches, v approval.Verdict) (ground, error) {
	refused, err := p.grants.Refused(ctx, c.Request.SessionID)
	if err != nil {
		return ground{}, fmt.Errorf("policy: refusals: %w", err)
	}
	if len(refused) == 0 {
		return ground{}, nil
	}
	t := c.touch()
	for _, r := range refused {
		for _, e := range r.Touches {
			switch {
			case v.Fenced && f.fence.keeps(c, e):
			case slices.ContainsFunc(t.all, e.Meets) || c.runsRefused(e):
				return refusedBefore(r, "this would "+string(e)), nil
			case t.open && (v.Grant == nil || v.Grant.GivenAt.Before(r.At)):
				return refusedBefore(r, "nobody can read whether this would "+string(e)), nil
			}
		}
	}
	return ground{}, nil
}

// runsRefused reports whether a part may run the refused command.
func (c *call) runsRefused(e approval.Touch) bool {
	words, is := strings.CutPrefix(string(e), "run ")
	if !is {
		return false
	}
	pattern, err := programs.Compile(words)
	if err != nil {
		return true
	}
	for part := range c.parts() {
		if pattern.Forbids(part, c.about(part).use) != programs.No {
			return true
		}
	}
	return false
}

// keeps reports whether the fence prevents a refused touch.
func (l *fence) keeps(c *call, e approval.Touch) bool {
	kind, path, _ := strings.Cut(string(e), " ")
	among := func(list []string) bool {
		return slices.ContainsFunc(list, func(shown string) bool { return c.places.at(shown).overlaps(c.places.at(path)) })
	}
	switch kind {
	case "write":
		return !l.Network && !among(l.Writes)
	case "read":
		return !among(append(append([]string{c.directory}, l.Read...), l.Writes...))
	}
	return !l.Network && len(l.Writes) == 0
}
