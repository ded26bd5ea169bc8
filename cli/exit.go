package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

// The codes that the program ends with, beside 0 for well done; docs/cli.md
// lists them.
const (
	exitError       = 1
	exitUsage       = 2
	exitRefused     = 3 // denied by a person
	exitUnknown     = 4
	exitDecided     = 5 // somebody was faster
	exitLate        = 6 // nobody answered
	exitRule        = 7 // denied by a rule, a halt, or since the arguments don't fit
	exitWithdrawn   = 8
	exitFailed      = 9 // it was cleared, ran and failed
	exitInterrupted = 130
)

const exitHelp = `Exit codes: 0 done, 1 error, 2 wrong usage, 3 denied by a person, 4 no such thing,
5 somebody else decided first, 6 nobody answered in time, 7 denied by a rule,
8 withdrawn, 9 cleared, but it failed, 130 interrupted.`

// answerCode is the exit code for what was decided about a request.
func answerCode(o approval.Outcome) int {
	switch o {
	case approval.OutcomeDenied:
		return exitRefused
	case approval.OutcomeTimedOut, approval.OutcomeNotAsked:
		return exitLate
	case approval.OutcomeDeniedByRule, approval.OutcomeHalted, approval.OutcomeInvalid:
		return exitRule
	case approval.OutcomeCancelled:
		return exitWithdrawn
	case approval.OutcomePending, approval.OutcomeApproved, approval.OutcomeAllowedByRule, approval.OutcomeAllowedByGrant, approval.OutcomeObserved:
	}
	return 0
}

// exit is an error with the code that it ends the program with. One without an
// error ends it without a word: everything has been said.
type exit struct {
	code int
	err  error
}

// Error is what is said.
func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap lets errors.Is and errors.As look inside.
func (e *exit) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &exit{exitUsage, fmt.Errorf(format, args...)} }

// exitCode is the code that an error ends the program with.
func exitCode(err error) int {
	var own *exit
	var p *client.Problem
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return own.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case !errors.As(err, &p):
		return exitError
	case p.Status == http.StatusNotFound:
		return exitUnknown
	case p.Status == http.StatusGone, p.Response != nil && p.Response.Reason == approval.Timeout:
		return exitLate
	case p.Status == http.StatusConflict && p.Response != nil:
		return exitDecided
	default:
		return exitError
	}
}

// execute runs the verb that the command line names. An error that comes before
// a verb is at work is the command line's.
func execute(ctx context.Context, c *cobra.Command) error {
	atWork := false
	mark(c, &atWork)
	named, err := c.ExecuteContextC(ctx)
	if err != nil && !atWork {
		return usage("%s\nUsage: %s\nSee: %s --help", inOurWords(err), named.UseLine(), named.CommandPath())
	}
	return err
}

// inOurWords is an error of the command line's library.
func inOurWords(err error) string {
	if names, ok := strings.CutPrefix(err.Error(), "required flag(s) "); ok {
		names = strings.TrimSuffix(names, " not set")
		return "missing: --" + strings.ReplaceAll(strings.ReplaceAll(names, `", "`, ", --"), `"`, "")
	}
	return err.Error()
}

// wanted has a verb say which arguments it wants.
func wanted(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err == nil {
			return nil
		}
		want := "no arguments"
		if _, names, ok := strings.Cut(c.Use, " "); ok {
			want = names
		}
		return fmt.Errorf("want %s; got %d", want, len(args))
	}
}

func mark(c *cobra.Command, atWork *bool) {
	if c.Args != nil {
		c.Args = wanted(c.Args)
	}
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			*atWork = true
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		mark(sub, atWork)
	}
}

// group is a verb that has others below it; alone it does what the one of them
// does.
func group(use, short string, alone *cobra.Command, others ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: short + "\n\n" + exitHelp,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no %q; see: %s --help", c.CommandPath()+" "+args[0], c.CommandPath())
			}
			return alone.RunE(c, nil)
		},
	}
	c.AddCommand(append(others, alone)...)
	return c
}
