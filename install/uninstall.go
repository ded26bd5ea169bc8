package install

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/lineclear/lineclear/internal/paths"
)

// Removed is what Uninstall has done.
type Removed struct {
	Diff  string   // empty: nothing of ours was there
	Notes []string // what a person should know
}

// Uninstall takes our entries out again. If the file is as Install left it, the original comes back.
func (s Settings) Uninstall(ctx context.Context, program string) (Removed, error) {
	var done Removed
	now, err := content(s.File)
	if err != nil {
		return done, err
	}
	r, err := s.recorded()
	if err != nil {
		return done, err
	}
	if r != nil {
		program = r.Program
	}
	clean, state, err := s.clean(now, r, program)
	if err != nil {
		return done, fmt.Errorf("%s: %w", s.File, err)
	}
	done.Notes = state.Faults
	if s.Agent.trust && r != nil {
		note, err := s.forget(ctx, r)
		if err != nil {
			return done, err
		}
		if note != "" {
			done.Notes = append(done.Notes, note)
		}
	}
	if done.Diff = diff(s.File, now, clean); !same(now, clean) {
		if err := write(s.File, clean); err != nil {
			return done, err
		}
	}
	return done, s.keep(nil)
}

// forget takes Codex's trust back, while the hook is still there.
func (s Settings) forget(ctx context.Context, r *record) (note string, err error) {
	if r.Trust != nil {
		if restored, err := r.Trust.restore(); restored || err != nil {
			return "", err
		}
	}
	agent, _, err := s.Agent.Program()
	if err != nil {
		return fmt.Sprintf("Codex still has the hook among those that it trusts: %s", err), nil
	}
	f, _, err := s.codex(agent, r.Program)
	if err != nil {
		return "", err
	}
	return "", f.forget(ctx)
}

// codex is the file as Codex sees it, and where Codex keeps its trust.
func (s Settings) codex(agent, program string) (f codexFile, config string, err error) {
	folder, err := s.Agent.own()
	if err != nil {
		return f, "", err
	}
	works := s.project
	if works == "" {
		works = folder
	}
	return codexFile{agent, "", works, s.File, mine(s.Agent, program)}, paths.Real(filepath.Join(folder, "config.toml")), nil
}
