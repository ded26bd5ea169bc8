package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// sentence is one that is being made.
type sentence struct{ parts approval.Sentence }

func (s *sentence) say(words string) *sentence {
	if n := len(s.parts); n > 0 && s.parts[n-1].Kind == "" {
		s.parts[n-1].Text += words
		return s
	}
	return s.add("", words)
}

func (s *sentence) add(kind approval.PartKind, text string) *sentence {
	s.parts = append(s.parts, approval.Part{Text: mask.Hidden(text), Kind: kind})
	return s
}

// list says several of a kind, with a word before the last.
func (s *sentence) list(kind approval.PartKind, last string, texts []string) *sentence {
	for i, text := range texts {
		switch {
		case i > 0 && i == len(texts)-1:
			s.say(" " + last + " ")
		case i > 0:
			s.say(", ")
		}
		s.add(kind, text)
	}
	return s
}

// subject begins a sentence about an agent or, where none is named, about all of them. What follows
// fits one agent and several.
func subject(agentID string, effect Effect) *sentence {
	s := &sentence{}
	switch {
	case agentID != "":
		s.add(approval.PartAgent, agentID)
	case effect == Deny:
		s.add(approval.PartName, "No agent")
	default:
		s.add(approval.PartName, "Every agent")
	}
	switch {
	case effect == Ask:
		s.say(" must ask before using ")
	case effect == Deny && agentID != "":
		s.say(" may never use ")
	default:
		s.say(" may use ")
	}
	return s
}

// tools says which tools a pattern is about.
func (s *sentence) tools(pattern string) *sentence {
	switch {
	case pattern == "*":
		return s.say("any tool")
	case strings.Contains(pattern, "*"):
		return s.say("tools named ").add(approval.PartCode, pattern)
	default:
		return s.add(approval.PartName, pattern)
	}
}

// sentence says what a rule does: to one agent, or to every agent where none is named. It is nil for a
// rule that has something it has no words for.
func (r *Compiled) sentence(agentID string) approval.Sentence {
	rule := r.rule
	switch rule.Effect {
	case Allow, Ask, Deny:
	default:
		return nil
	}
	s := subject(agentID, rule.Effect).tools(rule.Tool)
	switch {
	case rule.Sandbox != nil:
		s.say(" to run anything in ").fence(*rule.Sandbox)
	case rule.Effect == Allow:
		s.allowed(r)
	default:
		s.about(r)
	}
	if !s.conditions(r) {
		return nil
	}
	s.say(".")
	s.approvers(rule.Approvers)
	if rule.Risk != "" {
		s.say(" Such a call counts as ").add(approval.PartName, string(rule.Risk)+" risk")
		if rule.Risk != approval.RiskCritical {
			s.say(" at least")
		}
		s.say(".")
	}
	return s.parts
}

// about says which calls a rule that denies or asks is about.
func (s *sentence) about(r *Compiled) {
	s.commands(r.patterns)
	if len(r.rule.Paths) > 0 {
		s.say(" on files in ").places(r.rule.Paths, "or")
	}
}

// allowed says what a rule that allows lets a tool do. Where a tool may run commands, a rule that
// names none lets none run.
func (s *sentence) allowed(r *Compiled) {
	switch paths, writes := r.rule.Paths, r.rule.Writes; {
	case len(r.patterns) > 0:
		s.commands(r.patterns)
		if len(paths) > 0 {
			s.say(" in ").places(paths, "or")
		}
		s.writes(r, ", and to write ")
	case len(paths)+len(writes) == 0:
	case r.runs == programs.Yes:
		s.say(" to run built-in commands such as echo, and what other rules allow, with redirections ")
		if len(paths) > 0 {
			s.say("from files in ").places(paths, "or")
		}
		s.writes(r, map[bool]string{true: " and to ", false: "to "}[len(paths) > 0])
	default:
		if len(paths) > 0 {
			s.say(" on files in ").places(paths, "or")
		}
		s.writes(r, map[bool]string{true: ", and to write ", false: " to write "}[len(paths) > 0])
		if r.runs == programs.Maybe {
			s.say(", but to run no command other than built-in ones such as echo")
		}
	}
}

func (s *sentence) writes(r *Compiled, words string) {
	if len(r.rule.Writes) == 0 {
		return
	}
	s.say(words).list(approval.PartCode, "or", r.rule.Writes)
	if !r.rule.Overwrite {
		s.say(" where nothing is yet")
	}
}

func (s *sentence) commands(patterns []programs.Pattern) {
	if len(patterns) == 0 {
		return
	}
	shown := make([]string, len(patterns))
	for i, p := range patterns {
		before, open := p.Open()
		if open && before == "" {
			s.say(" to run any command")
			return
		}
		shown[i] = before
		if open {
			shown[i] += " …"
		}
	}
	s.say(" to run ").list(approval.PartCode, "or", shown)
}

func (s *sentence) places(paths []string, last string) *sentence {
	for i, path := range paths {
		switch {
		case i > 0 && i == len(paths)-1:
			s.say(" " + last + " ")
		case i > 0:
			s.say(", ")
		}
		if path == "." {
			s.say("the working directory")
			continue
		}
		s.add(approval.PartCode, path)
	}
	return s
}

// fence says what a sandbox shows and lets change.
func (s *sentence) fence(f tool.Fence) {
	if len(f.Writes) == 0 && !f.Network {
		s.say("a read-only sandbox")
	} else {
		s.say("a sandbox")
	}
	sep := " that "
	and := func(words string) *sentence {
		s.say(sep + words)
		sep = " and "
		return s
	}
	if len(f.Read) > 0 {
		and("also reads ").places(f.Read, "and")
	}
	if len(f.Writes) > 0 {
		and("writes in ").places(f.Writes, "and")
	}
	if f.Network {
		and("has the network")
	}
}

// conditions says on what else a rule depends; false where there are no words for it.
func (s *sentence) conditions(r *Compiled) bool {
	sep := " with "
	for _, name := range slices.Sorted(maps.Keys(r.rule.Args)) {
		words, ok := r.rule.Args[name].words()
		if !ok {
			return false
		}
		s.say(sep).add(approval.PartCode, name).say(" "+words.verb+" ").add(approval.PartCode, words.value).say(words.rest)
		sep = " and "
	}
	if r.rule.When != "" {
		s.say(" if ").add(approval.PartCode, r.rule.When)
	}
	if level := r.rule.RiskAtLeast; level != "" {
		s.say(" if the call is ").add(approval.PartName, string(level)+" risk")
		if level != approval.RiskCritical {
			s.say(" or above")
		}
	}
	return true
}

type conditionWords struct{ verb, value, rest string }

// words are a condition in words; false for a kind that has none here.
func (m Matcher) words() (w conditionWords, ok bool) {
	made, err := compileMatcher(m)
	if err != nil {
		return w, false
	}
	switch made.kind {
	case "equals":
		w = conditionWords{"equal to", plainValue(made.equals), ""}
	case "glob":
		w = conditionWords{"like", made.text, ""}
	case "prefix":
		w = conditionWords{"starting with", made.text, ""}
	case "regex":
		w = conditionWords{"matching", *m.Regex, ""}
	case "pathWithin":
		w = conditionWords{"in the folder", made.text, ""}
	case "hostWithin":
		w = conditionWords{"on the host", made.text, " or a subdomain of it"}
	}
	return w, w.verb != ""
}

// plainValue is a JSON value; a text without its quotes, unless it reads as another value then.
func plainValue(value tool.JSON) string {
	var text string
	if strictjson.Kind(value) == '"' && json.Unmarshal(value, &text) == nil && text != "" && !jsontext.Value(text).IsValid() {
		return text
	}
	return string(value)
}

// approvers says who may approve what a rule asks about.
func (s *sentence) approvers(a approval.Approvers) {
	if len(a.Subjects)+len(a.Roles) > 0 {
		who := slices.Clone(a.Subjects)
		for _, r := range a.Roles {
			who = append(who, fmt.Sprintf("the role %s", r))
		}
		s.say(" Only ").list(approval.PartName, "or", who).say(" may approve it.")
	}
	if a.NotSender {
		s.say(" Whoever asked the agent for it may not approve it.")
	}
}
