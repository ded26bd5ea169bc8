package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/terminal"
)

type serveFlags struct {
	location
	listen string

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
			// Otherwise the gateway would end with whoever reads its log. Ignoring the signal would have the commands inherit that.
			signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
			f.printLink = f.printLink || os.Getenv("LINECLEAR_PRINT_LINK") == "1" || terminal.Interactive(terminal.FileOf(c.OutOrStdout()))
			err = serve(c.Context(), f, c.OutOrStdout(), log)
			if err != nil && f.log.format == jsonLog && !errors.Is(err, context.Canceled) {
				log.Error("the gateway has ended", zap.Error(err))
				return &exit{code: exitCode(err)} // which has been said
			}
			return err
		},
	}
	f.location.flags(c)
	c.Flags().StringVar(&f.listen, "listen", "", "host:port to listen on, instead of the configuration's")
	c.Flags().StringVar(&f.log.format, "log-format", textLog, "how the log is written: text or json")
	c.Flags().StringVar(&f.log.level, "log-level", "info", "what is logged: debug, info, warn or error, and what is graver")
	completeWords(c, "log-format", textLog, jsonLog)
	completeWords(c, "log-level", "debug", "info", "warn", "error")
	c.Flags().BoolVar(&f.printLink, "print-link", false, "print login links even if standard output is not a terminal (or set LINECLEAR_PRINT_LINK=1): whoever reads one can log in as admin")
	return c
}

// load reads the configuration, with what the command line says instead.
func (f serveFlags) load() (*config.Config, error) {
	loaded, err := f.location.load()
	if err == nil && f.listen != "" {
		loaded.Gateway.Listen = f.listen
	}
	return loaded, err
}

// serve runs a gateway until ctx ends. It rereads the configuration at every SIGHUP.
func serve(ctx context.Context, f serveFlags, out io.Writer, log *zap.Logger) error {
	loaded, err := f.load()
	if err != nil {
		return err
	}
	c := gateway.Config{Settings: loaded, Load: f.load, Logger: log}
	if f.printLink {
		if c.ShowLink, err = f.showLink(out); err != nil {
			return err
		}
	} else {
		log.Info("no login link is printed, since standard output is not a terminal; make one in a terminal with: gateway link --first")
	}
	g, err := gateway.New(ctx, c)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		log.Info("stopping; this gateway was standing by")
		return nil
	}
	if err != nil {
		return err
	}
	running, ctx := errgroup.WithContext(ctx)
	running.Go(func() error { return g.Run(ctx) })
	running.Go(func() error { return f.reloads(ctx, g, log) })
	return running.Wait()
}

// showLink prints login links in the form of the log.
func (f serveFlags) showLink(out io.Writer) (func(words, url string), error) {
	if f.log.format != jsonLog {
		return func(words, url string) { fmt.Fprintf(out, "\n%s\n\n  %s\n\n", words, url) }, nil
	}
	links, err := logFlags{format: jsonLog, level: "info"}.logger(out)
	return func(words, url string) { links.Info(words, zap.String("link", url)) }, err
}

// reloads rereads the configuration at every SIGHUP. One with a fault changes nothing.
func (f serveFlags) reloads(ctx context.Context, g *gateway.Gateway, log *zap.Logger) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-hangups:
			if err := g.Reload(ctx, f.load); err != nil {
				log.Error("reloading the configuration failed", zap.Error(err))
			}
		case <-ctx.Done():
			return nil
		}
	}
}
