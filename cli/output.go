package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// output is what the verbs that talk to a running gateway have in common.
type output struct {
	remote
	printer
	unmasked bool
}

func (o *output) flags(c *cobra.Command) {
	o.remote.flags(c)
	o.printer.flag(c, masked)
}

// unmaskedFlag is for verbs that show a request.
func (o *output) unmaskedFlag(c *cobra.Command) {
	c.Flags().BoolVar(&o.unmasked, "unmasked", false, "show the passwords and keys of the request, which are masked otherwise, also in JSON; who has looked is written down")
}

// secrets is what is masked in a text for a person; nil: nothing.
func (o *output) secrets() (*mask.Secrets, error) {
	if o.unmasked {
		return nil, nil
	}
	return mask.NewSecrets(mask.SecretOptions{})
}

// refused adds to an error the answer that stands, for a person in words, for a
// program as the problem document.
func (o *output) refused(c *cobra.Command, err error) error {
	var p *client.Problem
	if !errors.As(err, &p) {
		return err
	}
	if o.json {
		return errors.Join(err, printJSON(c.OutOrStdout(), p, jsontext.WithIndent("  ")))
	}
	if p.Response != nil && p.Response.Reason != approval.Timeout {
		return &exit{exitCode(err), fmt.Errorf("not taken: it was %s already", answered(*p.Response))}
	}
	return err
}

// answered says what an answer was, by whom and why.
func answered(r approval.Response) string {
	words := ""
	who := oneLine(r.By.Subject)
	switch {
	case r.ByGrant():
		words = "approved, by what " + who + " allowed before"
	case r.Status == approval.Approved && r.By.Via == "policy":
		words = "approved by the rules"
	case r.Status == approval.Approved:
		words = "approved by " + who + howFar(r)
	case r.Reason == approval.UserDenied:
		words = "denied by " + who
	case r.Reason == approval.PolicyDenied:
		words = "denied by the rules"
	case r.Reason == approval.Timeout:
		words = "timed out: nobody answered"
	case r.Reason == approval.UserCancelled:
		words = "withdrawn by " + who
	case r.Reason == approval.Superseded:
		words = "withdrawn, since the call was asked again"
	case r.Reason == approval.ValidationFailed:
		words = "denied, since its arguments don't fit the tool"
	case r.Reason == approval.NoHandler:
		words = "not run: nobody could be asked"
	case r.Reason == approval.TooManyPending:
		words = "not run: too many requests of the agent waited already"
	case r.Reason == approval.HandlerFailed:
		words = "not run: asking failed"
	case r.Reason == approval.Halted:
		words = "not run: halted by " + who
	case r.Reason == approval.AskerGone:
		words = "withdrawn, since nobody waits for the answer any more"
	case r.Status == approval.Cancelled:
		words = "withdrawn by the gateway"
	default:
		words = "denied by " + who
	}
	if r.Message != "" {
		words += ": " + oneLine(r.Message)
	}
	return words
}

func howFar(r approval.Response) string {
	words := ""
	if len(r.Edit) > 0 && !r.Reprinted() {
		words = ", with other arguments"
	}
	if r.Scope == approval.Session || r.Scope == approval.Always {
		words += ", for the session"
	}
	return words
}

// call says in one line what a request would do.
func call(r approval.Request, secrets *mask.Secrets) string {
	args, _ := secrets.JSON(r.Args)
	words := string(args)
	var members map[string]tool.JSON
	if json.Unmarshal(args, &members) == nil && len(members) == 1 {
		for _, v := range members { // its name adds nothing
			var text string
			if json.Unmarshal(v, &text) == nil {
				words = text
			}
		}
	}
	if r.Type == approval.Elicitation {
		words, _ = secrets.Text(r.Message)
	}
	return oneLine(r.ToolName + " " + words)
}

// oneLine is a text that stays on its line.
func oneLine(text string) string { return strings.Join(strings.Fields(mask.Hidden(text)), " ") }

// cell is a text short enough for a table.
func cell(text string, width int) string {
	if r := []rune(text); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return text
}

// span is a time in its largest unit or two.
func span(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}

// local is a time as people have it, with its zone.
func local(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05 MST") }

// clock is local without the day.
func clock(at time.Time) string { return at.Local().Format("15:04:05 MST") }

// shortest is how much of an id has to be given.
const shortest = 8

// short is the part of an id that tells it apart; the beginning is its time.
func short(id string) string { return id[max(len(id)-shortest, 0):] }

// fullID reports whether a text has the length of an id.
func fullID(text string) bool { return len(text) >= len("00000000-0000-0000-0000-000000000000") }

// the is the one of a list whose id begins with, or ends in, the text.
func the[T any](what, text string, list iter.Seq2[T, error], id func(T) string) (found T, err error) {
	if len(text) < shortest {
		return found, usage("%q is too short: give at least %d characters of the %s's id, from its beginning, or its last %d",
			text, shortest, what, shortest)
	}
	matches := map[string]T{}
	for item, err := range list {
		if err != nil {
			return found, err
		}
		if i := id(item); strings.HasPrefix(i, text) || short(i) == text {
			matches[i] = item
			found = item
		}
	}
	switch len(matches) {
	case 0:
		return found, &exit{exitUnknown, fmt.Errorf("there is no %s %s", what, text)}
	case 1:
		return found, nil
	}
	ids := make([]string, 0, len(matches))
	for i := range matches {
		ids = append(ids, i)
	}
	slices.Sort(ids)
	return found, usage("%s matches several: give more of the id:\n  %s", text, strings.Join(ids, "\n  "))
}

// limited is a list's beginning.
func limited[T any](list iter.Seq2[T, error], limit int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := limit
		for item, err := range list {
			if left--; !yield(item, err) || left <= 0 {
				return
			}
		}
	}
}

// recent bounds how far back an id that is not given in full is looked for.
const recent = 1000

// find is the approval that a person means.
func find(ctx context.Context, gateway *client.Client, text string) (client.Approval, error) {
	if fullID(text) {
		return gateway.Approval(ctx, text, 0)
	}
	both := func(yield func(client.Approval, error) bool) {
		for _, list := range []iter.Seq2[client.Approval, error]{
			gateway.Approvals(ctx, client.Filter{Status: approval.Pending}),
			limited(gateway.Approvals(ctx, client.Filter{}), recent),
		} {
			for a, err := range list {
				if !yield(a, err) {
					return
				}
			}
		}
	}
	return the("request", text, both, func(a client.Approval) string { return a.ApprovalID })
}
