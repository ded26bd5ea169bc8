package install

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lineclear/lineclear/internal/linediff"
)

var (
	// ErrTwice is returned for a project if the hook is installed for the user: each call would be asked
	// about twice.
	ErrTwice = errors.New("it is installed for the user already, and each call would be asked about twice")

	// ErrChanged is returned if the settings have changed while they were being written.
	ErrChanged = errors.New("the settings have changed in the meantime; try again")
)

// Plan is what an installation would write.
type Plan struct {
	Notes []string // what a person should know first

	settings   Settings
	definition Definition
	program    string  // the agent's own; empty if it can't be run
	was        *string // the settings as they are now
	clean      *string // without our hooks
	after      string  // with the definition to install
	proof      string  // with the definition for the proof
	old        *record
	next       record
	trusted    *string // the file with the trust, as it was
}

// Plan says what installing a definition would do. It writes nothing.
func (s Settings) Plan(d Definition) (*Plan, error) {
	program, _, err := s.Agent.Program()
	if err != nil {
		return nil, err
	}
	p := &Plan{settings: s, definition: d, program: program}
	if p.was, err = content(s.File); err != nil {
		return nil, err
	}
	if p.old, err = s.recorded(); err != nil {
		return nil, err
	}
	if err := p.once(); err != nil {
		return nil, err
	}
	if err := s.switchedOff(); err != nil {
		return nil, err
	}
	var state State
	p.clean, state, err = s.clean(p.was, p.old, d.Program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w\nAdd this by hand:\n%s", s.File, err, p.byHand())
	}
	if note := state.note(); note != "" {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %s. It is replaced.", s.File, note))
	}
	if p.after, err = with(text(p.clean), s.Agent, d); err != nil {
		return nil, fmt.Errorf("%s: %w\nAdd this by hand:\n%s", s.File, err, p.byHand())
	}
	p.next = record{Program: d.Program, Settings: change{s.File, p.clean, p.was}}
	return p, nil
}

// once refuses a project's hook beside the user's.
func (p *Plan) once() error {
	if p.settings.project == "" {
		return nil
	}
	users, err := p.settings.Agent.At("")
	if err != nil || users.File == p.settings.File {
		return err
	}
	state, err := users.State()
	if err == nil && state.Installed {
		err = fmt.Errorf("%w: gateway uninstall %s", ErrTwice, p.settings.Agent.Name)
	}
	return err
}

func (p *Plan) byHand() string {
	text, _ := with("", p.settings.Agent, p.definition) // of what is ours alone
	return text
}

// Diff is what would change in the settings; empty: nothing.
func (p *Plan) Diff() string { return diff(p.settings.File, p.was, &p.after) }

func diff(file string, from, to *string) string {
	return linediff.Unified(file, text(from), text(to), around, math.MaxInt).Text
}

// around is how many unchanged lines are shown around a change.
const around = 3

// Proves reports whether the agent can be run, so that it can be seen whether a denial holds.
func (p *Plan) Proves() bool { return p.program != "" }

// Apply proves that a denial holds, then writes the planned settings and has the agent trust them. If
// anything fails, everything is put back. For an agent that can't be run, it writes without a proof.
func (p *Plan) Apply(ctx context.Context) (err error) {
	if now, err := content(p.settings.File); err != nil || !same(now, p.was) {
		return errors.Join(err, ErrChanged)
	}
	defer func() {
		if err == nil {
			return
		}
		if left := p.undo(); left != nil {
			err = fmt.Errorf("not installed, and not everything could be put back: %w", errors.Join(err, left))
			return
		}
		err = fmt.Errorf("not installed, and the settings are as they were: %w", err)
	}()
	if !p.Proves() {
		return p.put(p.after)
	}
	if err := p.proven(ctx); err != nil {
		return err
	}
	after, err := p.final()
	if err != nil {
		return err
	}
	if err := p.distrust(ctx); err != nil {
		return err
	}
	if err := p.put(after); err != nil {
		return err
	}
	if err := p.trust(ctx); err != nil {
		return err
	}
	return p.settings.keep(&p.next)
}

// put writes the record of the settings, and then the settings.
func (p *Plan) put(text string) error {
	is := p.next.Settings.After
	p.next.Settings.After = &text
	err := p.settings.keep(&p.next)
	if err == nil {
		err = write(p.settings.File, &text)
	}
	if err != nil {
		p.next.Settings.After = is
	}
	return err
}

// final returns the settings' text to install. The agent has run since the proof began, and some agents write to
// their settings when they start: what they wrote stays.
func (p *Plan) final() (string, error) {
	rest, found, err := without(text(p.next.Settings.After), mine(p.settings.Agent, p.definition.Program))
	if err != nil || len(found) != len(p.settings.Agent.before)+len(p.settings.Agent.after) {
		return "", errors.Join(err, fmt.Errorf("%w: %s no longer has the hook", ErrNotHeld, p.settings.File))
	}
	if same(p.next.Settings.After, &p.proof) {
		return p.after, nil
	}
	return with(rest, p.settings.Agent, p.definition)
}

// Trusts is the file in which the agent has been told to trust the hook; empty: it needs no trust.
func (p *Plan) Trusts() string {
	if p.next.Trust == nil {
		return ""
	}
	return p.next.Trust.File
}

// reread takes the files as they are after the agent has run: some agents write to their settings
// when they start.
func (p *Plan) reread() (err error) {
	if p.next.Settings.After, err = content(p.settings.File); err == nil && p.next.Trust != nil {
		p.next.Trust.After, err = content(p.next.Trust.File)
	}
	return err
}

// undo puts back what was there when the plan was made.
func (p *Plan) undo() error {
	files := []change{{p.settings.File, p.was, p.next.Settings.After}}
	if p.next.Trust != nil {
		files = append(files, change{p.next.Trust.File, p.trusted, p.next.Trust.After})
	}
	errs := []error{p.settings.keep(p.old)}
	for _, f := range files {
		restored, err := f.restore()
		if now, _ := content(f.File); err == nil && !restored && !same(now, f.Before) {
			err = fmt.Errorf("%s was changed by somebody else and is left as it is: look at it", f.File)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
