package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// approving is what the command line says about an approval.
type approving struct {
	scope, covers    string
	lasting          time.Duration
	uses             int
	edit, form, seen string
}

func approveCommand(o *output) *cobra.Command {
	var a approving
	c := &cobra.Command{
		Use: "approve ID", Args: cobra.ExactArgs(1),
		Short: "Show a request and approve what was shown.",
		Long: "Show a request and approve what was shown. With --digest nothing is shown: the request is approved only if its\n" +
			"argsDigest is that one, so that a script approves what it has looked at." + idHelp + "\n\n" + exitHelp,
		Example: "  gateway approvals approve 9f86d081\n" +
			"  gateway approvals approve 9f86d081 --covers command --for 1h\n" +
			`  gateway approvals approve 9f86d081 --edit '{"command": "ls -l"}'`,
		RunE: func(c *cobra.Command, args []string) error {
			answer, err := a.answer()
			if err != nil {
				return err
			}
			return o.answer(c, args[0], a.seen, answer, func(w io.Writer, row client.Approval) error {
				_, err := fmt.Fprintln(w, approved(row))
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVar(&a.scope, "scope", "", "once (the default) or session: don't ask again in this session")
	f.StringVar(&a.covers, "covers", "", "for the session: exact, command, path or tool, as the request offers")
	f.DurationVar(&a.lasting, "for", 0, "for the session, but only so long, such as 1h")
	f.IntVar(&a.uses, "uses", 0, "for the session, but only for so many further calls")
	f.StringVar(&a.edit, "edit", "", "change the arguments first: a JSON merge patch (RFC 7396)")
	f.StringVar(&a.form, "form", "", "the answer to a question: its fields as JSON")
	f.StringVar(&a.seen, "digest", "", "the argsDigest of what was looked at, such as sha256:…")
	o.unmaskedFlag(c)
	completeWords(c, "scope", "once", "session")
	completeWords(c, "covers", "exact", "command", "path", "tool")
	c.ValidArgsFunction = complete(o, requestIDs)
	return c
}

// answer reads the flags. What is said about the session means the session.
func (a approving) answer() (approval.Answer, error) {
	answer := approval.Answer{Status: approval.Approved}
	remembers := a.covers != "" || a.lasting != 0 || a.uses != 0
	switch {
	case a.lasting < 0 || a.lasting%time.Second != 0:
		return answer, usage("--for: want whole seconds, such as 90s or 1h")
	case a.uses < 0:
		return answer, usage("--uses: want 1 or more")
	case remembers && a.scope == "once":
		return answer, usage("--covers, --for and --uses say what is remembered for the session; with --scope once nothing is")
	case remembers:
		a.scope = cmp.Or(a.scope, "session")
	}
	if a.scope != "" {
		var err error
		if _, answer.Scope, err = (approval.OtherWords{}).Read(answer.Status, a.scope); err != nil {
			return answer, usage("--scope: use once or session, not %q", a.scope)
		}
	}
	if a.covers != "" {
		if err := answer.Grant.Covers.UnmarshalText([]byte(a.covers)); err != nil {
			return answer, usage("--covers: use exact, command, path or tool, not %q", a.covers)
		}
	}
	answer.Grant.Seconds, answer.Grant.Uses = int64(a.lasting/time.Second), a.uses
	var err error
	if answer.Edit, err = object("--edit", a.edit); err == nil {
		answer.FormData, err = object("--form", a.form)
	}
	return answer, err
}

func object(flag, text string) (tool.JSON, error) {
	if text == "" {
		return nil, nil
	}
	v, err := strictjson.Object([]byte(text))
	switch {
	case err != nil:
		return nil, usage("%s: want a JSON object: %v", flag, err)
	case mask.Contains(text):
		return nil, usage("%s: %s stands for a secret that you were not shown; leave it out, and the secret stays", flag, mask.Mark)
	}
	return v, nil
}

func approved(a client.Approval) string {
	r := a.Response
	words := "Approved: " + mask.Hidden(a.AgentID) + " may do this once."
	switch {
	case a.Type == approval.Elicitation:
		words = "Answered."
	case r.GrantID != "":
		words = "Approved, and not asked again in this session: " + covered(a) + limits(r.Grant) + "."
	}
	return words
}

// covered is what an approval for the session remembers.
func covered(a client.Approval) string {
	for _, c := range a.Covers {
		if c.Kind == cmp.Or(a.Response.Grant.Covers, approval.CoverExact) {
			return oneLine(c.Text)
		}
	}
	return oneLine(approval.Exactly().Text)
}

func limits(t approval.GrantTerms) string {
	words := ""
	if t.Seconds > 0 {
		words += ", for " + span(time.Duration(t.Seconds)*time.Second)
	}
	if t.Uses > 0 {
		words += fmt.Sprintf(", %d more times", t.Uses)
	}
	return words
}

func denyCommand(o *output) *cobra.Command {
	var message, seen string
	c := &cobra.Command{
		Use: "deny ID", Args: cobra.ExactArgs(1),
		Short:   "Show a request and deny it.",
		Long:    "Show a request and deny it. The agent reads the message." + idHelp + "\n\n" + exitHelp,
		Example: `  gateway approvals deny 9f86d081 -m "use the staging database"`,
		RunE: func(c *cobra.Command, args []string) error {
			answer := approval.Answer{Status: approval.Denied, Message: message}
			return o.answer(c, args[0], seen, answer, func(w io.Writer, a client.Approval) error {
				words := "Denied."
				if a.Response.Message != "" {
					words = "Denied; the agent is told: " + oneLine(a.Response.Message)
				}
				_, err := fmt.Fprintln(w, words)
				return err
			})
		},
	}
	c.Flags().StringVarP(&message, "message", "m", "", "why, for the agent to read")
	c.Flags().StringVar(&seen, "digest", "", "the argsDigest of what was looked at; nothing is shown then")
	o.unmaskedFlag(c)
	c.ValidArgsFunction = complete(o, requestIDs)
	return c
}

// answer shows a request, unless its digest was given, and answers what was
// shown.
func (o *output) answer(c *cobra.Command, text, seen string, answer approval.Answer, done func(io.Writer, client.Approval) error) error {
	gateway, err := o.userClient(c.Context())
	if err != nil {
		return err
	}
	a, err := find(c.Context(), gateway, text)
	if err == nil {
		err = o.reveal(c.Context(), gateway, &a)
	}
	if err != nil {
		return err
	}
	answer.ApprovalID, answer.ArgsDigest = a.ApprovalID, cmp.Or(seen, a.ArgsDigest)
	if seen == "" {
		out := o.notes(c)
		if err := errors.Join(o.show(out, a), o.changed(out, a.Args, answer.Edit)); err != nil {
			return err
		}
	}
	a, err = gateway.Answer(c.Context(), answer)
	if err != nil {
		return o.refused(c, err)
	}
	return o.print(c, a, func(w io.Writer) error { return done(w, a) })
}

func withdrawCommand(o *output) *cobra.Command {
	var w approval.Which
	const short = "Withdraw a request, or all of a session or an agent. Approved calls that have not started will not run."
	c := &cobra.Command{
		Use: "cancel [ID]", Args: cobra.MaximumNArgs(1),
		Short: short,
		Long:  short + " The agents' turns go on." + idHelp + "\n\n" + exitHelp,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 == (w != approval.Which{}) {
				return usage("name a request, or use one of --session, --agent and --all")
			}
			gateway, err := o.userClient(c.Context())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return o.withdrawAll(c, gateway, w)
			}
			a, err := find(c.Context(), gateway, args[0])
			if err != nil {
				return err
			}
			if a, err = gateway.Cancel(c.Context(), a.ApprovalID); err != nil {
				return o.refused(c, err)
			}
			return o.print(c, a, func(w io.Writer) error {
				words := "Withdrawn."
				if a.Voided != nil {
					words = "Withdrawn: it was approved, and will not run."
				}
				_, err := fmt.Fprintln(w, words)
				return err
			})
		},
	}
	c.Flags().StringVar(&w.SessionID, "session", "", "all of the session with this id, in full, and of the ones below it")
	c.Flags().StringVar(&w.AgentID, "agent", "", "all of this agent")
	c.Flags().BoolVar(&w.All, "all", false, "all that you may answer")
	c.ValidArgsFunction = complete(o, requestIDs)
	completeFlag(c, "agent", agentNames, o)
	completeFlag(c, "session", sessionIDs, o)
	return c
}

func (o *output) withdrawAll(c *cobra.Command, gateway *client.Client, which approval.Which) error {
	rows, err := gateway.CancelWaiting(c.Context(), which)
	if err != nil {
		return err
	}
	return o.print(c, pageOf(rows), func(w io.Writer) error {
		if len(rows) == 0 {
			_, err := fmt.Fprintln(w, "Nothing waits there.")
			return err
		}
		_, err := fmt.Fprintf(w, "%d request%s withdrawn.\n", len(rows), plural(len(rows)))
		return err
	})
}
