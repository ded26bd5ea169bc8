package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/terminal"
)

func watchCommand(o *output) *cobra.Command {
	var ask bool
	c := &cobra.Command{
		Use: "watch", Args: cobra.NoArgs,
		Short: "Print requests and answers as they come, until interrupted.",
		Long: "Print what waits, then requests and answers as they come, until interrupted. With --ask each request is shown in\n" +
			"full and you are asked about it; what you don't answer stays for others. With --json each line is an object with\n" +
			"event (approvalRequest or approvalResponse) and data.\n\n" + exitHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			if ask && !terminal.Interactive(os.Stdin) {
				return usage("--ask needs a terminal to ask at")
			}
			reach := o.client
			if ask {
				reach = func() (*client.Client, error) { return o.userClient(c.Context()) }
			}
			gateway, err := reach()
			if err != nil {
				return err
			}
			if _, err := gateway.Me(c.Context()); err != nil { // now, not again and again
				return err
			}
			secrets, err := o.secrets()
			if err != nil {
				return err
			}
			fmt.Fprintln(c.ErrOrStderr(), "Connected. What waits and what comes is printed here; Ctrl+C ends it.")
			w := &watcher{o: o, out: c.OutOrStdout(), notes: c.ErrOrStderr(), board: newBoard(gateway)}
			if !ask {
				return w.run(c.Context(), gateway)
			}
			questions := o.notes(c)
			s := &screen{out: questions}
			if !o.json {
				w.out = s
			}
			prompt := terminal.New(os.Stdin, questions, terminal.Options{Secrets: secrets})
			w.asker = newAsker(gateway, prompt, s)
			both, ctx := errgroup.WithContext(c.Context())
			both.Go(func() error { return w.asker.run(ctx) })
			both.Go(func() error { return w.run(ctx, gateway) })
			return both.Wait()
		},
	}
	c.Flags().BoolVar(&ask, "ask", false, "ask about each request, here in the terminal")
	return c
}

// watcher prints what comes.
type watcher struct {
	o     *output
	out   io.Writer
	notes io.Writer // about the connection
	board *pendingList
	asker *prompter // nil disables asking
	lost  bool
}

// run goes on until ctx ends, which is its error.
func (w *watcher) run(ctx context.Context, gateway *client.Client) error {
	for e, err := range gateway.Events(ctx, "", 0) {
		if errors.Is(err, client.ErrReconnecting) {
			w.broke()
			continue
		}
		if err != nil {
			return err
		}
		if w.lost {
			w.lost = false
			fmt.Fprintln(w.notes, "Connected again.")
		}
		asked, replies, err := w.board.take(ctx, e)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err := w.tell(asked, replies); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (w *watcher) broke() {
	if !w.lost {
		fmt.Fprintln(w.notes, "The connection to the gateway broke off. Trying again until it is back…")
	}
	w.lost = true
}

func (w *watcher) tell(asked []approval.Request, replies []reply) error {
	for _, r := range replies {
		if w.asker != nil {
			w.asker.drop(r.response)
		}
		if err := w.line(approval.Responses.Name(), r.response, r.response.At, r.request, answered(r.response)); err != nil {
			return err
		}
	}
	for _, r := range asked {
		if w.asker != nil {
			w.asker.add(r)
			if !w.o.json { // it is shown in full
				continue
			}
		}
		words := "waits"
		if !r.ExpiresAt.IsZero() {
			words += " until " + clock(r.ExpiresAt)
		}
		if err := w.line(approval.Requests.Name(), r, r.RequestedAt, r, words); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) line(event string, data any, at time.Time, r approval.Request, words string) error {
	if w.o.json {
		return printJSON(w.out, map[string]any{"event": event, "data": data})
	}
	secrets, err := w.o.secrets()
	if err != nil {
		return err
	}
	risk := ""
	if r.Risk.Level != "" {
		risk = " (" + string(r.Risk.Level) + " risk)"
	}
	_, err = fmt.Fprintf(w.out, "%s %s %s: %s%s\n    %s\n", clock(at), short(r.ApprovalID),
		oneLine(cmp.Or(r.Origin.Parent, r.AgentID)), cell(call(r, secrets), 2*callWidth), risk, words)
	return err
}
