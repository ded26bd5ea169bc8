package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
)

// ErrModeChanged refuses to set a mode that somebody has set since it was seen.
var ErrModeChanged = errors.New("approval: the mode has been changed since you saw it")

// Modes carries each mode that was set. A store publishes on it after the change
// is durable.
var Modes = bus.NewTopic[ModeSetting]("mode")

// ModeSetting is the mode in which an agent works. It is set, never toggled,
// with the version at which it was seen, so that two people can't undo each
// other unawares.
type ModeSetting struct {
	AgentID    string    `json:"agentId"`
	Mode       Mode      `json:"mode"`
	Version    int64     `json:"version"`    // grows with each setting; 0: as configured
	Configured Mode      `json:"configured"` // what the configuration said when it was set
	SetBy      By        `json:"setBy,omitzero"`
	SetAt      time.Time `json:"setAt,omitzero"`
}

// Set returns the setting that follows m, or m beside ErrModeChanged if its
// version is not the one seen.
func (m ModeSetting) Set(next ModeSetting, seen int64, now time.Time) (ModeSetting, error) {
	if m.Version != seen {
		return m, ErrModeChanged
	}
	next.Version, next.SetAt = m.Version+1, now
	return next, nil
}

// Setting is the gate's mode with its version.
func (g *Gate) Setting() ModeSetting {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mode
}

// Mode is the gate's mode.
func (g *Gate) Mode() Mode { return g.Setting().Mode }

// take makes a setting the gate's, unless a newer one was first.
func (g *Gate) take(m ModeSetting) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m.Version >= g.mode.Version {
		g.mode = m
	}
}

// SetMode sets an agent's mode, which has to be at the version that was seen;
// otherwise it returns the setting as it is beside ErrModeChanged. What waits is
// judged again: a mode that denies settles it, one that approves does not, since
// nobody has looked at it.
func (m *Manager) SetMode(ctx context.Context, id auth.Identity, via, agentID string, mode Mode, seen int64) (ModeSetting, error) {
	if !id.May(auth.Manage) {
		return ModeSetting{}, auth.ErrForbidden
	}
	gate := m.gate(agentID)
	if gate == nil {
		return ModeSetting{}, fmt.Errorf("%w: %q", ErrNoAgent, agentID)
	}
	if err := new(Mode).UnmarshalText([]byte(mode)); err != nil {
		return gate.Setting(), fmt.Errorf("%w: mode: %w", ErrInvalid, err)
	}
	if mode == Manual && gate.Handler() == nil {
		return gate.Setting(), fmt.Errorf("agent %s: %w", agentID, ErrNoHandler)
	}
	set, err := m.setMode(ctx, gate, By{Subject: id.Subject, Via: via}, mode, seen)
	if err == nil {
		// The mode is set, whatever becomes of this; what it leaves waiting is
		// judged before it runs.
		_ = m.JudgeAgain(ctx, agentID)
	}
	return set, err
}

func (m *Manager) setMode(ctx context.Context, gate *Gate, by By, mode Mode, seen int64) (ModeSetting, error) {
	configured := gate.Setting().Configured
	set, err := m.store.SetMode(ctx, ModeSetting{
		AgentID: gate.agentID, Mode: mode, Configured: configured, SetBy: by,
	}, seen)
	if err == nil {
		gate.take(set)
	}
	return set, err
}

// RestoreModes takes up the modes that were set before the process was started
// again. A mode that was set holds until the configuration itself says
// something else than it did then.
func (m *Manager) RestoreModes(ctx context.Context) error {
	settings, err := m.store.ListModes(ctx)
	if err != nil {
		return fmt.Errorf("approval: modes: %w", err)
	}
	for _, s := range settings {
		gate := m.gate(s.AgentID)
		if gate == nil {
			continue
		}
		configured := gate.Setting().Configured
		if s.Configured == configured {
			gate.take(s)
			continue
		}
		if err := m.configureMode(ctx, gate, configured, s.Version); err != nil {
			return err
		}
	}
	return nil
}

// configureMode sets the mode that the configuration has come to say.
func (m *Manager) configureMode(ctx context.Context, gate *Gate, mode Mode, seen int64) error {
	gate.mu.Lock()
	gate.mode.Configured = mode
	gate.mu.Unlock()
	if _, err := m.setMode(ctx, gate, By{Subject: "configuration", Via: "configuration"}, mode, seen); err != nil {
		return fmt.Errorf("approval: mode of agent %s: %w", gate.agentID, err)
	}
	return nil
}
