package install

import (
	"context"
	"os"
	"slices"
)

// State is how an agent's settings stand.
type State struct {
	Installed bool
	Faults    []string // why the hook may not be what was installed
}

func (s State) note() string {
	if len(s.Faults) == 0 {
		return ""
	}
	return s.Faults[0]
}

// State looks at the settings.
func (s Settings) State() (State, error) {
	now, err := content(s.File)
	if err != nil {
		return State{}, err
	}
	r, err := s.recorded()
	if err != nil {
		return State{}, err
	}
	_, state, err := s.clean(now, r, programOf(r))
	if _, gone := os.Stat(programOf(r)); state.Installed && r != nil && gone != nil {
		state.Faults = append(state.Faults, "its program is gone, so that every call is blocked: "+r.Program)
	}
	if off := s.switchedOff(); state.Installed && off != nil {
		state.Faults = append(state.Faults, off.Error())
	}
	return state, err
}

// clean is the text without our entries: the original, if nobody has changed the file since.
func (s Settings) clean(now *string, r *record, program string) (*string, State, error) {
	var state State
	ours := mine(s.Agent, program)
	rest, found, err := without(text(now), ours)
	if err != nil {
		return nil, state, err
	}
	state.Installed = len(found) > 0
	switch {
	case r == nil && len(found) > 0:
		state.Faults = append(state.Faults, "there is a hook of the gateway that was not installed by it")
	case r != nil:
		_, put, err := without(text(r.Settings.After), ours)
		if err != nil {
			return nil, state, err
		}
		if len(found) == 0 {
			state.Faults = append(state.Faults, "the hook was taken out by somebody since it was installed")
		} else if !slices.Equal(found, put) {
			state.Faults = append(state.Faults, "the hook was changed by somebody since it was installed")
		}
		if same(now, r.Settings.After) {
			return r.Settings.Before, state, nil
		}
		if r.Settings.Before == nil && empty(rest) {
			return nil, state, nil
		}
	}
	if now == nil {
		return nil, state, nil
	}
	return &rest, state, nil
}

// Trusted looks whether the agent will run the hook; nil for one that runs every hook.
func (s Settings) Trusted(ctx context.Context) error {
	if !s.Agent.trust {
		return nil
	}
	agent, _, err := s.Agent.Program()
	if err != nil {
		return err
	}
	r, err := s.recorded()
	if err != nil {
		return err
	}
	f, _, err := s.codex(agent, programOf(r))
	if err != nil {
		return err
	}
	return f.trusted(ctx)
}

// programOf is the gateway's program that was installed.
func programOf(r *record) string {
	if r == nil {
		return "gateway"
	}
	return r.Program
}
