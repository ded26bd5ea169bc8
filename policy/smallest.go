package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// Proposal is a rule that would allow a call.
type Proposal struct {
	Sentence approval.Sentence `json:"sentence,omitempty"` // what it would do
	Rule     string            `json:"rule"`               // as YAML, for agents.yaml
}

// Smallest returns the narrowest rule that would allow a command line in addition to the existing
// rules; nil if there is none. For a line that can't be read it is a sandbox.
func (p *Policy) Smallest(c approval.Case) *Proposal {
	call, err := p.call(&c)
	if err != nil || !call.runs() {
		return nil
	}
	made := call.smallest()
	if made == nil {
		return nil
	}
	return &Proposal{
		Sentence: made.sentence(c.Request.AgentID), Rule: "- " + strings.ReplaceAll(made.rule.yaml(), "\n", "\n  ") + "\n",
	}
}

func (c *call) smallest() *Compiled {
	rule := Rule{Tool: c.Request.ToolName, Effect: Allow}
	found := find(c)
	if found.unknown {
		rule.Sandbox = &tool.Fence{}
		made, faults := Compile(rule, nil)
		if len(faults) > 0 {
			return nil
		}
		c.rules.Rules = append(slices.Clip(c.rules.Rules), made)
		if found := find(c); found.fence == nil || !found.open() {
			return nil
		}
		return made
	}
	if !found.open() {
		return nil
	}
	for part := range c.parts() {
		if _, _, ok := c.clearPart(found.clearings, part); !ok {
			c.allow(&rule, part)
		}
	}
	made, faults := Compile(rule, nil)
	if len(faults) > 0 || !c.clear(append(slices.Clip(found.clearings), made.clearing())).ok {
		return nil
	}
	return made
}

// allow extends a rule so that it covers a part.
func (c *call) allow(rule *Rule, part *plain.Part) {
	add := func(list *[]string, text string) {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	if !part.Builtin && len(part.Words) > 0 && !(part.Light && part.Inner != nil) {
		add(&rule.Command, formOf(part))
		add(&rule.Paths, ".")
	}
	for _, n := range c.filesOf(part) {
		n.word.Each(func(text string) bool {
			at := filepath.Clean(plain.Join(part.Dir, text))
			short, err := filepath.Rel(c.home, at)
			if err != nil || !filepath.IsLocal(short) {
				short = at
			}
			switch n.kind {
			case programs.Write, programs.Make, programs.Drop:
				if plain.NullDevice(text) {
					return true
				}
				add(&rule.Writes, short)
				l := clearing{writes: []string{short}}
				rule.Overwrite = rule.Overwrite || l.mayWritePath(c, at, n.kind == programs.Make) != ""
			case programs.Read, programs.Tree, programs.Shown, programs.List, programs.Dir:
				if short == at {
					add(&rule.Paths, at)
				}
			case programs.Unknown, programs.Option, programs.Text, programs.URL, programs.Code:
			}
			return true
		})
	}
}

// formOf returns a pattern for a part: program, subcommand and the options that have to be named or, if
// a star can't cover the rest, all words.
func formOf(part *plain.Part) string {
	form := programs.Named(part) + " *"
	for range part.Words {
		p, err := programs.Compile(form)
		if err != nil {
			break
		}
		covered := p.Covers(part)
		if covered.OK {
			return form
		}
		if covered.Need == "" {
			break
		}
		form = covered.Need
	}
	return programs.Exactly(part)
}
