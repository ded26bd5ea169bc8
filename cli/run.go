package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/terminal"
)

func runCommand() *cobra.Command {
	o := &output{}
	var sessionID string
	var timeout time.Duration
	var deny bool
	c := &cobra.Command{
		Use: "run AGENT MESSAGE", Args: cobra.ExactArgs(2),
		Short: "Say something to an agent of a running gateway, and see it through in the terminal.",
		Long: "Say something to an agent of a running gateway, and see it through in the terminal: what it says, what it asks, what\n" +
			"its tools return. Each request is shown in full and waits for your answer, or anybody's elsewhere. Where standard input\n" +
			"is not a terminal, or you have no login that may answer, it waits for others until its deadline; with --deny it is not\n" +
			"run, and recorded as asked of nobody. Ctrl-C interrupts the agent's turn, a second one leaves.\n\n" +
			"It ends with the turn, and with the code of the call that was decided last; with 6 after --timeout, with 8 where the\n" +
			"turn was cancelled, with 130 after Ctrl-C, with 1 where the turn failed.\n\n" + exitHelp,
		Example: "  gateway run demo 'run: uname -a'\n" +
			"  gateway run demo 'and now: ls' --session 9f86d081",
		RunE: func(c *cobra.Command, args []string) error {
			if timeout < 0 {
				return usage("--timeout: want a time such as 5m")
			}
			gateway, waits, err := o.talkClient(c.Context(), deny)
			if err != nil {
				return err
			}
			secrets, err := o.secrets()
			if err != nil {
				return err
			}
			title, _ := secrets.Text(args[1]) // before it is cut: half a secret is not known as one
			s, err := conversation(c.Context(), gateway, args[0], sessionID, cell(oneLine(title), callWidth))
			if err != nil {
				return err
			}
			if n := len(s.PendingApprovals); deny && n > 0 {
				return fmt.Errorf("%d request%s of the session wait%s already, and --deny is for those of this run alone: see them with: gateway sessions show %s",
					n, plural(n), third(n), s.ID)
			}
			r, err := newRunner(o, c, gateway, s, waits == "")
			if err != nil {
				return err
			}
			r.deny = deny
			fmt.Fprintf(r.screen, "Session %s with %s.\n", s.ID, mask.Hidden(cmp.Or(s.Path, s.AgentID)))
			if waits != "" {
				fmt.Fprintln(r.screen, waits)
			}
			return r.run(context.WithoutCancel(c.Context()), args[1], timeout)
		},
	}
	o.flags(c)
	c.Flags().StringVar(&sessionID, "session", "", "go on in this session instead of a new one")
	c.Flags().BoolVar(&deny, "deny", false, "ask nobody: what would be asked is not run")
	c.Flags().DurationVar(&timeout, "timeout", 0, "interrupt the turn after this time, such as 5m")
	c.ValidArgsFunction = complete(o, agentNames)
	completeFlag(c, "session", sessionIDs, o)
	return c
}

// conversation is the session to speak in.
func conversation(ctx context.Context, gateway *client.Client, agentID, sessionID, title string) (session.Session, error) {
	if sessionID == "" {
		s, err := gateway.NewSession(ctx, agentID, title)
		if exitCode(err) == exitUnknown {
			return s, fmt.Errorf("%w; see them with: gateway modes", err)
		}
		return s, err
	}
	s, err := findSession(ctx, gateway, sessionID)
	if err == nil && s.AgentID != agentID {
		err = usage("the session %s is with the agent %s", s.ID, s.AgentID)
	}
	return s, err
}

// runner sees one turn through.
type runner struct {
	o       *output
	results io.Writer // of the JSON
	all     *errgroup.Group
	gateway *client.Client
	session session.Session
	screen  *screen
	talk    *transcriptPrinter
	asker   *prompter
	deny    bool // nobody is asked

	shown map[string]bool // the requests that the person has been shown
	waits map[string]bool // those that have waited since before the message was said
	said  int64           // the message in the journal
	over  session.TurnFinished
	ended bool // the journal has come to the turn's end
	lost  bool
	why   error // why it was interrupted
}

// talkClient returns the client for a conversation, and, if nobody is asked at this terminal, why and for
// whom requests wait.
func (o *output) talkClient(ctx context.Context, deny bool) (gateway *client.Client, waits string, err error) {
	others := "requests wait for an approver or admin, in the dashboard or elsewhere."
	if deny || !terminal.Interactive(os.Stdin) {
		gateway, err = o.client()
		if deny {
			return gateway, "Nobody is asked (--deny): what would be is not run.", err
		}
		return gateway, "Standard input is not a terminal: " + others, err
	}
	gateway, err = o.userClient(ctx)
	if errors.Is(err, errNoLogin) {
		gateway, err = o.client()
		return gateway, "You are not logged in here (gateway login): " + others, err
	}
	if err != nil {
		return nil, "", err
	}
	me, err := gateway.Me(ctx)
	if err == nil && !me.May(auth.Answer) {
		waits = fmt.Sprintf("%s may not answer (%s): %s", oneLine(me.Subject), auth.RoleWords(me.Roles, " and "), others)
	}
	return gateway, waits, err
}

// third is the end of a verb whose subject is n things.
func third(n int) string {
	if n == 1 {
		return "s"
	}
	return ""
}

func newRunner(o *output, c *cobra.Command, gateway *client.Client, s session.Session, asks bool) (*runner, error) {
	secrets, err := o.secrets()
	if err != nil {
		return nil, err
	}
	out := o.notes(c)
	r := &runner{
		o: o, results: c.OutOrStdout(), gateway: gateway, session: s, screen: &screen{out: out},
		shown: map[string]bool{}, waits: map[string]bool{},
	}
	for _, waiting := range s.PendingApprovals {
		r.waits[waiting.ApprovalID] = true
	}
	r.talk = &transcriptPrinter{out: r.screen, agent: s.AgentID, secrets: secrets, own: -1}
	if asks {
		r.asker = newAsker(gateway, terminal.New(os.Stdin, out, terminal.Options{Secrets: secrets}), r.screen)
	}
	return r, nil
}

// askOrShow asks the person at the terminal, or shows that the request waits for others.
func (r *runner) askOrShow(ctx context.Context, q approval.Request) {
	if r.shown[q.ApprovalID] {
		return
	}
	r.shown[q.ApprovalID] = true
	r.talk.request(q)
	if r.asker != nil {
		r.asker.add(q)
		return
	}
	if row, err := r.gateway.Approval(ctx, q.ApprovalID, 0); err != nil || row.Status != approval.Pending {
		return // its answer arrives as an event
	}
	fmt.Fprintln(r.screen)
	if err := terminal.Show(r.screen, q, terminal.ShowOptions{Secrets: r.talk.secrets}); err != nil {
		return
	}
	if !r.deny {
		fmt.Fprintf(r.screen, "Waiting for %s…\n", whoMay(q.Approvers))
		return
	}
	r.all.Go(func() error {
		// What stands comes as an event, also where somebody was faster.
		if _, err := r.gateway.Decline(ctx, q.ApprovalID); err != nil && exitCode(err) == exitError && ctx.Err() == nil {
			return fmt.Errorf("--deny: %w", err)
		}
		return nil
	})
}

// whoMay says who may approve a call.
func whoMay(demands []approval.Approvers) string {
	words := []string{}
	for _, a := range demands {
		if a.Demands() {
			words = append(words, a.Words())
		}
	}
	if len(words) == 0 {
		return "somebody who may answer"
	}
	return oneLine(strings.Join(words, " and "))
}

// heard is an event of the session's stream.
type heard struct {
	event client.Event
	err   error
}

// run says the message and follows the turn to its end.
func (r *runner) run(ctx context.Context, message string, timeout time.Duration) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	var late <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		late = timer.C
	}
	var stop context.CancelFunc
	r.all, ctx = errgroup.WithContext(ctx)
	ctx, stop = context.WithCancel(ctx)
	events := make(chan heard)
	r.follow(ctx, events)
	r.all.Go(func() error { return r.asker.run(ctx) })
	r.all.Go(func() error {
		defer stop()
		return r.loop(ctx, message, late, events, signals)
	})
	return r.all.Wait()
}

// follow hands on what happens in the session and what is asked below it.
func (r *runner) follow(ctx context.Context, events chan<- heard) {
	r.all.Go(func() error {
		for e, err := range r.gateway.Events(ctx, r.session.ID, r.session.Seq) {
			select {
			case events <- heard{e, err}:
			case <-ctx.Done():
			}
		}
		return nil
	})
}

// loop takes one thing after the other until the turn is over.
func (r *runner) loop(ctx context.Context, message string, late <-chan time.Time, events <-chan heard, signals <-chan os.Signal) error {
	if len(r.waits) > 0 {
		fmt.Fprintf(r.screen, "%d earlier request%s to be answered before your message is sent.\n", len(r.waits), plural(len(r.waits)))
	}
	for !r.ended {
		if err := r.say(ctx, message); err != nil {
			return err
		}
		select {
		case h := <-events:
			if err := r.hear(ctx, h); err != nil && ctx.Err() == nil {
				return err
			}
		case s := <-signals:
			if r.why != nil || r.said == 0 || s == syscall.SIGTERM {
				r.screen.urgent("\nLeft. The session is %s; what waits in it stays for others to answer.\n", r.session.ID)
				if r.said == 0 {
					r.screen.urgent("Your message was not said.\n")
				}
				return &exit{code: exitInterrupted}
			}
			r.screen.urgent("\nInterrupting; Ctrl-C again leaves.\n")
			r.interrupt(ctx, terminal.Interactive(os.Stdin), &exit{code: exitInterrupted})
		case <-late:
			r.screen.urgent("\nThe time is up: interrupting.\n")
			r.interrupt(ctx, false, &exit{exitLate, errors.New("the turn was not over in time")})
		case <-ctx.Done():
			return nil // who ended it says why
		}
	}
	return r.end()
}

// say says the message once nothing waits that was asked before it.
func (r *runner) say(ctx context.Context, message string) (err error) {
	if r.said > 0 || len(r.waits) > 0 {
		return nil
	}
	r.said, err = r.gateway.Say(ctx, r.session.ID, message)
	r.talk.own = r.said
	return err
}

// interrupt has the turn stopped, by a person or not; that it has been comes as an event.
func (r *runner) interrupt(ctx context.Context, byPerson bool, why error) {
	r.why = cmp.Or(r.why, why)
	stop := r.gateway.Stop
	if byPerson {
		stop = r.gateway.Interrupt
	}
	r.all.Go(func() error {
		if err := stop(ctx, r.session.ID); err != nil && ctx.Err() == nil {
			return fmt.Errorf("interrupt: %w", err)
		}
		return nil
	})
}
