package policy

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/strictjson"
)

// call is one call while it is judged. What is costly is found out when a rule
// asks for it, once.
type call struct {
	approval.Case
	rules     Rules
	now       time.Time
	canonical strictjson.Canonical
	args      map[string]any
	home      string // the agent's working directory, where the rules' paths start; empty: not known
	directory string // the call's own; empty: not known
	places    places
	named     []string // the arguments that hold what is run
	claimed   bool     // what the arguments are is not the file's word: others are read as if nothing were declared

	known    *known
	parsed   bool
	readings []reading
	files    map[*plain.Part][]named
	there    map[string]bool // whether a file exists
	hard     []os.FileInfo   // files with other hard links; nil: not yet looked for
	links    *newLinks

	path       string            // in which programs are looked for; empty: nowhere
	homeFolder string            // what ~ stands for
	placed     map[string]string // programs, by their names
	pathsMet   bool
	paths      []callPath
	starts     []string
	vars       map[string]any
}

// newCall reads the arguments strictly: what has no canonical form is refused.
func newCall(c *approval.Case, rules Rules, now time.Time) (*call, error) {
	if c.Request.Type != "" && c.Request.Type != approval.ToolConfirmation {
		return nil, fmt.Errorf("policy: rules are about tool calls, not about %s", c.Request.Type)
	}
	canonical, err := c.CanonicalArgs()
	if err != nil {
		return nil, fmt.Errorf("policy: arguments of %s: %w", c.Request.ToolName, err)
	}
	made := &call{Case: *c, rules: rules, now: now, canonical: canonical, places: places{}, there: map[string]bool{}}
	var args any // which is read faster than a map
	if err := json.Unmarshal(canonical.Value(), &args); err != nil {
		return nil, fmt.Errorf("policy: arguments of %s: %w", c.Request.ToolName, err)
	}
	if made.args, _ = args.(map[string]any); made.args == nil {
		return nil, fmt.Errorf("policy: arguments of %s: want a JSON object", c.Request.ToolName)
	}
	if known, ok := wellKnown[c.Request.ToolName]; ok && !made.Spec.Declared() {
		made.claimed = made.Spec.Name != ""
		made.Spec = made.Spec.With(known)
	}
	made.claimed = made.claimed || !made.Spec.Declared() && !c.Request.Arguments.IsZero()
	made.Spec = made.Spec.And(c.Request.Arguments)
	made.named = commandArgs(made.Spec, made.args, made.claimed)
	made.directory = c.Request.WorkingDirectory
	if made.directory == "" {
		made.directory = rules.WorkingDirectory
	}
	made.home = rules.WorkingDirectory
	if made.home == "" {
		made.home = made.directory
	}
	if !filepath.IsAbs(made.home) {
		made.home = ""
	}
	if !filepath.IsAbs(made.directory) {
		made.directory = ""
	}
	return made, nil
}

// runs reports whether the call runs a command.
func (c *call) runs() bool { return len(c.named) > 0 }

// lines are the command lines that the call runs.
func (c *call) lines() []reading {
	if !c.parsed {
		c.parsed = true
		c.readLines()
	}
	return c.readings
}

// parts yields the commands that the call runs, as far as they can be read.
func (c *call) parts() iter.Seq[*plain.Part] {
	return func(yield func(*plain.Part) bool) {
		for _, r := range c.lines() {
			for _, p := range r.line.Parts {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// unknown reports whether the call runs something that can't be determined.
func (c *call) unknown() bool {
	return slices.ContainsFunc(c.lines(), func(r reading) bool { return r.unknown != "" })
}

// writes reports whether a command of the call writes a file, or has an option that might do so.
func (c *call) writes() bool {
	for p := range c.parts() {
		use := c.about(p).use
		if c.partWrites(p) || use.Known && slices.ContainsFunc(use.Roles, func(r programs.Role) bool { return r.Kind == programs.Unknown }) {
			return true
		}
	}
	return false
}

// bases are the directories where the relative paths of the call may start; none
// where that is not known. A tool may take the directory as an argument.
func (c *call) bases() []string {
	if c.directory == "" {
		return nil
	}
	if c.starts == nil {
		c.starts = []string{c.directory}
		for _, p := range c.startArgs() {
			if p.maybe {
				continue
			}
			if !p.known || !plainPath(p.text) {
				c.starts = []string{}
				break
			}
			c.starts = append(c.starts, join(c.directory, p.text))
		}
	}
	return c.starts
}

// startArgs are the arguments that say where the call works: of a tool that
// runs commands, every path.
func (c *call) startArgs() []callPath {
	if c.runs() {
		return c.pathArgs()
	}
	var paths []callPath
	for _, name := range []string{"cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir"} {
		if value, ok := c.args[name]; ok {
			paths = appendPaths(paths, callPath{}, value)
		}
	}
	return paths
}

// oddArgs are the arguments beside the command that may change what it does:
// an environment, another shell, a way out of the sandbox.
func (c *call) oddArgs() []string {
	var odd []string
	for name, value := range c.args {
		if slices.Contains(c.named, name) || c.Spec.Command.Line == "" && c.Spec.Command.Argv == "" && name == "args" ||
			slices.Contains(slices.Concat(c.Spec.Paths, c.Spec.Writes), name) || slices.Contains(guessedPaths, name) || silent(value) || harmless(name) {
			continue
		}
		odd = append(odd, name)
	}
	slices.Sort(odd)
	return odd
}

// silent reports whether a value says nothing.
func silent(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

// harmless reports whether an argument of this name only describes a command or
// limits it.
func harmless(name string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "description", "explanation", "justification", "reason", "title", "summary", "comment",
		"timeout", "timeoutms", "timeoutsec", "timeoutsecs", "timeoutseconds", "yieldtimems",
		"maxoutput", "maxoutputtokens", "outputlimit", "runinbackground", "isbackground", "background", "blocking":
		return true
	}
	return false
}
