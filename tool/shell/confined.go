package shell

import (
	"context"
	"os/exec"
	"strings"
	"syscall"

	"github.com/lineclear/lineclear/internal/process"
	"github.com/lineclear/lineclear/tool"
)

// sandbox is what the tool says of where its commands run.
func (t *Tool) sandbox() tool.Sandbox {
	if s := t.options.Sandbox; s != nil {
		return tool.Sandbox{Kind: tool.Bubblewrap, Network: s.Network(), Write: s.Write()}
	}
	return tool.Sandbox{Kind: tool.Unconfined, Network: true}
}

// command is what is started: the command itself, or bubblewrap with it. Where
// the sandbox can't be had, nothing is.
func (t *Tool) command(ctx context.Context, a args, call tool.Call) (*exec.Cmd, error) {
	cmd := a.command(ctx)
	// Its own session is its own process group, without a terminal to type into. bwrap's
	// --new-session would split the group.
	session := &syscall.SysProcAttr{Setsid: true}
	cmd.SysProcAttr = session
	env := t.environment(call)
	if t.boxed(a) {
		if cmd.Err != nil {
			return nil, cmd.Err
		}
		argv, err := t.confined(a, call.WorkingDirectory, append([]string{cmd.Path}, cmd.Args[1:]...))
		if err != nil {
			return nil, err
		}
		cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.SysProcAttr = session
		env = withOwnTemp(env)
		if a.Sandbox.set() {
			env = cleaned(env)
		}
	}
	cmd.Dir, cmd.Env = call.WorkingDirectory, env
	return cmd, nil
}

// withOwnTemp has temporary files be made where a command in a sandbox can make
// them.
func withOwnTemp(env []string) []string {
	for i, entry := range env {
		if strings.HasPrefix(entry, "TMPDIR=") {
			env[i] = "TMPDIR=/tmp"
		}
	}
	return env
}

// family is all that belongs to a call.
func family(pid int, call tool.Call) process.Family {
	return process.Family{Group: pid, Mark: markOf(call.ID)}
}

// askToEnd asks a command to end. Bubblewrap is not asked: all that runs in it
// would be killed at once.
func (t *Tool) askToEnd(pid int, a args, call tool.Call) error {
	if !t.boxed(a) {
		return syscall.Kill(-pid, syscall.SIGTERM)
	}
	family(pid, call).Ask(pid)
	return nil
}
