package install

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Definition is what the hook runs.
type Definition struct {
	Program string   // the gateway's, absolute
	Access  string   // the absolute path of the gateway's access file: see client.AccessFile
	Flags   []string // more flags of the verb hook
	Limits  Limits
}

// Limits are how long the parts of a hook may take. Each has to be longer than the one before: what
// ends last lets the call run.
type Limits struct {
	Request time.Duration // what is asked is denied then
	Guard   time.Duration // the hook's program is ended then, which blocks
	Agent   time.Duration // the agent goes on without its hook
}

// Usual are the limits for people who answer.
var Usual = Limits{Request: 10 * time.Minute, Guard: 11 * time.Minute, Agent: 12 * time.Minute}

// reporting are the limits after a call, when nobody is asked.
var reporting = Limits{Guard: 30 * time.Second, Agent: time.Minute}

// handler is a hook, as far as all agents have it.
type handler struct {
	line   string
	limit  int64 // in the agent's own unit
	before bool
}

// before is the hook before a call. Whatever ends its program, the shell around it says no in the
// one way that blocks with all agents.
func (d Definition) before(a Agent) handler {
	line := fmt.Sprintf(`%s --expires %s || { echo "Blocked: the gateway's hook failed" >&2; exit 2; }`, d.command(a, d.Limits.Guard), short(d.Limits.Request))
	return handler{line, int64(d.Limits.Agent / a.unit), true}
}

// after is the hook after a call, which blocks nothing.
func (d Definition) after(a Agent) handler {
	return handler{d.command(a, reporting.Guard), int64(reporting.Agent / a.unit), false}
}

func (d Definition) command(a Agent, limit time.Duration) string {
	line := quoted(d.Program) + " hook " + a.Name + " --access " + quoted(d.Access)
	for _, f := range d.Flags {
		line += " " + quoted(f)
	}
	if _, err := exec.LookPath("timeout"); err == nil {
		line = fmt.Sprintf("timeout -k 1 %d %s", int64(limit.Seconds()), line)
	}
	return line
}

// to returns the definition for another gateway.
func (d Definition) to(access string) Definition {
	d.Access = access
	return d
}

// mine recognises the command lines that this gateway, or another, has installed for an agent, also
// after they were changed.
func mine(a Agent, program string) func(line string) bool {
	names := `gateway|` + regexp.QuoteMeta(filepath.Base(program))
	return regexp.MustCompile(`(^|[\s/'"])(` + names + `)['"]?\s+hook\s+['"]?` + a.Name + `(['"\s;|]|$)`).MatchString
}

// bare is a word that a shell takes as it is.
var bare = regexp.MustCompile(`^--[a-z]+$`)

func quoted(word string) string {
	if bare.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func short(d time.Duration) string { return strings.Replace(d.String(), "m0s", "m", 1) }

type group struct {
	Matcher string    `json:"matcher"`
	Hooks   []command `json:"hooks"`
}

type command struct {
	Type      string `json:"type"`
	Command   string `json:"command"`
	Timeout   int64  `json:"timeout"`
	OnFailure string `json:"onFailure,omitempty"`
	Status    string `json:"statusMessage,omitempty"`
}

const waiting = "Waiting for approval in Lineclear"

func grouped(h handler) any {
	return group{"*", []command{{Type: "command", Command: h.line, Timeout: h.limit}}}
}

func claude(h handler) any {
	c := command{Type: "command", Command: h.line, Timeout: h.limit}
	if h.before {
		c.OnFailure, c.Status = "block", waiting
	}
	return group{"*", []command{c}}
}

func codex(h handler) any {
	c := command{Type: "command", Command: h.line, Timeout: h.limit}
	if h.before {
		c.Status = waiting
	}
	return group{"*", []command{c}}
}

func copilot(h handler) any {
	return struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int64  `json:"timeoutSec"`
	}{"command", h.line, h.limit}
}

func cursor(h handler) any {
	return struct {
		Command string `json:"command"`
		Timeout int64  `json:"timeout"`
		Closed  bool   `json:"failClosed"`
	}{h.line, h.limit, true}
}
