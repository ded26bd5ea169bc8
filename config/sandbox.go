package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/policy"
)

// Sandbox says what keeps an agent's commands from the rest of the machine; the
// zero value: nothing does.
type Sandbox struct {
	Mode    SandboxMode
	Network bool
	Write   []string // absolute paths of folders that exist, beside the working directory
}

// SandboxMode says whether there has to be a sandbox.
type SandboxMode string

// The modes of a sandbox.
const (
	SandboxOff      SandboxMode = ""
	SandboxAuto     SandboxMode = "auto"     // where it works
	SandboxRequired SandboxMode = "required" // or nothing runs
)

// offMode is the file's word for no sandbox.
const offMode sandboxMode = "off"

// sandboxTrial bounds how long it may take to find out whether a sandbox works.
const sandboxTrial = 10 * time.Second

func (r resolver) sandbox(f *sandboxFile, at []string) Sandbox {
	if f == nil {
		return Sandbox{}
	}
	s := Sandbox{Mode: SandboxMode(f.Mode), Network: f.Network}
	if f.Mode == offMode {
		s.Mode = SandboxOff
	}
	for i, path := range f.Write {
		place := append(slices.Clone(at), "write", strconv.Itoa(i))
		if path != "" {
			s.Write = append(s.Write, r.workdir(path, place))
		}
	}
	return s
}

// Confined is where an agent's commands run.
type Confined struct {
	Box *sandbox.Sandbox // nil: in no sandbox
	Why error            // where it was to be one that does not exist: the reason

	Fences   *sandbox.Fence // template for sandboxes of single calls; nil if they don't work here
	NoFences error          // why Fences is nil
}

// HasShell reports whether the agent runs commands.
func (a Agent) HasShell() bool {
	return slices.ContainsFunc(a.Tools, func(t Tool) bool { return t.Name == shellTool })
}

// Fenced reports whether any of the agent's rules has a sandbox.
func (a Agent) Fenced() bool {
	return slices.ContainsFunc(a.Rules.Rules, func(r *policy.Compiled) bool { return r.Rule().Sandbox != nil })
}

// fencesWork tests once whether sandboxes for single calls work on this machine.
var fencesWork = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), sandboxTrial)
	defer cancel()
	return sandbox.Fence{}.Try(ctx)
})

// Sandboxed reports whether the agent's commands are to run in a sandbox.
func (a Agent) Sandboxed() bool { return a.sandbox().Mode != SandboxOff }

func (a Agent) sandbox() Sandbox {
	for _, t := range a.Tools {
		if t.Name == shellTool {
			return t.Sandbox
		}
	}
	return Sandbox{}
}

// Confine makes the sandbox of the agent's commands, and tries it; hide lists
// folders that exist and that commands must not see. An error says what is in the
// way of a sandbox that is required, and the remedy.
func (a Agent) Confine(ctx context.Context, hide []string) (Confined, error) {
	made := Confined{}
	if a.HasShell() {
		if made.NoFences = fencesWork(); made.NoFences == nil {
			made.Fences = &sandbox.Fence{Hide: hide}
		}
	}
	wanted := a.sandbox()
	if wanted.Mode == SandboxOff {
		return made, nil
	}
	box, err := sandbox.New(sandbox.Options{
		Write: append([]string{a.WorkingDirectory}, wanted.Write...), Hide: hide, Network: wanted.Network,
	})
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, sandboxTrial)
		defer cancel()
		err = box.Try(ctx)
	}
	absent := errors.Is(err, sandbox.ErrMissing) || errors.Is(err, sandbox.ErrRefused)
	switch {
	case err == nil:
		made.Box = box
		return made, nil
	case wanted.Mode == SandboxAuto && absent:
		made.Why = err
		return made, nil
	default:
		return Confined{}, fmt.Errorf("agents.%s.tools.shell.sandbox: %w", a.ID, err)
	}
}
