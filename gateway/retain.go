package gateway

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/store"
)

const retainEvery = 24 * time.Hour

// retain removes what is older than it is kept, at once and then every day, until ctx ends; in a cluster one gateway does.
func (g *Gateway) retain(ctx context.Context) error {
	for {
		again := time.Hour
		if g.store.First() {
			g.retainNow(ctx)
			again = retainEvery
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

func (g *Gateway) retainNow(ctx context.Context) {
	done, err := g.store.Retain(ctx, g.settings().Gateway.Retention, time.Now())
	if err != nil && ctx.Err() == nil {
		g.failed("retention", err)
	}
	if done != (store.Removed{}) && ctx.Err() == nil {
		g.log.Info("what is older than it is kept was removed", zap.Int("sessions", done.Sessions), zap.Int("requests", done.Requests),
			zap.Int("auditRecords", done.Records), zap.String("auditExport", done.Export))
	}
}
