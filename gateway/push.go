package gateway

import (
	"context"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/notify"
	"github.com/lineclear/lineclear/notify/webpush"
)

// addPush makes what calls people's browsers, where that is wanted.
func (g *Gateway) addPush(c config.Gateway, b *bus.Bus, keyring *auth.Keyring, doors *httpapi.Backend) error {
	if !c.Push {
		return nil
	}
	key, err := g.store.PushKey()
	if err != nil {
		return err
	}
	sender, err := webpush.New(key, webpush.Options{Hosts: c.PushHosts})
	if err != nil {
		return err
	}
	g.closers = append(g.closers, sender.Close)
	pending := func(ctx context.Context) ([]approval.Request, error) { return g.manager.Pending(ctx, "") }
	g.notifier, err = notify.Open(context.Background(), notify.Backend{
		Bus: b, Store: g.store.Subscriptions(), Keyring: keyring, Sender: sender, Pending: pending, Report: g.pushed, Mine: g.store.First,
	})
	doors.Push, doors.PushKey = g.notifier, sender.PublicKey()
	return err
}

// pushed counts a message to a browser, and logs one that failed.
func (g *Gateway) pushed(what notify.Outcome, err error) {
	g.metrics.Pushed(what)
	if err != nil {
		g.log.Warn("a browser could not be told that something needs approval", zap.Error(err))
	}
}
