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
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sync/errgroup"

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

type serveFlags struct{ config, listen, data string }

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use: "serve", Args: cobra.NoArgs,
		Short: "Run the agents and the dashboard until interrupted.",
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), f, c.OutOrStdout(), newLogger(c.ErrOrStderr()))
		},
	}
	configFlag(c, &f.config)
	c.Flags().StringVar(&f.listen, "listen", "", "host:port to listen on, instead of the configuration's")
	c.Flags().StringVar(&f.data, "data", "", "data folder, instead of the configuration's")
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
		if loaded.Gateway.Data, err = filepath.Abs(f.data); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
	}
	return loaded, nil
}

func newLogger(w io.Writer) *zap.Logger {
	encoder := zap.NewProductionEncoderConfig()
	encoder.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.AddSync(w), zap.InfoLevel))
}

// serve runs a gateway until ctx ends. What was started last ends first: the
// doors, the agents, and the store when nobody writes any more.
func serve(ctx context.Context, f serveFlags, out io.Writer, log *zap.Logger) (err error) {
	c, err := f.load()
	if err != nil {
		return err
	}
	listener, err := listen(c.Gateway.Listen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreClosed(listener.Close())) }()
	g, err := build(c, listener.Addr(), log)
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

	end, err := g.begin(ctx, listener.Addr())
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

	server := &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: zap.NewStdLog(log),
	}
	server.Handler = g.doors(ctx, func() { printLink(out, g, listener.Addr(), "A fresh login link:") })
	printLink(out, g, listener.Addr(), "Lineclear is running. Open the dashboard with this link, which logs you in once:")
	log.Info("serving", zap.Stringer("address", listener.Addr()), zap.String("data", c.Gateway.Data), zap.Int("agents", len(c.Agents)))

	access := client.Access{URL: "http://" + listener.Addr().String(), Token: g.localToken}
	if failure := access.Write(c.Gateway.Data); failure != nil {
		log.Warn("the verbs that talk to a running gateway will not find this one", zap.Error(failure))
	} else {
		defer func() { err = errors.Join(err, client.Forget(c.Gateway.Data)) }()
	}

	doors, ctx := errgroup.WithContext(ctx)
	doors.Go(func() error { return g.reloads(ctx, f, log) })
	doors.Go(func() error { return ended(g.hub.Run(ctx)) })
	doors.Go(func() error { return ended(g.manager.Run(ctx)) })
	doors.Go(func() error { return ended(server.Serve(listener)) })
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
	doors.Go(func() error {
		renewLinks(ctx, out, g, listener.Addr())
		return nil
	})
	return doors.Wait()
}

func renewLinks(ctx context.Context, out io.Writer, g *gateway, address net.Addr) {
	renew := time.NewTicker(linkLife)
	defer renew.Stop()
	for {
		select {
		case <-renew.C:
			printLink(out, g, address, "The login link has expired; a fresh one:")
		case <-ctx.Done():
			return
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
	return g.manager.EndOutdated(ctx, func(agentID string) bool { return forgetful[agentID] })
}

// reloads reads the configuration anew at every SIGHUP. One with a fault
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

// listen opens the address, which has to be on this machine only: whoever
// reaches the port can try to answer for you.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w; want host:port, such as 127.0.0.1:8787", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("listen: %s is not a loopback address: listen on 127.0.0.1, and put a TLS proxy in front for other machines", host)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// printLink writes to the terminal, never to the log: the link lets its reader in.
func printLink(out io.Writer, g *gateway, address net.Addr, words string) {
	token := g.links.Issue(auth.Identity{Subject: "owner", Roles: []auth.Role{auth.Admin}})
	fmt.Fprintf(out, "\n%s\n\n  http://%s/#login=%s\n\n", words, address, token)
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
