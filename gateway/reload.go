package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/httpapi"
)

// ErrNotReloaded is returned, with why, for a configuration that was not taken over.
var ErrNotReloaded = httpapi.ErrNotReloaded

// Reload takes over what a new configuration says about clearing calls, or, where it
// changes more than that or can't be loaded, nothing. What waits is judged again.
func (g *Gateway) Reload(ctx context.Context, load func() (*config.Config, error)) error {
	_, err := g.reloadBy(ctx, approval.BySystem(), load)
	return err
}

// reloadBy is Reload by somebody, one at a time. It returns what has changed.
func (g *Gateway) reloadBy(ctx context.Context, by approval.By, load func() (*config.Config, error)) ([]audit.Change, error) {
	select {
	case g.reloading <- struct{}{}:
		defer func() { <-g.reloading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	next, err := load()
	if err == nil {
		err = Check(next, g.listener.mounted, zap.NewNop())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNotReloaded, err), g.unreadable(ctx, by))
	}
	changes := g.settings().Changes(next)
	shown := make([]audit.Change, len(changes))
	for i, c := range changes {
		shown[i] = g.maskedChange(c)
	}
	return shown, g.reload(ctx, by, next, changes)
}

func (g *Gateway) reload(ctx context.Context, by approval.By, next *config.Config, changes []config.Change) error {
	var fixed []string
	for _, c := range changes {
		if !c.Live {
			fixed = append(fixed, c.String())
		}
	}
	if len(fixed) > 0 {
		err := fmt.Errorf("%w: a running gateway can change what stands under toolConfirmation "+
			"and what says approval under tools, clientTools and mcp; restart it for the rest:\n  %s", ErrNotReloaded, strings.Join(fixed, "\n  "))
		return errors.Join(err, g.configured(ctx, by, audit.ConfigRefused, next, changes))
	}
	terms := map[string]gate.AgentTerms{}
	for _, a := range next.Judged() {
		tools := map[string]approval.Terms{}
		for _, t := range a.Tools {
			tools[t.Name] = t.Terms
		}
		for _, t := range a.ClientTools {
			tools[t.Spec.Name] = t.Terms
		}
		sets := map[string]gate.SetTerms{}
		for _, c := range a.MCP {
			sets[setName(c)] = setTerms(c)
		}
		terms[a.ID] = gate.AgentTerms{Mode: a.Mode, Timeout: a.Timeout, Observe: a.ObserveUntil, Tools: tools, Sets: sets}
	}
	// Written down first: no rule holds that the audit log does not know of.
	if err := g.configured(ctx, by, audit.ConfigReloaded, next, changes); err != nil {
		return fmt.Errorf("nothing was taken over: %w", err)
	}
	err := g.manager.Configure(ctx, terms, func() { g.policy.Replace(Rules(next)) })
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrNotReloaded, err), g.configured(ctx, by, audit.ConfigRefused, next, nil))
	}
	g.current.Store(next)
	if err := g.agree(ctx, true); err != nil {
		g.errands.changed() // which tries again, without insisting
		g.failed("agree", err)
	}
	g.misfits.Clear()
	for _, c := range changes {
		g.log.Info("configuration changed", zap.String("place", c.Place), zap.String("before", c.Before), zap.String("after", c.After))
	}
	g.warn(next)
	g.log.Info("configuration taken over", zap.String("file", next.File), zap.Int("changes", len(changes)))
	if err := g.manager.JudgeAgain(ctx, ""); err != nil {
		return fmt.Errorf("what waits could not be judged again, and will be before it runs: %w", err)
	}
	return nil
}
