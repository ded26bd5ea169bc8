package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/terminal"
)

const (
	linkLife     = 24 * time.Hour   // of a login link that nobody has used
	ticketLife   = 30 * time.Second // of a WebSocket ticket
	shutdownTime = 5 * time.Second  // for answers under way when the gateway stops
	toolGrace    = 10 * time.Second // for tools that run when the gateway stops
)

// owner is as whom the links log in that the gateway prints, and programs of the
// same user on this machine: they are one person, in the eyes of rules too.
const owner = "owner"

type serveFlags struct {
	config, listen, data string

	printLink bool // set by default if standard output is a terminal
	log       logFlags
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Args: cobra.NoArgs,
		Short: "Run the agents and the dashboard until interrupted.",
		RunE: func(c *cobra.Command, _ []string) error {
			log, err := f.log.logger(c.ErrOrStderr())
			if err != nil {
				return err
			}
			f.printLink = f.printLink || os.Getenv("LINECLEAR_PRINT_LINK") == "1" || terminal.Interactive(terminal.FileOf(c.OutOrStdout()))
			return serve(c.Context(), f, c.OutOrStdout(), log)
		},
	}
	configFlag(c, &f.config)
	c.Flags().StringVar(&f.listen, "listen", "", "host:port to listen on, instead of the configuration's")
	c.Flags().StringVar(&f.log.format, "log-format", textLog, "how the log is written: text or json")
	c.Flags().StringVar(&f.log.level, "log-level", "info", "what is logged: debug, info, warn or error, and what is graver")
	c.Flags().StringVar(&f.data, "data", "", "data folder, instead of the configuration's")
	c.Flags().BoolVar(&f.printLink, "print-link", false, "print login links even if standard output is not a terminal (or set LINECLEAR_PRINT_LINK=1): whoever reads one can log in as admin")
	return c
}

// load reads the configuration, with what the command line says instead.
func (f serveFlags) load() (*config.Config, error) {
	loaded, err := config.Load(f.config)
	if err != nil {
		return nil, err
	}
	if f.listen != "" {
		loaded.Gateway.Listen = f.listen
	}
	if f.data != "" {
		loaded.Gateway.Data, loaded.Gateway.DataSet = f.data, true
	}
	return loaded, resolvePaths(&loaded.Gateway)
}

// serve runs a gateway until ctx ends. What was started last ends first: the
// doors, the agents, and the store when nobody writes any more.
func serve(ctx context.Context, f serveFlags, out io.Writer, log *zap.Logger) (err error) {
	c, err := f.load()
	if err == nil {
		err = errors.Join(checkSeparate(c, log), checkOldData(c))
	}
	if err != nil {
		return err
	}
	counts := newMetrics(c)
	door, err := openDoorway(c.Gateway, log, func() { counts.Refused("connections") })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.close()) }()
	g, err := build(c, door, counts, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()

	var keeper errgroup.Group
	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	keeper.Go(func() error { return ended(g.store.Run(writing)) })
	defer func() {
		stopWriting()
		err = errors.Join(err, keeper.Wait())
	}()

	end, err := g.begin(ctx, door.public.Addr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end(context.WithoutCancel(ctx), err)) }()

	g.endLeftovers(log)
	if err := g.remember(ctx); err != nil {
		return err
	}
	if err := g.roster.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer g.manager.Wait()
	defer func() { err = errors.Join(err, g.dismiss()) }() // what they still ask is withdrawn
	defer g.roster.Stop(toolGrace)
	if err := g.roster.Resume(ctx); err != nil {
		return err
	}

	server := door.newServer(log)
	show := f.links(out, g)
	server.Handler = g.doors(ctx, func() { show("A fresh login link:") })
	show("Lineclear is running. Open the dashboard with this link, which logs you in once:")
	f.announce(g, log)

	access := client.Access{URL: door.localURL(), Token: g.localToken}
	if failure := access.Write(c.Gateway.Data); failure != nil {
		log.Warn("the verbs that talk to a running gateway will not find this one", zap.Error(failure))
	} else {
		defer func() { err = errors.Join(err, client.Forget(c.Gateway.Data)) }()
	}

	doors, ctx := errgroup.WithContext(ctx)
	doors.Go(func() error { return g.reloads(ctx, f, log) })
	doors.Go(func() error { return ended(g.hub.Run(ctx)) })
	doors.Go(func() error { return ended(g.manager.Run(ctx)) })
	doors.Go(func() error { return ended(door.serve(server)) })
	doors.Go(func() error {
		<-ctx.Done()
		log.Info("stopping; requests that wait stay pending")
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(closing); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return server.Close() // what is left is connections on which nothing is asked
	})
	doors.Go(func() error { return renewLinks(ctx, show) })
	return doors.Wait()
}

// renewLinks shows a fresh link whenever one has expired, until ctx ends.
func renewLinks(ctx context.Context, show func(words string)) error {
	renew := time.NewTicker(linkLife)
	defer renew.Stop()
	for {
		select {
		case <-renew.C:
			show("The login link has expired; a fresh one:")
		case <-ctx.Done():
			return nil
		}
	}
}

// remember takes up what was set and granted before the process started, as
// far as it still holds.
func (g *gateway) remember(ctx context.Context) error {
	if err := g.manager.RestoreModes(ctx); err != nil {
		return err
	}
	forgetful := map[string]bool{}
	for _, a := range g.config.Agents {
		forgetful[a.ID] = a.Forgetful
	}
	if err := g.manager.EndOrphans(ctx); err != nil {
		return err
	}
	if err := g.countWaiting(ctx); err != nil {
		return err
	}
	return g.manager.EndOutdated(ctx, func(agentID string) bool { return forgetful[agentID] })
}

// reloads rereads the configuration at every SIGHUP. One with a fault
// changes nothing.
func (g *gateway) reloads(ctx context.Context, f serveFlags, log *zap.Logger) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-hangups:
			next, err := f.load()
			if err == nil {
				err = g.reload(ctx, next, log)
			} else {
				err = errors.Join(err, g.unreadable(ctx))
			}
			if err != nil {
				log.Error("reloading the configuration failed", zap.Error(err))
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// announce logs that the gateway serves, and what operators have to know.
func (f serveFlags) announce(g *gateway, log *zap.Logger) {
	c := g.config.Gateway
	if !f.printLink {
		log.Info("no login link is printed, since standard output is not a terminal; make one in a terminal with: gateway link --first")
	}
	if g.store.KeyMoved {
		log.Info("the key that signs the audit log was moved out of the data folder; keep it in your backups", zap.String("file", c.AuditKey))
	}
	if c.LocalKey == config.LocalKeyAnswers {
		log.Warn(localKeyAnswers)
	}
	log.Info("serving", zap.Stringer("address", g.listener.public.Addr()), zap.String("data", c.Data), zap.Int("agents", len(g.config.Agents)))
}

// localKeyAnswers is the warning about gateway.localKey: answers.
const localKeyAnswers = "gateway.localKey is answers: every program of this user can approve, including an agent's commands; run no agent as this user"

// links returns the function that prints login links. Off a terminal it prints none
// unless told to: output may end up in a log that others read.
func (f serveFlags) links(out io.Writer, g *gateway) func(words string) {
	if !f.printLink {
		return func(string) {}
	}
	return func(words string) {
		token := g.links.Issue(auth.Identity{Subject: owner, Roles: []auth.Role{auth.Admin}})
		fmt.Fprintf(out, "\n%s\n\n  %s/#login=%s\n\n", words, g.listener.link(), token)
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
