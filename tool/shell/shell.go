// Package shell is a tool that runs commands on the gateway's machine.
//
// # What it promises
//
//   - Nothing is left when Run returns: a command gets its own process group
//     and carries its call's id in the environment. When it ends, is cancelled
//     or takes too long, whatever it started is ended too, in the background or
//     not: asked first (SIGTERM), killed (SIGKILL) after a short grace.
//   - A command inherits only the variables on a list, so that the gateway's
//     own secrets stay with the gateway. Its stdin is empty.
//   - Output is bounded. What is left out is counted and marked where it is
//     missing; the beginning and the end are kept.
//
// In a sandbox (Options.Sandbox) this holds too, and a command ends with all that
// it has started: what it leaves in the background is killed with it, unasked.
//
// Only on Linux can processes that left their group (setsid) be found, and not
// those that also cleared their environment.
//
// # How to use it
//
// New makes the tool, a gate makes it safe to offer. After a crash,
// EndLeftovers ends what a call of the dead process left running.
package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/tool"
)

// Options say how commands run; the zero value works.
type Options struct {
	Timeout     time.Duration // how long a command may run; default 60 s
	Grace       time.Duration // between SIGTERM and SIGKILL; default 2 s
	OutputLimit int           // bytes kept of each of stdout and stderr; default 256 KiB
	Env         []string      // names of the variables that commands inherit; default DefaultEnv

	Sandbox *sandbox.Sandbox // in which commands run; nil: in none, with all that the account may do
	Fences  *sandbox.Fence   // template for each call's sandbox; nil if sandboxes don't work here
}

// DefaultEnv lists the variables that commands inherit when nothing is said.
func DefaultEnv() []string {
	return []string{"PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "USER", "TMPDIR"}
}

// Tool runs commands.
type Tool struct{ options Options }

// New makes the tool.
func New(o Options) *Tool {
	if o.Timeout <= 0 {
		o.Timeout = 60 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.OutputLimit <= 0 {
		o.OutputLimit = 256 << 10
	}
	if o.Env == nil {
		o.Env = DefaultEnv()
	}
	return &Tool{options: o}
}

// Spec implements tool.Tool. Its schema says "one of command and argv" with
// if/then/else, because providers refuse oneOf at the top of a schema.
func (t *Tool) Spec() tool.Spec {
	longest := max(1, int(t.options.Timeout/time.Second))
	return tool.Spec{
		Name:    "shell",
		Command: t.commandArgs(), Hints: tool.Hints{Trusted: true}, Sandbox: t.sandbox(),
		Description: "Runs a command in the working directory and returns its stdout, stderr and exit code. " +
			"Give either command, a line for /bin/sh, or argv, a program and its arguments without a shell. " +
			"Stdin is empty, and processes left in the background are ended with the command.",
		Schema: tool.JSON(fmt.Sprintf(`{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "description": "a command line for /bin/sh -c"},
    "argv": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "a program and its arguments, run directly; instead of command"},
    "timeoutSeconds": {"type": "integer", "minimum": 1, "maximum": %d, "description": "kill the command after this time; at most %[1]d, which is also the default"}%s
  },
  "additionalProperties": false,
  "if": {"required": ["command"]},
  "then": {"properties": {"argv": {"maxItems": 0}}},
  "else": {"required": ["argv"]}
}`, longest, t.fenceSchema())),
	}
}

// Run implements tool.Tool. A command that fails, is killed or can't be
// started is a result that says so.
func (t *Tool) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	a, err := readArgs(call.Args)
	if err != nil {
		return tool.Failed(tool.Words(err)), nil
	}
	if call.WorkingDirectory == "" {
		return tool.Failed("the call has no working directory to run in: set the agent's workdir"), nil
	}
	if ctx.Err() != nil {
		return tool.Failed("cancelled before the command started"), nil
	}
	return t.run(ctx, a, call)
}

func (t *Tool) run(ctx context.Context, a args, call tool.Call) (tool.Result, error) {
	limit := a.timeout(t.options.Timeout)
	running, stop := context.WithTimeout(ctx, limit)
	defer stop()
	out, errOut := newCapture(t.options.OutputLimit), newCapture(t.options.OutputLimit)
	o := Outcome{End: Exited, WorkingDirectory: call.WorkingDirectory, limit: limit}

	o.Sandbox = a.Sandbox.text()
	cmd, err := t.command(running, a, call)
	if err != nil {
		return tool.Failed(whyNotStarted(err, a, call)), nil
	}
	cmd.Stdout, cmd.Stderr = out, errOut
	cmd.WaitDelay = t.options.Grace
	cmd.Cancel = func() error {
		o.End = TimedOut
		if ctx.Err() != nil {
			o.End = Cancelled
		}
		return t.askToEnd(cmd.Process.Pid, a, call)
	}
	if err := cmd.Start(); err != nil {
		return tool.Failed(whyNotStarted(err, a, call)), nil
	}
	err = cmd.Wait()
	if cmd.ProcessState == nil {
		return tool.Result{}, fmt.Errorf("shell: wait: %w", err)
	}
	o.LeftBehind, err = family(cmd.Process.Pid, call).End(t.options.Grace)
	if t.boxed(a) {
		o.LeftBehind = false // the kernel is at it already; what is seen of it is chance
	}
	o.ended(cmd.ProcessState)
	o.captured(out, errOut)
	return o.result(err)
}

func whyNotStarted(err error, a args, call tool.Call) string {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Sprintf("%q was not started: there is no such program in PATH", a.program())
	}
	if refused := (*exec.Error)(nil); errors.As(err, &refused) {
		err = refused.Err // what is around it names the program again
	}
	return fmt.Sprintf("%q was not started in %s: %s", a.program(), call.WorkingDirectory, tool.Words(err))
}
