package install

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Brief are limits for programs that answer.
var Brief = Limits{Request: 2 * time.Second, Guard: 4 * time.Second, Agent: 8 * time.Second}

// Failure is what an agent does while something that it depends on fails.
type Failure struct {
	Gateway string `json:"gateway"` // what fails
	Held    bool   `json:"held"`    // the call was seen to be blocked, or to run where it should
	Result  string `json:"result"`
}

// failing is something that fails, in front of the hook or behind it.
type failing struct {
	name    string
	answer  func(w http.ResponseWriter, r *http.Request) // of the gateway; nil: it is dead
	program string                                       // a script instead of the gateway's hook
	missing bool                                         // no program at all
	runs    bool                                         // the call should run, or a blocked one says nothing
}

var failures = []failing{
	{name: "approves", answer: deciding(""), runs: true},
	{name: "dead"},
	{name: "slow", answer: silent},
	{name: "garbled", answer: garbled},
	{name: "hook killed", program: "#!/bin/sh\nkill -9 $$\n"},
	{name: "hook missing", missing: true},
}

func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then it is noticed that the other side has gone
	<-r.Context().Done()
}

func garbled(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "]}garbage") }

// Failures tries the definition against each kind of failure, each time with a fresh home and gateway. In the
// first try nothing fails: an approved call has to run, or the blocked ones would prove nothing.
func (a Agent) Failures(ctx context.Context, d Definition) iter.Seq2[Failure, error] {
	return func(yield func(Failure, error) bool) {
		works := false
		for _, f := range failures {
			found, err := a.failure(ctx, d, f)
			if f.runs {
				works = found.Held
			} else if found.Held && !works {
				found.Held, found.Result = false, "not proven: an approved call does not run either"
			}
			if !yield(found, err) || err != nil {
				return
			}
		}
	}
}

// failure is one run.
func (a Agent) failure(ctx context.Context, d Definition, f failing) (found Failure, err error) {
	program, _, err := a.Program()
	if err != nil {
		return found, err
	}
	root, remove, err := temporary()
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	t := trial{program: program, home: filepath.Join(root, "home"), folder: filepath.Join(root, "work")}
	if err := errors.Join(os.Mkdir(t.home, 0o700), os.Mkdir(t.folder, 0o700)); err != nil {
		return found, err
	}
	if f.program != "" || f.missing {
		d.Program = filepath.Join(root, "gateway")
	}
	if f.program != "" {
		if err := os.WriteFile(d.Program, []byte(f.program), 0o700); err != nil {
			return found, err
		}
	}
	if t.gateway, err = open(f.answer); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, t.gateway.close()) }()
	if d.Access, err = t.gateway.access(root); err != nil {
		return found, err
	}
	if err := a.prepare(ctx, t, d); err != nil {
		return found, err
	}
	o, err := a.try(ctx, t)
	return f.judge(o), err
}

// prepare writes the definition into the trial's home, and has the agent trust it.
func (a Agent) prepare(ctx context.Context, t trial, d Definition) error {
	s := a.in(t.home)
	settings, err := with("", a, d)
	if err != nil {
		return err
	}
	if err := write(s.File, &settings); err != nil || !a.trust {
		return err
	}
	return codexFile{t.program, filepath.Join(t.home, a.folder), t.folder, s.File, mine(a, d.Program)}.trust(ctx)
}

func (f failing) judge(o outcome) Failure {
	switch {
	case o.ran && f.runs:
		return Failure{f.name, true, "runs, as it should"}
	case o.ran:
		return Failure{f.name, false, "WOULD RUN"}
	case len(o.results) > 0 && !f.runs:
		return Failure{f.name, true, "blocked"}
	}
	return Failure{f.name, false, "not proven: " + o.String()}
}

// Version is what the agent's program says of itself.
func (a Agent) Version(ctx context.Context, program string) (version string, err error) {
	home, remove, err := temporary()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, remove()) }()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.Env, cmd.WaitDelay = append(codexHome(filepath.Join(home, ".codex")), "HOME="+home), time.Second
	said, err := cmd.Output()
	for _, word := range strings.Fields(string(said)) {
		if word[0] >= '0' && word[0] <= '9' {
			return strings.TrimRight(word, ".,"), nil
		}
	}
	return "?", err
}
