package install

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
)

// proven has the agent make a call that is denied. The definition is the one to install, except for the access
// file, which leads to a stand-in for the gateway.
func (p *Plan) proven(ctx context.Context) (err error) {
	folder, remove, err := temporary()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	reason := "this is the canary " + rand.Text()
	gateway, err := open(deciding(reason))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gateway.close()) }()
	access, err := gateway.access(folder)
	if err != nil {
		return err
	}
	if p.proof, err = with(text(p.clean), p.settings.Agent, p.definition.to(access)); err != nil {
		return err
	}
	if err := p.put(p.proof); err != nil {
		return err
	}
	if err := p.trust(ctx); err != nil {
		return err
	}
	if err := p.try(ctx, trial{program: p.program, gateway: gateway}, reason); err != nil {
		return errors.Join(err, p.reread())
	}
	p.next.Settings.After, err = content(p.settings.File)
	return err
}

// distrust takes back the trust in the hook of the proof.
func (p *Plan) distrust(ctx context.Context) error {
	if p.next.Trust == nil {
		return nil
	}
	f, config, err := p.settings.codex(p.program, p.definition.Program)
	if err != nil {
		return err
	}
	failed := p.next.Trust.takeBack(ctx, f)
	now, err := content(config)
	p.next.Trust = &change{config, now, now}
	return errors.Join(failed, err)
}

// takeBack restores the file that has Codex's trust. If it has changed since, Codex is told to forget our hooks.
func (c change) takeBack(ctx context.Context, f codexFile) error {
	if restored, err := c.restore(); restored || err != nil {
		return err
	}
	return f.forget(ctx)
}

// trust has the agent trust the hook, which it would skip otherwise.
func (p *Plan) trust(ctx context.Context) error {
	if !p.settings.Agent.trust {
		return nil
	}
	f, config, err := p.settings.codex(p.program, p.definition.Program)
	if err != nil {
		return err
	}
	var failed error
	if p.next.Trust == nil { // the first time
		if p.trusted, err = content(config); err != nil {
			return err
		}
		if p.old != nil && p.old.Trust != nil {
			failed = p.old.Trust.takeBack(ctx, f)
		}
	}
	before, err := content(config)
	if failed == nil && err == nil {
		failed = f.trust(ctx)
	}
	after, unread := content(config)
	p.next.Trust = &change{config, before, after}
	return errors.Join(failed, err, unread)
}

// try has the agent make its call in a fresh folder, with a copy of a project's settings.
func (p *Plan) try(ctx context.Context, t trial, reason string) (err error) {
	a := p.settings.Agent
	folder, remove, err := temporary()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	t.folder = folder
	if p.settings.project == "" {
		return a.prove(ctx, t, reason)
	}
	copied := filepath.Join(folder, a.project)
	if err := p.copyProject(copied); err != nil {
		return err
	}
	if !a.trust {
		return a.prove(ctx, t, reason)
	}
	home, drop, err := temporary()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	f := codexFile{p.program, home, folder, copied, mine(a, p.definition.Program)}
	if err := f.trustFolder(ctx, p.next.Trust.After); err != nil {
		return err
	}
	t.env = []string{"CODEX_HOME=" + home}
	return a.prove(ctx, t, reason)
}

// maxCopied is how many bytes of a project's settings are copied.
const maxCopied = 1 << 20

// copyProject copies the agent's folder in the project, so that everything in it takes effect, with the hook of
// the proof. In a big folder, what is nested deepest is left out.
func (p *Plan) copyProject(file string) error {
	from, to := filepath.Join(p.settings.project, filepath.Dir(p.settings.Agent.project)), filepath.Dir(file)
	names, err := filesBelow(from)
	if err != nil {
		return err
	}
	left := int64(maxCopied)
	for _, name := range names {
		info, err := os.Stat(filepath.Join(from, name))
		if err != nil || !info.Mode().IsRegular() || info.Size() > left {
			continue // such as a broken link
		}
		left -= info.Size()
		text, err := content(filepath.Join(from, name))
		if err == nil {
			err = write(filepath.Join(to, name), text)
		}
		if err != nil {
			return err
		}
	}
	return write(file, p.next.Settings.After)
}

// filesBelow returns the files in a folder, the least nested first.
func filesBelow(folder string) (names []string, err error) {
	err = filepath.WalkDir(paths.Real(folder), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(paths.Real(folder), path) // it is below the folder
			names = append(names, name)
		}
		return err
	})
	slices.SortStableFunc(names, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return names, err
}
