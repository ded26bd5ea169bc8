package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
)

// Setting is the gate's mode with its version.
func (g *Gate) Setting() approval.ModeSetting {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mode
}

// Mode is the gate's mode.
func (g *Gate) Mode() approval.Mode { return g.Setting().Mode }

// take makes a setting the gate's, unless a newer one was first.
func (g *Gate) take(m approval.ModeSetting) {
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
func (s *Settings) SetMode(ctx context.Context, id auth.Identity, via approval.Via, agentID string, mode approval.Mode, seen int64) (approval.ModeSetting, error) {
	if err := id.Check(agentID, auth.Manage); err != nil {
		return approval.ModeSetting{}, err
	}
	gate := s.gate(agentID)
	if gate == nil {
		return approval.ModeSetting{}, fmt.Errorf("%w: %q", ErrNoAgent, agentID)
	}
	if err := new(approval.Mode).UnmarshalText([]byte(mode)); err != nil {
		return gate.Setting(), fmt.Errorf("%w: mode: %w", approval.ErrInvalid, err)
	}
	if mode == approval.Manual && gate.Handler() == nil {
		return gate.Setting(), fmt.Errorf("agent %s: %w", agentID, ErrNoHandler)
	}
	set, err := s.store.SetModes(ctx, approval.ModeSetting{
		AgentID: agentID, Mode: mode, Configured: gate.Setting().Configured, Version: seen,
		SetBy: by(id, via),
	})
	if len(set) != 1 || err != nil && !errors.Is(err, approval.ErrModeChanged) {
		return gate.Setting(), err // what stands, and not what was tried
	}
	if err == nil {
		gate.take(set[0])
		// The mode is set, whatever becomes of this; what it leaves waiting is
		// judged before it runs.
		if err := s.JudgeAgain(ctx, agentID); err != nil {
			s.failed("judge_again", err)
		}
	}
	return set[0], err
}

// RestoreModes takes up the modes that were set before the process was started
// again. A mode that was set holds until the configuration itself says
// something else than it did then.
func (s *Settings) RestoreModes(ctx context.Context) error {
	settings, err := s.store.ListModes(ctx)
	if err != nil {
		return fmt.Errorf("gate: modes: %w", err)
	}
	var reconfigured []approval.ModeSetting
	for _, mode := range settings {
		gate := s.gate(mode.AgentID)
		if gate == nil {
			continue
		}
		configured := gate.Setting().Configured
		if mode.Configured == configured {
			gate.take(mode)
			continue
		}
		reconfigured = append(reconfigured, asConfigured(mode, configured))
	}
	if len(reconfigured) == 0 {
		return nil
	}
	set, err := s.store.SetModes(ctx, reconfigured...)
	if err != nil {
		return fmt.Errorf("gate: modes: %w", err)
	}
	for _, mode := range set {
		s.gate(mode.AgentID).take(mode)
	}
	return nil
}

// asConfigured is the setting that a changed configuration makes of one.
func asConfigured(was approval.ModeSetting, mode approval.Mode) approval.ModeSetting {
	was.Mode, was.Configured = mode, mode
	was.SetBy = approval.By{Subject: "configuration", Via: approval.ViaConfiguration}
	return was
}

// AgentTerms are the settings of an agent that can change while it works.
type AgentTerms struct {
	Mode    approval.Mode
	Timeout time.Duration             // as in AgentOptions; for requests from now on
	Observe time.Time                 // as AgentOptions.ObserveUntil
	Tools   map[string]approval.Terms // by the tool's name; a tool that is not named keeps its own
	Sets    map[string]SetTerms       // by the set's name; one that is not named keeps its own
}

// Configure gives agents new settings, all of them or, with an error, none. A
// mode that somebody set stays set unless the configured one has changed. Once
// nothing can fail any more, rules is called: it puts new rules in place, before
// what they deny could slip through under modes and terms that are already new.
// What waits is not judged again by this; see JudgeAgain.
func (s *Settings) Configure(ctx context.Context, agents map[string]AgentTerms, rules func()) error {
	var modes []approval.ModeSetting
	for id, t := range agents {
		gate := s.gate(id)
		if gate == nil {
			return fmt.Errorf("%w: %q", ErrNoAgent, id)
		}
		if was, mode := gate.Setting(), cmp.Or(t.Mode, approval.Manual); mode != was.Configured {
			modes = append(modes, asConfigured(was, mode))
		}
	}
	var set []approval.ModeSetting
	if len(modes) > 0 {
		var err error
		if set, err = s.store.SetModes(ctx, modes...); err != nil {
			return fmt.Errorf("gate: modes: %w", err)
		}
	}
	rules()
	for id, t := range agents {
		s.gate(id).configure(t)
	}
	for _, mode := range set {
		s.gate(mode.AgentID).take(mode)
	}
	s.changed.Add(1)
	return nil
}

func (g *Gate) configure(t AgentTerms) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timeout, g.observe = cmp.Or(t.Timeout, DefaultTimeout), t.Observe
	for name, terms := range t.Tools {
		if gated := g.own[name]; gated != nil {
			gated.terms = terms
		}
	}
	maps.Copy(g.sets, t.Sets)
	offered := []map[string][]*Gated{g.known}
	for _, o := range g.offers {
		offered = append(offered, o.sets)
	}
	for _, sets := range offered {
		for set, tools := range sets {
			for _, gated := range tools {
				gated.terms = g.sets[set].of(gated.spec.Name)
			}
		}
	}
}

// EndOutdated ends the grants of tools that have changed since they were given,
// and, of agents that forget, all that an earlier process gave.
func (s *Settings) EndOutdated(ctx context.Context, forgetful func(agentID string) bool) error {
	live, err := s.store.ListGrants(ctx, approval.GrantQuery{Live: true})
	if err != nil {
		return fmt.Errorf("gate: grants: %w", err)
	}
	for _, g := range live {
		reason := approval.GrantReason("")
		if gated := s.gated(g.AgentID, g.SessionID, g.ToolName); gated != nil && g.ToolDigest != "" && gated.digest != g.ToolDigest {
			reason = approval.GrantToolChanged
		}
		if forgetful(g.AgentID) && !g.Standing {
			reason = approval.GrantForgotten
		}
		if reason == "" {
			continue
		}
		if _, err := s.store.EndGrant(ctx, g.ID, reason, approval.BySystem()); err != nil {
			return fmt.Errorf("gate: grant %s: %w", g.ID, err)
		}
	}
	return nil
}

// Outdate says that what calls are judged by has changed: whoever has judged one judges again before it is run.
func (s *Settings) Outdate() { s.changed.Add(1) }

// JudgeAgain has the requests of an agent that wait judged by the rules and
// modes as they are now; of all agents when agentID is empty. What is denied, or
// covered by a grant, is settled. What a rule or a mode would let through from
// now on waits on for a person, since it was put before one.
func (s *Settings) JudgeAgain(ctx context.Context, agentID string) error {
	s.changed.Add(1)
	return s.judgePending(ctx, approval.Query{Status: approval.Pending}, func(r approval.Request) bool { return agentID == "" || r.AgentID == agentID })
}
