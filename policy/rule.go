package policy

import (
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// Rule is a rule as it is written. All its conditions have to hold; one that is
// left out holds always. Compile makes it ready to be asked.
//
// To allow what a tool runs, Command says which commands, Paths where they may read and
// Writes what they may write. A rule without Command lets no command run: it says what
// redirections may open. Of tools that run nothing, Paths bounds the files that they name; places
// from which programs run code without being told to, such as .git or .envrc, may be written
// only where Paths names them.
type Rule struct {
	Tool    string             `json:"tool"`              // a pattern on the tool's name, see Covers
	Args    map[string]Matcher `json:"args,omitempty"`    // by path: options.force, or a JSON Pointer such as /options/force
	Command []string           `json:"command,omitempty"` // command patterns, see package programs; one has to match
	Paths   []string           `json:"paths,omitempty"`   // folders or files; relative ones start at the agent's working directory, ~/ at home
	Writes  []string           `json:"writes,omitempty"`  // globs of files that commands may write, of an allow rule; ** crosses folders, names with a dot are written out
	When    string             `json:"when,omitempty"`    // CEL that is true or false
	Effect  Effect             `json:"effect"`
	Reason  string             `json:"reason,omitempty"` // for people and the model
	Risk    approval.RiskLevel `json:"risk,omitempty"`   // calls that it is about are at least so risky

	Overwrite bool `json:"overwrite,omitempty"` // of Writes: also files that have something in them

	// Sandbox lets an allow rule's tool run any command inside it. Its paths are relative to the same
	// folder as Paths.
	Sandbox *tool.Fence `json:"sandbox,omitempty"`

	RiskAtLeast approval.RiskLevel `json:"riskAtLeast,omitempty"` // it is about calls only that are so risky; not to allow
	Approvers   approval.Approvers `json:"approvers,omitzero"`    // who may approve what it asks about
	Name        string             `json:"-"`                     // where it stands, such as agents.demo.toolConfirmation.rules[2]
}

// Effect is what a rule does to a call that it matches.
type Effect string

// The effects. There is no default: a rule has to say what it does.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Matcher is one condition on the value of an argument; exactly one member is
// set. On a list, an allow rule's condition has to hold for every element and
// there has to be one; for the other rules one element is enough.
type Matcher struct {
	Equals     tool.JSON `json:"equals,omitzero"`      // any JSON value; 1 and 1.0 are equal
	Glob       *string   `json:"glob,omitempty"`       // * stands for any characters, / and newlines too
	Prefix     *string   `json:"prefix,omitempty"`     // what the text begins with
	Regex      *string   `json:"regex,omitempty"`      // RE2 that covers the whole text
	PathWithin *string   `json:"pathWithin,omitempty"` // the text is a path below this folder, symbolic links followed
	HostWithin *string   `json:"hostWithin,omitempty"` // the text is an http or ws URL of this host or one below it
}

// Fault is something wrong with a rule: At says where in it, such as
// args, path, regex; Text says what, and what to write instead.
type Fault struct {
	At   []string
	Text string
}

// Compiled is a rule that is ready to be asked.
type Compiled struct {
	rule     Rule
	args     []argument
	patterns []programs.Pattern
	when     *condition
	runs     programs.Answer // whether the tools that it is about run commands
}

// argument is a matcher with the place of its value.
type argument struct {
	path  argPath
	match matcher
}

// Rule is the rule as it was written.
func (r *Compiled) Rule() Rule { return r.rule }

// title is the rule as the ground of a decision.
func (r *Compiled) title() string { return matched(r).text }

// name is where the rule stands or, where that is not known, what it is about.
func (r *Compiled) name() string {
	if r.rule.Name == "" {
		return string(r.rule.Effect) + " rule for " + r.rule.Tool
	}
	return r.rule.Name
}

// judgesWhole reports whether an allow rule speaks about calls as a whole, not
// about their commands and files one by one.
func (r *Compiled) judgesWhole() bool {
	return len(r.patterns) == 0 && len(r.rule.Paths) == 0 && len(r.rule.Writes) == 0 && r.rule.Sandbox == nil
}
