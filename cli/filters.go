package cli

import (
	"encoding"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
)

// filters are the flags that select requests.
type filters struct {
	client.Filter
	status, outcome, risk, since, until string
}

func (f *filters) flags(c *cobra.Command, o *output) {
	c.Flags().StringVar(&f.Words, "search", "", "only those with all of these words, also as parts of words, in the call, who answered or what was said")
	c.Flags().StringVar(&f.outcome, "outcome", "", "only those that ended so, such as timed_out or denied")
	c.Flags().StringVar(&f.SessionID, "session", "", "only those of the session with this id, in full")
	c.Flags().StringVar(&f.AgentID, "agent", "", "only those of this agent")
	c.Flags().StringVar(&f.ToolName, "tool", "", "only those of this tool")
	c.Flags().StringVar(&f.risk, "risk", "", "only those of this risk: low, medium, high or critical")
	c.Flags().StringVar(&f.AnsweredBy, "by", "", "only those that this person answered")
	c.Flags().StringVar(&f.since, "since", "", "only those asked from a time on: 2026-01-31, 2026-01-31T08:00:00Z, or how long ago, such as 24h")
	c.Flags().StringVar(&f.until, "until", "", "only those asked before a time")
	var outcomes []string
	for _, outcome := range approval.Outcomes {
		outcomes = append(outcomes, string(outcome))
	}
	completeWords(c, "outcome", outcomes...)
	completeWords(c, "risk", "low", "medium", "high", "critical")
	completeFlag(c, "agent", agentNames, o)
	completeFlag(c, "session", sessionIDs, o)
	completeFlag(c, "tool", toolNamesOfAll, o)
}

// read fills the filter from the flags. Without --status it selects pending requests, or all of them if
// another flag asks about the past.
func (f *filters) read() (err error) {
	for _, word := range []struct {
		flag, text string
		into       encoding.TextUnmarshaler
	}{{"outcome", f.outcome, &f.Outcome}, {"risk", f.risk, &f.Risk}} {
		if word.text == "" {
			continue
		}
		if err := word.into.UnmarshalText([]byte(word.text)); err != nil {
			return usage("--%s: %v", word.flag, err)
		}
	}
	now := time.Now()
	if f.Since, err = timeFlag("since", f.since, now); err != nil {
		return err
	}
	if f.Until, err = timeFlag("until", f.until, now); err != nil {
		return err
	}
	past := f.Words != "" || f.outcome != "" || f.AnsweredBy != "" || f.since != "" || f.until != ""
	switch {
	case f.status == "all", f.status == "" && past:
	case f.status == "":
		f.Status = approval.Pending
	case f.Status.UnmarshalText([]byte(f.status)) != nil:
		return usage("--status: use pending, approved, denied, cancelled or all, not %q", f.status)
	}
	if f.Outcome == approval.OutcomePending {
		f.Outcome, f.Status = "", approval.Pending
	}
	return nil
}

func exportCommand(o *output) *cobra.Command {
	f := &filters{status: "all"}
	var format, file string
	c := &cobra.Command{
		Use: "export", Args: cobra.NoArgs,
		Short: "Write requests, those that wait and those of the past, as a table or as lines of JSON, the newest first.",
		RunE: func(c *cobra.Command, _ []string) error {
			format, err := exportFormat(c, format, o.json)
			if err != nil {
				return err
			}
			if err := f.read(); err != nil {
				return err
			}
			gateway, err := o.client()
			if err != nil {
				return err
			}
			return toFile(file, c.OutOrStdout(), func(w io.Writer) error {
				if format == "jsonl" { // the gateway has cleaned the cells of a table
					w = mask.NewJSONWriter(w)
				}
				return gateway.Export(c.Context(), f.Filter, format, w)
			})
		},
	}
	f.flags(c, o)
	c.Flags().StringVar(&format, "format", "csv", "csv or jsonl, which is also what --json means")
	c.Flags().StringVar(&file, "out", "", "a new file, instead of standard output")
	completeWords(c, "format", "csv", "jsonl")
	return c
}

// exportFormat is the format of an export.
func exportFormat(c *cobra.Command, format string, asJSON bool) (string, error) {
	switch {
	case format != "jsonl" && format != "csv":
		return "", usage("there is no format %q: use csv or jsonl", format)
	case asJSON && c.Flags().Changed("format") && format != "jsonl":
		return "", usage("--json and --format %s contradict each other", format)
	case asJSON:
		return "jsonl", nil
	}
	return format, nil
}
