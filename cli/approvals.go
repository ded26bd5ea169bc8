package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/terminal"
	"github.com/lineclear/lineclear/tool"
)

// callWidth is how much of a call a table shows.
const callWidth = 60

func approvalsCommand() *cobra.Command {
	o := &output{}
	c := group("approvals", "Look at and answer the requests of a running gateway; alone, list those that wait.",
		listCommand(o), exportCommand(o), showCommand(o), approveCommand(o), denyCommand(o), withdrawCommand(o), watchCommand(o))
	o.flags(c)
	return c
}

// idHelp says how a request is named.
const idHelp = "\n\nID is a request's id, at least 8 characters of its beginning, or its last 8, as the list shows them."

func listCommand(o *output) *cobra.Command {
	f := &filters{}
	limit, after := 50, ""
	c := &cobra.Command{
		Use: "ls", Args: cobra.NoArgs, Aliases: []string{"list"},
		Short: "List requests: those that wait, in the order in which they were asked, or those of the past, the newest first.",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.read(); err != nil {
				return err
			}
			if limit < 1 {
				return usage("--limit: want 1 or more")
			}
			gateway, err := o.client()
			if err != nil {
				return err
			}
			list, more, err := requests(c.Context(), gateway, f.Filter, after, limit)
			if err != nil {
				return err
			}
			found := pageOf(list)
			if more > 0 {
				found.Next = list[len(list)-1].ApprovalID
			}
			return o.print(c, found, func(w io.Writer) error {
				return o.table(w, f.Filter, list, more)
			})
		},
	}
	f.flags(c, o)
	c.Flags().StringVar(&f.status, "status", "", "pending, approved, denied, cancelled or all; when left out, what waits, or all where the past is looked for")
	c.Flags().IntVar(&limit, "limit", limit, "how many at most")
	c.Flags().StringVar(&after, "after", "", "go on after this request: next of the list before")
	completeWords(c, "status", "pending", "approved", "denied", "cancelled", "all")
	return c
}

// requests lists the first of what is wanted that comes after a request, and says how many
// more there are of those that wait; of others only whether there are.
func requests(ctx context.Context, gateway *client.Client, f client.Filter, after string, limit int) (list []client.Approval, more int, err error) {
	var last client.Approval
	list = []client.Approval{}
	all := gateway.Approvals(ctx, f)
	if f.Status != approval.Pending {
		f.Before = after
		all = limited(gateway.Approvals(ctx, f), limit+1)
	} else if after != "" {
		if last, err = gateway.Approval(ctx, after, 0); err != nil {
			return nil, 0, err
		}
	}
	for a, err := range all {
		if err != nil {
			return nil, 0, err
		}
		list = append(list, a)
	}
	if f.Status == approval.Pending {
		slices.SortStableFunc(list, inOrder)
		list = slices.DeleteFunc(list, func(a client.Approval) bool { return inOrder(a, last) <= 0 })
	}
	if len(list) > limit {
		more = len(list) - limit
		list = list[:limit]
	}
	return list, more, nil
}

// inOrder compares requests by when they were asked.
func inOrder(a, b client.Approval) int {
	return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), cmp.Compare(a.ApprovalID, b.ApprovalID))
}

func (o *output) table(w io.Writer, f client.Filter, list []client.Approval, more int) error {
	secrets, err := o.secrets()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		what := "Nothing waits for an answer"
		if f.Status != approval.Pending {
			what = "There are no such requests"
		}
		if f != (client.Filter{Status: f.Status}) {
			what += " there"
		}
		_, err := fmt.Fprintln(w, what+".")
		return err
	}
	now := time.Now()
	t := table(w, "ID", riskColumn, "AGENT", "CALL", "WAITS", "TIME LEFT")
	if f.Status != approval.Pending {
		t = table(w, "ID", riskColumn, "AGENT", "CALL", "ASKED", "ANSWER")
	}
	for _, a := range list {
		last := left(a.Request, now)
		if f.Status != approval.Pending {
			last = cell(outcome(a), callWidth)
		}
		addRow(t, short(a.ApprovalID), cmp.Or(string(a.Risk.Level), "-"), cmp.Or(a.Origin.Parent, a.AgentID),
			cell(call(a.Request, secrets), callWidth), ago(f, now.Sub(a.RequestedAt)), last)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	switch {
	case more > 0 && f.Status == approval.Pending:
		_, err = fmt.Fprintf(w, "%d more wait; see them with --limit %d.\n", more, len(list)+more)
	case more > 0:
		_, err = fmt.Fprintf(w, "There are older ones; see more with --limit %d.\n", 2*len(list))
	}
	return err
}

func ago(f client.Filter, d time.Duration) string {
	if f.Status == approval.Pending {
		return span(d)
	}
	return span(d) + " ago"
}

// left says how long a request still waits.
func left(r approval.Request, now time.Time) string {
	switch {
	case r.ExpiresAt.IsZero():
		return "no limit"
	case r.Expired(now):
		return "over"
	default:
		return span(r.ExpiresAt.Sub(now))
	}
}

// outcome says what has become of a request.
func outcome(a client.Approval) string {
	words := "waits for an answer"
	if a.Response != nil {
		words = answered(*a.Response)
	}
	switch {
	case a.Voided != nil:
		words += "; " + answered(*a.Voided) + " before it ran"
	case a.Status != approval.Approved || a.Type == approval.Elicitation:
	case a.Run == approval.RunClaimed:
		words += "; has started"
	case a.Run == approval.RunFinished:
		words += "; has run"
	case a.Run == approval.RunVoid:
		words += "; will not run"
	}
	return words
}

func showCommand(o *output) *cobra.Command {
	var wait bool
	c := &cobra.Command{
		Use: "show ID", Args: cobra.ExactArgs(1),
		Short: "Show a request in full, with what has become of it.",
		Long:  "Show a request in full, with what has become of it." + idHelp + "\n\n" + exitHelp,
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			a, err := find(c.Context(), gateway, args[0])
			if err == nil && wait {
				a, err = gateway.Outcome(c.Context(), a.ApprovalID)
			}
			if err == nil {
				err = o.reveal(c.Context(), gateway, &a)
			}
			if err != nil {
				return err
			}
			if err := o.print(c, a, func(w io.Writer) error { return o.show(w, a) }); err != nil {
				return err
			}
			if code := answerCode(a.Outcome); wait && code != 0 {
				return &exit{code: code}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&wait, "wait", false, "wait for the answer, and exit with its code")
	o.unmaskedFlag(c)
	c.ValidArgsFunction = complete(o, requestIDs)
	return c
}

// reveal has a request show its secrets, where that is wanted and it has any.
func (o *output) reveal(ctx context.Context, gateway *client.Client, a *client.Approval) error {
	if !o.unmasked || !a.HasSecrets {
		return nil
	}
	r, err := gateway.Reveal(ctx, a.ApprovalID)
	if err == nil {
		a.Request = r
	}
	return err
}

// show writes a request in full, and first that it is open no more.
func (o *output) show(w io.Writer, a client.Approval) error {
	secrets, err := o.secrets()
	if err == nil && a.Status != approval.Pending {
		_, err = fmt.Fprintf(w, "This was %s:\n\n", outcome(a))
	}
	if err != nil {
		return err
	}
	over := a.Status != approval.Pending
	if err := terminal.Show(w, a.Request, terminal.ShowOptions{Secrets: secrets, Width: terminal.WidthOf(w), Over: over}); err != nil {
		return err
	}
	if a.Response != nil && a.Response.Reprinted() {
		shown, _ := secrets.JSON(a.Response.Edit)
		if _, err := fmt.Fprintf(w, "\nNobody was asked, so what was read of it ran:\n  %s\n", shown); err != nil {
			return err
		}
	}
	return showRan(w, a.Ran)
}

// showRan prints the result of a call.
func showRan(w io.Writer, r *approval.Ran) error {
	if r == nil || r.FinishedAt.IsZero() {
		return nil
	}
	words := "\nIt ran"
	if !r.StartedAt.IsZero() {
		words += " for " + r.FinishedAt.Sub(r.StartedAt).Round(100*time.Millisecond).String()
	}
	switch {
	case r.ExitCode != nil:
		words += fmt.Sprintf(" and ended with exit code %d", *r.ExitCode)
	case r.IsError:
		words += " and failed"
	}
	_, err := fmt.Fprintf(w, "%s:\n  %s\n", words, strings.ReplaceAll(strings.TrimSpace(r.Text), "\n", "\n  "))
	if err == nil && r.Omitted > 0 {
		_, err = fmt.Fprintf(w, "  … %d more bytes\n", r.Omitted)
	}
	return err
}

// changed shows the arguments that run where somebody changed them.
func (o *output) changed(w io.Writer, args, edit tool.JSON) error {
	secrets, err := o.secrets()
	if err != nil || len(edit) == 0 {
		return err
	}
	made, err := approval.MergePatch(args, edit)
	if err != nil {
		return usage("--edit: %v", err)
	}
	shown, _ := secrets.JSON(made)
	_, err = fmt.Fprintf(w, "It runs with these arguments instead:\n  %s\n", shown)
	return err
}
