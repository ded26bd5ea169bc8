package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
)

const (
	linkLife     = 24 * time.Hour   // of a login link that nobody has used
	ticketLife   = 30 * time.Second // of a WebSocket ticket
	shutdownTime = 5 * time.Second  // for answers under way when the gateway stops
	toolGrace    = 10 * time.Second // for tools that run when the gateway stops
)

// Owner is the subject of the login links that the gateway prints, and of programs of
// its own user on this machine: to rules they are one person.
const Owner = "owner"

// AutoApproves is the warning about an agent in mode auto-approve.
const AutoApproves = "mode auto-approve: every call that no rule denies or asks about runs unasked, including command lines that the gateway can't read, unless a rule might apply to them"

// LocalKeyAnswers is the warning about gateway.localKey: answers.
const LocalKeyAnswers = "gateway.localKey is answers: every program of this user can approve, including an agent's commands; run no agent as this user"

// Run serves until ctx ends; then what was started last ends first: the doors, the
// agents, and the store when nobody writes any more.
func (g *Gateway) Run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(ended(err), g.turn.reason(), g.Close()) }()
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	var keeper errgroup.Group
	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	keeper.Go(func() error { return ended(g.store.Run(writing)) })
	if g.traces != nil {
		keeper.Go(func() error { return ended(g.traces.Run(writing)) })
	}
	if g.relay != nil {
		keeper.Go(func() error {
			err := ended(g.relay.Run(writing))
			if err != nil {
				g.log.Error("the cluster's NATS can't be used", zap.Error(err))
			}
			return err
		})
	}
	keeper.Go(func() error { g.watchTurn(writing, stopWriting, cut); return nil })
	defer func() {
		stopWriting()
		err = errors.Join(err, keeper.Wait())
	}()
	end, err := g.begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if g.store.Held() == nil { // otherwise nothing can be written any more
			err = errors.Join(err, end(context.WithoutCancel(ctx), err))
		}
	}()

	g.endLeftovers()
	if err := g.remember(ctx); err != nil {
		return err
	}
	if err := g.roster.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer g.manager.Wait()
	defer func() { err = errors.Join(err, g.closeServers()) }() // what they still ask is withdrawn
	defer g.roster.Stop(toolGrace)
	if err := errors.Join(g.agree(ctx, false), g.roster.Resume(ctx)); err != nil {
		return err
	}
	return g.serve(ctx)
}

// serve opens the doors.
func (g *Gateway) serve(ctx context.Context) (err error) {
	c := g.settings().Gateway
	if g.store.KeyMoved {
		g.log.Info("the key that signs the audit log was moved out of the data folder; keep it in your backups", zap.String("file", c.AuditKey))
	}
	if c.LocalKey == config.LocalKeyAnswers {
		g.log.Warn(LocalKeyAnswers)
	}
	g.warn(g.settings())
	g.log.Info("serving", zap.String("address", g.listener.address()), zap.String("data", c.Data), zap.Int("agents", len(g.settings().Judged())))
	access := client.Access{URL: g.listener.localURL(), Token: g.localToken}
	if failure := access.Write(c.Data); failure != nil {
		g.log.Warn("the verbs that talk to a running gateway will not find this one", zap.Error(failure))
	} else {
		defer func() { err = errors.Join(err, client.Forget(c.Data)) }()
	}
	// Anyone who can read the link can find the local key too.
	g.offerLink(ctx, "Lineclear is running. Open the dashboard with this link, which logs you in once:")
	doors, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, g.stop)()
	doors.Go(func() error { return ended(g.hub.Run(ctx)) })
	doors.Go(func() error { return ended(g.manager.Run(ctx)) })
	doors.Go(func() error { return g.listener.run(ctx, g.Handler(), g.log) })
	if g.notifier != nil {
		doors.Go(func() error { return ended(g.notifier.Run(ctx)) })
	}
	doors.Go(func() error {
		<-ctx.Done()
		g.log.Info("stopping; requests that wait stay pending")
		return nil
	})
	doors.Go(func() error { return g.renewLinks(ctx) })
	doors.Go(func() error { return g.inspect(ctx) })
	doors.Go(func() error { return g.endIdleRuns(ctx) })
	doors.Go(func() error { return g.keepAccess(ctx) })
	doors.Go(func() error { return g.retain(ctx) })
	doors.Go(func() error { return g.doErrands(ctx) })
	return doors.Wait()
}

// offerLink makes a login link and shows it.
func (g *Gateway) offerLink(ctx context.Context, words string) {
	if g.showLink == nil {
		return
	}
	token, err := g.links.Issue(ctx, auth.Identity{Subject: Owner, Roles: []auth.Role{auth.Admin}})
	if err != nil {
		g.failed("login link", err)
		return
	}
	g.showLink(words, g.listener.link()+"/#login="+token)
}

// renewLinks shows a fresh link whenever one has expired, until ctx ends.
func (g *Gateway) renewLinks(ctx context.Context) error {
	renew := time.NewTicker(linkLife)
	defer renew.Stop()
	for {
		select {
		case <-renew.C:
			g.offerLink(ctx, "The login link has expired; a fresh one:")
		case <-ctx.Done():
			return nil
		}
	}
}

// remember takes up what was set and granted before the process started, as
// far as it still holds.
func (g *Gateway) remember(ctx context.Context) error {
	if err := g.manager.RestoreModes(ctx); err != nil {
		return err
	}
	if err := g.manager.RestoreHalts(ctx); err != nil {
		return err
	}
	forgetful := map[string]bool{}
	for _, a := range g.settings().Agents {
		forgetful[a.ID] = a.Forgetful
	}
	if err := g.manager.EndOrphans(ctx); err != nil {
		return err
	}
	if err := errors.Join(g.countWaiting(ctx), g.manager.ExpectAskers(ctx)); err != nil {
		return err
	}
	alone := g.store.First() // otherwise it is no new start
	return g.manager.EndOutdated(ctx, func(agentID string) bool { return alone && forgetful[agentID] })
}

// warn logs which agents run calls without asking anybody.
func (g *Gateway) warn(c *config.Config) {
	for _, a := range c.Judged() {
		if a.Mode == approval.AutoApprove {
			g.log.Warn(AutoApproves, zap.String("agent", a.ID))
		}
		if time.Now().Before(a.ObserveUntil) {
			g.log.Warn("an agent is only observed: what a person would be asked about runs", zap.String("agent", a.ID), zap.Time("until", a.ObserveUntil))
		}
	}
}

// keepAccess runs the keyring's upkeep every minute until ctx ends, and once more at the end.
func (g *Gateway) keepAccess(ctx context.Context) error {
	each := time.NewTicker(time.Minute)
	defer each.Stop()
	for ended := false; !ended; {
		select {
		case <-each.C:
		case <-ctx.Done():
			ended = true
		}
		if err := g.keyring.Upkeep(context.WithoutCancel(ctx)); err != nil {
			g.failed("access", err)
		}
	}
	return nil
}

// reportWithin is how long after its approval a program may report a call's result.
const reportWithin = 24 * time.Hour

// endIdleRuns ends idle runs of programs, and their calls without a result, until ctx ends.
func (g *Gateway) endIdleRuns(ctx context.Context) error {
	idle := g.settings().Gateway.RunIdle
	look := time.NewTicker(min(idle, time.Minute))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if !g.store.First() {
				continue
			}
			err := errors.Join(g.manager.EndUnreported(ctx, time.Now().Add(-reportWithin)), g.roster.EndIdle(ctx, time.Now().Add(-idle)))
			if err != nil && ctx.Err() == nil {
				g.failed("idle runs", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// ended turns the ways in which a part ends when it is told to into no error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
