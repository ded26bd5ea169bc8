package policy

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/programs"
)

// Suggest offers rules that would allow a call, from narrow to wide. past are
// other approvals; those of other agents and tools don't count. Nothing is
// offered for a call that a rule denies or asks about, or for a command line that
// writes files or is not known.
func (p *Policy) Suggest(c approval.Case, past []approval.Approval) []approval.Suggestion {
	call, err := p.call(&c)
	if err != nil {
		return nil
	}
	found := find(call)
	if found.unknown || call.writes() || len(found.deny)+len(found.ask) > 0 {
		return nil
	}
	var offered []approval.Suggestion
	for _, covers := range call.covers(found) {
		switch {
		case covers.Kind == approval.CoverTool && call.runs():
			continue // a rule for good that lets every command through is not for us to suggest
		case covers.Kind == approval.CoverCommand:
			covers.Paths = []string{"."}
			if _, ok := call.coverageCovers(found.clearings, "", covers); !ok {
				continue
			}
		}
		s := approval.Suggestion{Covers: covers, Sentence: call.sentenceFor(covers), Rule: call.ruleFor(covers)}
		p.count(&s, call, past)
		offered = append(offered, s)
	}
	return offered
}

// maxCounting bounds the time for trying one suggestion on earlier calls.
const maxCounting = time.Second

// count tries a suggestion on other calls.
func (p *Policy) count(s *approval.Suggestion, asked *call, past []approval.Approval) {
	c, began := asked.Case, time.Now()
	for _, row := range past {
		if time.Since(began) > maxCounting {
			return // Past says on how many it was tried
		}
		if row.AgentID != c.Request.AgentID || row.ToolName != c.Request.ToolName || row.ApprovalID == c.Request.ApprovalID && row.ApprovalID != "" {
			continue
		}
		earlier := c
		earlier.Request = row.Request
		call, err := p.call(&earlier)
		if err != nil {
			continue
		}
		s.Past++
		switch s.Covers.Kind {
		case approval.CoverTool:
		case approval.CoverExact:
			if call.canonical != asked.canonical {
				continue
			}
		case approval.CoverCommand, approval.CoverPath:
			if slices.ContainsFunc(call.lines(), func(r reading) bool { return r.line.Disk }) {
				s.Unknown++ // today's files are not those of then
				continue
			}
			if _, ok := call.coverageCovers(find(call).clearings, "", s.Covers); !ok {
				continue
			}
		}
		s.Matched++
		if row.Status == approval.Pending {
			s.Waiting++
		}
		if row.Status == approval.Denied && row.Response.Reason == approval.UserDenied {
			s.Denied++
		}
	}
}

// ruleFor writes a coverage as a rule.
func (c *call) ruleFor(covers approval.Coverage) string {
	if covers.Kind == approval.CoverExact {
		return c.exactRule()
	}
	return c.oneRule(covers.Command, covers.Paths)
}

// sentenceFor says what a coverage lets the agent do.
func (c *call) sentenceFor(covers approval.Coverage) approval.Sentence {
	rule := Rule{Tool: c.Request.ToolName, Command: covers.Command, Paths: c.shortened(covers.Paths), Effect: Allow}
	if covers.Kind == approval.CoverExact {
		if line, ok := c.args[c.Spec.Command.Line].(string); ok && len(c.args) == 1 {
			return subject(c.Request.AgentID, Allow).tools(rule.Tool).say(" to run exactly ").add(approval.PartCode, line).say(".").parts
		}
		rule.Args = map[string]Matcher{}
		for name, value := range c.args {
			if data, err := json.Marshal(value, json.Deterministic(true)); err == nil {
				rule.Args[name] = Matcher{Equals: data}
			}
		}
	}
	return (&Compiled{rule: rule, patterns: patternsOf(rule.Command), runs: truth(c.runs())}).sentence(c.Request.AgentID)
}

func patternsOf(command []string) (made []programs.Pattern) {
	for _, text := range command {
		if p, err := programs.Compile(text); err == nil { // it is one of ours
			made = append(made, p)
		}
	}
	return made
}

// exactRule is a rule for these arguments alone.
func (c *call) exactRule() string {
	var b strings.Builder
	b.WriteString("- tool: " + quote(c.Request.ToolName) + "\n")
	if len(c.args) > 0 {
		b.WriteString("  args:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(c.args)) {
		value, err := json.Marshal(c.args[name], json.Deterministic(true))
		if err != nil {
			continue // it came from JSON
		}
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		b.WriteString("    " + quote(pointer) + ": {equals: " + escaped(value) + "}\n")
	}
	c.closeRule(&b)
	return b.String()
}

// closeRule ends what is suggested.
func (c *call) closeRule(b *strings.Builder) {
	b.WriteString("  effect: " + string(Allow) + "\n  reason: " + quote("suggested on "+c.now.UTC().Format(time.DateOnly)) + "\n")
}

func (c *call) oneRule(command, paths []string) string {
	var b strings.Builder
	line := func(name, value string) { b.WriteString("  " + name + ": " + value + "\n") }
	b.WriteString("- tool: " + quote(c.Request.ToolName) + "\n")
	if len(command) > 0 {
		line("command", quoteList(command))
	}
	if len(paths) > 0 {
		line("paths", quoteList(c.shortened(paths)))
	}
	c.closeRule(&b)
	return b.String()
}

// shortened are paths as rules write them: those in the working directory relative to it.
func (c *call) shortened(paths []string) []string {
	short := slices.Clone(paths)
	for i, path := range short {
		if rest, err := filepath.Rel(c.home, path); err == nil && filepath.IsLocal(rest) {
			short[i] = rest
		}
	}
	return short
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a text as a JSON string, which YAML reads the same way, with hidden
// characters as escapes. It escapes what the configuration would read as an environment
// variable.
func quote(text string) string {
	data, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return `""`
	}
	return escaped(data)
}

func escaped(data []byte) string {
	return strings.ReplaceAll(mask.HiddenJSON(string(data)), "${", "$${")
}
