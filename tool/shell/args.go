package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// args are what a model says to run.
type args struct {
	Command        string   `json:"command"`
	Argv           []string `json:"argv"`
	TimeoutSeconds int      `json:"timeoutSeconds"`
	Sandbox        *fence   `json:"sandbox"`
}

// What can be wrong with them that a schema has no words for.
var (
	errBoth    = errors.New("give command or argv, not both")
	errNothing = errors.New("nothing to run: give command (a line for /bin/sh) or argv (a program and its arguments)")
)

// Explain implements tool.Explainer.
func (t *Tool) Explain(data tool.JSON) error {
	switch _, err := readArgs(data); {
	case errors.Is(err, errBoth):
		return errBoth
	case errors.Is(err, errNothing):
		return errNothing
	default:
		return nil
	}
}

func readArgs(data tool.JSON) (args, error) {
	var a args
	if err := strictjson.Decode(data, &a); err != nil {
		return a, fmt.Errorf("arguments: %w", err)
	}
	switch {
	case a.Command != "" && len(a.Argv) > 0:
		return a, fmt.Errorf("arguments: %w", errBoth)
	case a.Command == "" && (len(a.Argv) == 0 || a.Argv[0] == ""):
		return a, fmt.Errorf("arguments: %w", errNothing)
	case a.TimeoutSeconds < 0:
		return a, errors.New("arguments: timeoutSeconds: want 1 or more")
	}
	return a, nil
}

// timeout is how long this command may run: what it asks for, never more than
// the tool allows. Seconds are compared, so that no number can overflow.
func (a args) timeout(longest time.Duration) time.Duration {
	if a.TimeoutSeconds == 0 || a.TimeoutSeconds >= int(longest/time.Second) {
		return longest
	}
	return time.Duration(a.TimeoutSeconds) * time.Second
}

func (a args) command(ctx context.Context) *exec.Cmd {
	if a.Command != "" {
		return exec.CommandContext(ctx, "/bin/sh", "-c", a.Command)
	}
	return exec.CommandContext(ctx, a.Argv[0], a.Argv[1:]...)
}

func (a args) program() string {
	if a.Command != "" {
		return "/bin/sh"
	}
	return a.Argv[0]
}

// environment is the listed variables that are set, and what marks the call.
func (t *Tool) environment(call tool.Call) []string {
	env := []string{markOf(call.ID).Entry(), "PWD=" + call.WorkingDirectory}
	if call.Traceparent != "" {
		env = append(env, traceVariable+"="+call.Traceparent)
	}
	for _, name := range t.options.Env {
		if value, ok := os.LookupEnv(name); ok && name != callIDVariable && name != "PWD" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, bareRepositories...)
}

// bareRepositories has Git ignore bare repositories that lie inside a project: their configuration could
// make any Git command run a program.
var bareRepositories = []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}
