package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// compiler gathers what is wrong with one rule.
type compiler struct {
	rule   Rule
	tools  []tool.Spec // those that the rule is about
	faults []Fault
}

// Compile makes a rule ready to be asked, or says everything that is wrong with
// it. about are the tools that the rule's agents have; those that the rule is
// about show conditions that could never hold.
func Compile(r Rule, about []tool.Spec) (*Compiled, []Fault) {
	c := compiler{rule: r}
	for _, spec := range about {
		if Covers(r.Tool, spec.Name) {
			c.tools = append(c.tools, spec)
		}
	}
	made := &Compiled{rule: r}
	c.checkWords()
	c.checkEmpty()
	c.checkPaths()
	made.args = c.arguments()
	made.patterns = c.commands()
	c.checkSandbox()
	made.when = c.condition()
	made.runs = c.runs()
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return made, nil
}

func (c *compiler) fault(text string, at ...string) {
	c.faults = append(c.faults, Fault{At: at, Text: text})
}

func (c *compiler) checkWords() {
	if c.rule.Tool == "" {
		c.fault("a rule has to say which tool it is about; * stands for any characters", "tool")
	}
	switch c.rule.Effect {
	case Allow, Ask, Deny:
	case "":
		c.fault("a rule has to say what it does: allow, ask or deny", "effect")
	default:
		c.fault(fmt.Sprintf("unknown effect %q: use allow, ask or deny", c.rule.Effect), "effect")
	}
	if c.rule.Effect == Allow && c.rule.RiskAtLeast != "" {
		c.fault("how risky a call looks is no reason to allow it: use ask or deny, or leave it out", "riskAtLeast")
	}
	c.checkLevel(c.rule.RiskAtLeast, "riskAtLeast")
	c.checkLevel(c.rule.Risk, "risk")
	c.checkApprovers()
}

func (c *compiler) checkLevel(level approval.RiskLevel, at string) {
	if level == "" {
		return
	}
	if err := new(approval.RiskLevel).UnmarshalText([]byte(level)); err != nil {
		c.fault(err.Error(), at)
	}
}

func (c *compiler) checkApprovers() {
	who := c.rule.Approvers
	if who.Demands() && c.rule.Effect != Ask {
		c.fault("only a rule that asks can say who may approve", "approvers")
	}
	for i, r := range who.Roles {
		if err := new(auth.Role).UnmarshalText([]byte(r)); err != nil {
			c.fault(err.Error(), "approvers", "roles", strconv.Itoa(i))
		} else if !(auth.Identity{Roles: []auth.Role{r}}).May(auth.Answer) {
			c.fault(fmt.Sprintf("the role %s may not answer at all: use approver or admin", r), "approvers", "roles", strconv.Itoa(i))
		}
	}
	if slices.Contains(who.Subjects, "") {
		c.fault("a name is empty", "approvers", "subjects")
	}
}

func (c *compiler) checkPaths() {
	for i, path := range c.rule.Paths {
		if err := checkPath(path); err != nil {
			c.fault(err.Error(), "paths", strconv.Itoa(i))
		}
	}
	for i, glob := range c.rule.Writes {
		if err := checkWrites(glob); err != nil {
			c.fault(err.Error(), "writes", strconv.Itoa(i))
		}
	}
	switch {
	case len(c.rule.Writes) > 0 && c.rule.Effect != Allow:
		c.fault("says what a rule that allows lets commands write; one that denies or asks is about paths", "writes")
	case c.rule.Overwrite && len(c.rule.Writes) == 0:
		c.fault("is about the files under writes, and there are none", "overwrite")
	}
}

// checkSandbox refuses a sandbox together with conditions on commands or files.
func (c *compiler) checkSandbox() {
	f := c.rule.Sandbox
	if f == nil {
		return
	}
	if c.rule.Effect != Allow {
		c.fault("is what an allow rule lets anything run in", "sandbox")
	}
	for name, given := range map[string]bool{"command": len(c.rule.Command) > 0, "paths": len(c.rule.Paths) > 0, "writes": len(c.rule.Writes) > 0} {
		if given {
			c.fault("a rule with a sandbox lets anything run in it, and says there what that reads and writes: leave "+name+" out, or write a rule of its own", name)
		}
	}
	for name, list := range map[string][]string{"read": f.Read, "writes": f.Writes} {
		for i, path := range list {
			if err := checkPath(path); err != nil {
				c.fault(err.Error(), "sandbox", name, strconv.Itoa(i))
			}
		}
	}
	if len(c.tools) > 0 && !slices.ContainsFunc(c.tools, func(s tool.Spec) bool { n, known := commandNames(s); return len(n) > 0 || !known }) {
		c.fault(c.toolNames()+" runs no commands: only these run in a sandbox", "sandbox")
	}
}

// checkWrites refuses globs that could never match, or that leave their folder.
func checkWrites(glob string) error {
	switch {
	case glob == "" || strings.HasSuffix(glob, "/"):
		return errors.New("name files, such as out/** or *.md")
	case slices.Contains(strings.Split(glob, "/"), ".."):
		return errors.New(".. leads elsewhere: name the folder itself")
	case strings.ContainsAny(glob, "?[]{}"):
		return errors.New("only * and ** are wildcards here, so ? [ ] { } would stand for themselves")
	}
	return checkPath(strings.ReplaceAll(glob, "*", "x"))
}

func (c *compiler) arguments() []argument {
	var made []argument
	for _, name := range slices.Sorted(maps.Keys(c.rule.Args)) {
		path, err := readArgPath(name)
		if err != nil {
			c.fault(err.Error(), "args", name)
			continue
		}
		m, err := compileMatcher(c.rule.Args[name])
		if err != nil {
			at := []string{"args", name}
			if m.kind != "" {
				at = append(at, m.kind)
			}
			c.fault(err.Error(), at...)
			continue
		}
		if c.checkPossible(path, "args", name) && c.checkBlind(name, path, m) {
			c.checkFits(name, path, m)
		}
		made = append(made, argument{path: path, match: m})
	}
	return made
}

// checkBlind refuses to allow a command by how its text looks.
func (c *compiler) checkBlind(name string, path argPath, m matcher) bool {
	if c.rule.Effect != Allow || m.kind == "equals" {
		return true
	}
	for _, spec := range c.tools {
		if names, _ := commandNames(spec); slices.Contains(names, path[0]) {
			c.fault(blindText(m.kind, spec.Name), "args", name, m.kind)
			return false
		}
	}
	return true
}

func blindText(what, tool string) string {
	return fmt.Sprintf("%s on what %s runs: use command: instead; a text pattern can't see what a shell makes of it", what, tool)
}

func (c *compiler) commands() (made []programs.Pattern) {
	for i, text := range c.rule.Command {
		pattern, err := programs.Compile(text)
		if err != nil {
			c.fault(err.Error(), "command", strconv.Itoa(i))
			continue
		}
		made = append(made, pattern)
	}
	if len(c.rule.Command) == 0 || len(c.tools) == 0 {
		return made
	}
	for _, spec := range c.tools {
		if names, known := commandNames(spec); len(names) > 0 || !known {
			return made
		}
	}
	c.fault(c.toolNames()+" runs no commands: use args or paths instead", "command")
	return made
}

// runs reports whether the tools that the rule is about run commands: Maybe where some do, or it is not known.
func (c *compiler) runs() programs.Answer {
	if len(c.tools) == 0 {
		return programs.Maybe
	}
	found := map[bool]bool{}
	for _, spec := range c.tools {
		names, known := commandNames(spec)
		if !known {
			return programs.Maybe
		}
		found[len(names) > 0] = true
	}
	switch {
	case !found[true]:
		return programs.No
	case !found[false]:
		return programs.Yes
	}
	return programs.Maybe
}

func (c *compiler) condition() *condition {
	if c.rule.When == "" {
		return nil
	}
	made, err := compileCondition(c.rule.When)
	if err != nil {
		c.fault(err.Error(), "when")
		return nil
	}
	for _, spec := range c.tools {
		names, _ := commandNames(spec)
		if c.rule.Effect == Allow && slices.ContainsFunc(names, made.mentions) {
			c.fault(blindText("a condition", spec.Name), "when")
			return made
		}
	}
	for _, path := range made.paths {
		if !c.checkPossible(path, "when") {
			break
		}
	}
	return made
}

func (c *compiler) toolNames() string {
	names := make([]string, 0, len(c.tools))
	for _, spec := range c.tools {
		names = append(names, spec.Name)
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}
