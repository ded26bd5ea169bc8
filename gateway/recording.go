package gateway

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/config"
)

// begin writes down that the gateway starts, and with what configuration. What
// it returns writes down that it ends.
func (g *Gateway) begin(ctx context.Context) (end func(context.Context, error) error, err error) {
	c, at := g.settings(), time.Now()
	err = g.store.Record(ctx, audit.GatewayStarted, userName(), "system", audit.Started{
		Version: Version(), File: c.File, Digest: c.Digest, Listen: g.listener.address(), PID: os.Getpid(),
	})
	if err != nil {
		return nil, err
	}
	end = func(ctx context.Context, why error) error {
		stopped := audit.Stopped{Millis: time.Since(at).Milliseconds(), Failed: why != nil}
		return g.store.Record(ctx, audit.GatewayStopped, "system", "system", stopped)
	}
	return end, g.configured(ctx, approval.BySystem(), audit.ConfigLoaded, c, nil)
}

// configured writes down that a configuration was read, and what became of it.
func (g *Gateway) configured(ctx context.Context, by approval.By, kind audit.Kind, c *config.Config, changes []config.Change) error {
	record := audit.Configuration{File: c.File, Digest: c.Digest}
	for _, change := range changes {
		record.Changes = append(record.Changes, g.maskedChange(change))
	}
	return g.store.Record(ctx, kind, by.Subject, string(by.Via), record)
}

// unreadable writes down that a configuration could not be read.
func (g *Gateway) unreadable(ctx context.Context, by approval.By) error {
	return g.store.Record(ctx, audit.ConfigRefused, by.Subject, string(by.Via), audit.Configuration{File: g.settings().File})
}

func (g *Gateway) maskedChange(c config.Change) audit.Change {
	name := c.Place[strings.LastIndex(c.Place, ".")+1:]
	before, _ := g.settings().Gateway.Secrets.Field(name, c.Before)
	after, _ := g.settings().Gateway.Secrets.Field(name, c.After)
	return audit.Change{Place: c.Place, Before: before, After: after}
}

// Version is what the module was built as: a tag, or "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
