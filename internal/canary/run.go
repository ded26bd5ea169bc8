package canary

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lineclear/lineclear/internal/process"
)

// Run is one run of a program.
type Run struct {
	Path   string // of the program
	Model  *Model
	Folder string // that it works in, absolute; a fresh one, as settings may be written to it
	Home   string // empty: the user's own, with the settings that are there
	Env    []string
}

// ErrFolder is returned for a working folder that has settings already.
var ErrFolder = errors.New("the canary needs a folder without settings")

// grace is how long a program has to end.
const grace = 2 * time.Second

// elsewhere begins the names of variables that lead to another model, or say that the program
// runs inside another agent.
var elsewhere = []string{
	"ANTHROPIC_", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_USE_", "COPILOT_PROVIDER_", "GOOGLE_", "OPENAI_", "OTEL_",
}

// owned begins the names of variables by which users set agents up.
var owned = []string{"CLAUDE", "CODEX_", "COPILOT_", "GEMINI_", "GH_", "GITHUB_", "OPENCODE_", "QWEN_", "XDG_"}

// Try runs the program until it ends or ctx does, and returns what it said. Nothing that it has
// started is left.
func (p Program) Try(ctx context.Context, r Run) (said []byte, err error) {
	mark := process.Mark{Name: "LINECLEAR_CANARY", Value: rand.Text()}
	cmd, err := p.command(ctx, r, mark)
	if err != nil {
		return nil, err
	}
	said, err = cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended, and something that it started still holds its output
		err = nil
	}
	_, left := process.Family{Mark: mark}.End(grace)
	return said, errors.Join(ctx.Err(), err, left)
}

// command is the program, about to be given the Prompt, with leave to run any command line.
func (p Program) command(ctx context.Context, r Run, mark process.Mark) (*exec.Cmd, error) {
	lead, env, err := p.Lead(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, r.Path, append(lead, p.setup(r).once...)...)
	cmd.Dir, cmd.Env = r.Folder, append(env, mark.Entry())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = grace
	cmd.Cancel = func() error {
		_, err := process.Family{Group: cmd.Process.Pid, Mark: mark}.End(grace)
		return err
	}
	return cmd, nil
}

// Lead is what leads the program to the model, however it is run: arguments, and its whole
// environment. Files that it needs are written to the folder.
func (p Program) Lead(r Run) (args, env []string, err error) {
	s := p.setup(r)
	if err := s.write(r.Folder); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return s.lead, r.env(s), nil
}

func (s setup) write(folder string) error {
	for name, content := range s.files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFolder, err)
		}
		_, err = f.Write(encode(content))
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (r Run) env(s setup) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return begins(entry, elsewhere) || r.Home != "" && begins(entry, owned)
	})
	if r.Home != "" {
		env = append(env, "HOME="+r.Home)
	}
	for name, value := range s.env {
		env = append(env, name+"="+value)
	}
	env = append(env, "PWD="+r.Folder, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	return append(env, r.Env...)
}

func begins(entry string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(entry, n) })
}
