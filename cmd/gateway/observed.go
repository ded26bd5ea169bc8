package main

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/store"
)

// newMetrics counts under the names of the configuration.
func newMetrics(c *config.Config) *metrics.Metrics {
	var agents []string
	for _, a := range c.Judged() {
		agents = append(agents, a.ID)
	}
	return metrics.New(agents)
}

// hooks are what the store tells.
func (g *gateway) hooks() store.Hooks {
	return store.Hooks{Committed: g.metrics.Committed, Failed: g.failed}
}

// failed logs and counts errors of background work.
func (g *gateway) failed(what string, err error) {
	g.metrics.Failed(what)
	g.log.Error("background work failed", zap.String("what", what), zap.Error(err))
}

var errNotRunning = errors.New("it does not run")

// checks are what has to be so for the gateway to be of use.
func (g *gateway) checks() []httpapi.Check {
	return []httpapi.Check{
		{Name: "store", Do: g.store.Ping},
		{Name: "websockets", Do: func(context.Context) error {
			if !g.hub.Running() {
				return errNotRunning
			}
			return nil
		}},
	}
}

// countWaiting takes into account what waits since before the process began.
func (g *gateway) countWaiting(ctx context.Context) error {
	pending, err := g.manager.Pending(ctx, "")
	if err != nil {
		return err
	}
	g.metrics.Remember(pending)
	return nil
}
