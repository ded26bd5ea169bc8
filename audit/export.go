package audit

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
)

// WriteLines writes records as lines that can be verified, and returns the
// record before the first, after which they begin.
func WriteLines(w io.Writer, records iter.Seq2[Record, error]) (after Head, err error) {
	out := bufio.NewWriter(w)
	first := true
	for r, err := range records {
		if err != nil {
			return after, err
		}
		if first {
			after, first = Head{Seq: r.Seq - 1, Hash: r.Prev}, false
		}
		line, err := r.Line()
		if err != nil {
			return after, err
		}
		if _, err := out.Write(line); err != nil {
			return after, fmt.Errorf("audit: write: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return after, fmt.Errorf("audit: write: %w", err)
	}
	return after, nil
}

// columns are what of a record's data has a column of its own in a table.
type columns struct {
	About
	Status string `json:"status"`
	Reason string `json:"reason"`
	Rule   string `json:"rule"`
	Millis *int64 `json:"millis"`
}

// WriteCSV writes records as a table for people. It writes out hidden characters and
// defuses formulas, so the table can't be verified.
func WriteCSV(w io.Writer, records iter.Seq2[Record, error]) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{
		"seq", "at", "kind", "subject", "via", "agentId", "sessionId", "approvalId", "toolName", "toolCallId",
		"status", "reason", "rule", "millis", "argsDigest", "data", "hash",
	})
	if err != nil {
		return fmt.Errorf("audit: write: %w", err)
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		if err := table.Write(row(r)); err != nil {
			return fmt.Errorf("audit: write: %w", err)
		}
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("audit: write: %w", err)
	}
	return nil
}

func row(r Record) []string {
	var c columns
	if err := json.Unmarshal(r.Data, &c); err != nil {
		c = columns{} // an older record whose fields mean something else; data has them
	}
	millis := ""
	if c.Millis != nil {
		millis = strconv.FormatInt(*c.Millis, 10)
	}
	fields := []string{
		strconv.FormatInt(r.Seq, 10), r.At.Format("2006-01-02T15:04:05.000000Z07:00"), string(r.Kind), r.Subject, r.Via,
		c.AgentID, c.SessionID, c.ApprovalID, c.ToolName, c.ToolCallID,
		c.Status, c.Reason, c.Rule, millis, c.ArgsDigest, mask.HiddenJSON(string(r.Data)), r.Hash,
	}
	for i, f := range fields {
		fields[i] = mask.Cell(f)
	}
	return fields
}
