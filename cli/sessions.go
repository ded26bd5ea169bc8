package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/session"
)

func sessionsCommand() *cobra.Command {
	o := &output{}
	c := group("sessions", "Look at the conversations of a running gateway's agents; alone, list them.",
		listSessionsCommand(o), showSessionCommand(o), messagesCommand(o), cancelSessionCommand(o))
	o.flags(c)
	return c
}

// sessionHelp says how a session is named.
const sessionHelp = "\n\nID is a session's id, at least 8 characters of its beginning, or its last 8, as the list shows them."

func findSession(ctx context.Context, gateway *client.Client, text string) (session.Session, error) {
	if fullID(text) {
		return gateway.Session(ctx, text)
	}
	return the("session", text, gateway.Sessions(ctx), func(s session.Session) string { return s.ID })
}

func listSessionsCommand(o *output) *cobra.Command {
	var agentID, after string
	limit := 20
	c := &cobra.Command{
		Use: "ls", Args: cobra.NoArgs, Aliases: []string{"list"},
		Short: "List sessions, the newest first.",
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usage("--limit: want 1 or more")
			}
			gateway, err := o.client()
			if err != nil {
				return err
			}
			var found page[session.Session]
			for s, err := range limited(ofAgent(gateway.SessionsBefore(c.Context(), after), agentID), limit+1) {
				if err != nil {
					return err
				}
				found.Items = append(found.Items, s)
			}
			if len(found.Items) > limit {
				found.Items = found.Items[:limit]
				found.Next = found.Items[limit-1].ID
			}
			return o.print(c, found, func(w io.Writer) error { return sessionTable(w, found.Items) })
		},
	}
	c.Flags().StringVar(&agentID, "agent", "", "only those with this agent")
	c.Flags().IntVar(&limit, "limit", limit, "how many at most")
	c.Flags().StringVar(&after, "after", "", "go on after this session: next of the list before")
	completeFlag(c, "agent", agentNames, o)
	return c
}

func ofAgent(list iter.Seq2[session.Session, error], agentID string) iter.Seq2[session.Session, error] {
	return func(yield func(session.Session, error) bool) {
		for s, err := range list {
			if (err != nil || agentID == "" || s.AgentID == agentID) && !yield(s, err) {
				return
			}
		}
	}
}

func sessionTable(w io.Writer, list []session.Session) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "There are no sessions.")
		return err
	}
	t := table(w, "ID", "AGENT", "STATUS", "BEGAN", "TITLE")
	for _, s := range list {
		addRow(t, short(s.ID), cmp.Or(s.Path, s.AgentID), statusOf(s), span(time.Since(s.CreatedAt))+" ago", cell(oneLine(s.Title), callWidth))
	}
	return t.Flush()
}

// statusOf is a session's status in words.
func statusOf(s session.Session) string {
	words := strings.ReplaceAll(string(s.Status), "_", " ")
	if s.Calls.Denied > 0 && s.Status == session.StatusCompleted {
		words += fmt.Sprintf(", %d denied", s.Calls.Denied)
	}
	if s.Calls.Unanswered > 0 && s.Status == session.StatusCompleted {
		words += fmt.Sprintf(", %d timed out", s.Calls.Unanswered)
	}
	if n := len(s.PendingApprovals); n > 0 {
		words = fmt.Sprintf("waits for %d answer%s", n, plural(n))
	}
	return words
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// sessionVerb is a verb about one session.
func sessionVerb(o *output, use, short string, run func(c *cobra.Command, gateway *client.Client, s session.Session) error) *cobra.Command {
	c := &cobra.Command{
		Use: use, Args: cobra.ExactArgs(1), Short: short, Long: short + sessionHelp + "\n\n" + exitHelp,
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			s, err := findSession(c.Context(), gateway, args[0])
			if err != nil {
				return err
			}
			return run(c, gateway, s)
		},
	}
	c.ValidArgsFunction = complete(o, sessionIDs)
	return c
}

func showSessionCommand(o *output) *cobra.Command {
	return sessionVerb(o, "show ID", "Show a session, and what waits in it.",
		func(c *cobra.Command, _ *client.Client, s session.Session) error {
			return o.print(c, s, func(w io.Writer) error { return showSession(w, s) })
		})
}

func showSession(w io.Writer, s session.Session) error {
	t := table(w)
	field := func(name, text string) {
		if text != "" {
			addRow(t, name, text)
		}
	}
	field("session", s.ID)
	field("agent", cmp.Or(s.Path, s.AgentID))
	field("title", s.Title)
	field("status", statusOf(s))
	field("began", local(s.CreatedAt)+by(s.CreatedBy))
	field("asked from", s.ParentID)
	field("events", fmt.Sprint(s.Seq))
	field("used", used(s.Usage))
	for _, p := range s.PendingApprovals {
		field("waits", short(p.ApprovalID)+" "+p.ToolName+" "+string(p.ToolCall.Args))
	}
	return t.Flush()
}

// used says what the session's replies have cost; empty where that is
// nothing.
func used(u session.Usage) string {
	if u.Input+u.Output == 0 {
		return ""
	}
	text := fmt.Sprintf("%d tokens read (%d of them cached), %d written", u.Input, u.Cached, u.Output)
	if u.Cost > 0 {
		text += ", cost " + strconv.FormatFloat(u.Cost, 'f', 4, 64)
	}
	return text
}

func by(subject string) string {
	if subject == "" {
		return ""
	}
	return " by " + subject
}

func messagesCommand(o *output) *cobra.Command {
	return sessionVerb(o, "messages ID", "Print what was said in a session, with its calls and their results in full.",
		func(c *cobra.Command, gateway *client.Client, s session.Session) error {
			secrets, err := o.secrets()
			if err != nil {
				return err
			}
			events := []session.Event{}
			for e, err := range gateway.Journal(c.Context(), s.ID, 0) {
				if err != nil {
					return err
				}
				events = append(events, e)
			}
			t := &transcriptPrinter{agent: cmp.Or(s.Path, s.AgentID), secrets: secrets, whole: true}
			return o.print(c, pageOf(events), func(w io.Writer) error {
				t.out = w
				for _, e := range events {
					if err := t.event(e); err != nil {
						return err
					}
				}
				if len(events) <= 1 {
					fmt.Fprintln(w, "Nothing was said yet.")
				}
				return nil
			})
		})
}

func cancelSessionCommand(o *output) *cobra.Command {
	return sessionVerb(o, "cancel ID", "End a session for good: its turn is stopped, and what it asks is withdrawn.",
		func(c *cobra.Command, gateway *client.Client, s session.Session) error {
			s, err := gateway.CancelSession(c.Context(), s.ID)
			if err != nil {
				return o.refused(c, err)
			}
			return o.print(c, s, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "The session %s has ended (%s). It takes nothing more.\n", s.ID, statusOf(s))
				return err
			})
		})
}
