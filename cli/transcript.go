package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

// How much of a tool's result is printed while the conversation goes on.
const (
	resultLines = 12
	resultRunes = 1600
)

// transcriptPrinter prints a conversation from its journal. Texts that are not ours stand
// behind a name or a bar.
type transcriptPrinter struct {
	out     io.Writer
	agent   string // how the agent is called
	secrets *mask.Secrets
	whole   bool  // results are printed in full
	own     int64 // the message that whoever reads has said

	asked   map[string]approval.Request
	denied  map[string]bool // the calls whose result is only that
	writing string          // the message that is being printed
	offset  int             // how much of it is, in UTF-16 code units
	code    int             // the exit code for the answer that was given last, and for what came of the call
	about   string          // the request that it answers
	when    time.Time
	last    string // what the agent said last
}

// delta prints a piece of a message while it is written.
func (t *transcriptPrinter) delta(d session.Delta) {
	if d.MessageID != t.writing {
		if d.Offset != 0 { // its beginning was missed: the message's own event has it
			return
		}
		t.endLine()
		t.writing, t.offset = d.MessageID, 0
		t.printf("%s: ", oneLine(t.agent))
	}
	if d.Offset == t.offset {
		t.piece(d.Text)
	}
}

func (t *transcriptPrinter) piece(text string) {
	t.offset += session.UTF16Len(text)
	t.printf("%s", text)
}

// endLine ends a line that is being written.
func (t *transcriptPrinter) endLine() {
	if t.writing != "" {
		t.printf("\n")
	}
	t.writing = ""
}

func (t *transcriptPrinter) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// event prints the next event of the journal.
func (t *transcriptPrinter) event(e session.Event) error {
	switch e.Type {
	case session.TypeUserMessage:
		return then(e, func(m session.UserMessage) {
			if e.Seq != t.own {
				t.endLine()
				text, _ := t.secrets.Text(m.Text)
				t.printf("%s: %s\n", oneLine(m.By), text)
			}
		})
	case session.TypeAssistantMessage:
		return then(e, t.message)
	case session.TypeApprovalRequested:
		return then(e, t.request)
	case session.TypeApprovalResolved, session.TypeApprovalVoided:
		return then(e, func(r approval.Response) {
			if r.Status != approval.Approved && t.denied != nil {
				t.denied[r.ApprovalID] = true
			}
			t.answer(t.asked[r.ApprovalID], r)
		})
	case session.TypeBelowRequested:
		return then(e, func(r approval.BelowRequest) {
			if _, known := t.asked[r.ApprovalID]; !known {
				t.request(approval.Request{ApprovalID: r.ApprovalID, AgentID: r.AgentID, Type: r.Type, ToolName: r.ToolName, Origin: r.Origin})
			}
		})
	case session.TypeBelowResolved:
		return then(e, func(r approval.BelowResponse) {
			t.answer(t.asked[r.ApprovalID], approval.Response{Status: r.Status, Reason: r.Reason, By: r.By, At: r.At})
		})
	case session.TypeToolResult:
		return then(e, t.result)
	case session.TypeTurnFinished:
		return then(e, func(f session.TurnFinished) {
			t.endLine()
			if t.whole && f.Outcome != session.Completed {
				t.printf("(%s)\n", turnWords(f))
			}
		})
	case session.TypeEnded:
		return then(e, func(end session.Ended) {
			t.endLine()
			t.printf("(the session was ended by %s: %s)\n", oneLine(end.By), end.Outcome)
		})
	default: // no part of the talk
		return nil
	}
}

// then reads an event's data and goes on with it.
func then[T any](e session.Event, f func(T)) error {
	var v T
	if err := e.Decode(&v); err != nil {
		return err
	}
	f(v)
	return nil
}

func turnWords(f session.TurnFinished) string {
	words := "the turn was interrupted"
	if f.Outcome == session.Failed {
		words = "the turn ended with an error"
	}
	if f.Message != "" {
		words += ": " + oneLine(f.Message)
	}
	return words
}

// message prints a message, or what is left of it after its deltas.
func (t *transcriptPrinter) message(m session.AssistantMessage) {
	if m.Text != "" {
		t.last = m.Text
	}
	switch {
	case t.writing == m.MessageID:
		t.piece(after(m.Text, t.offset))
	case m.Text != "":
		t.endLine()
		text, _ := t.secrets.Text(m.Text)
		t.printf("%s: %s\n", oneLine(t.agent), text)
	}
	t.endLine()
	switch model.Stop(m.Stop) {
	case model.StopLength:
		t.printf("(cut off: the reply reached the model's limit)\n")
	case model.StopRefused:
		t.printf("(the model or its provider refused to go on)\n")
	case model.StopDone:
	}
}

// after is a text from an offset in UTF-16 code units on.
func after(text string, offset int) string {
	for offset > 0 && text != "" {
		r, size := utf8.DecodeRuneInString(text)
		offset -= session.UTF16Len(string(r))
		text = text[size:]
	}
	return text
}

// request keeps what its answer is about.
func (t *transcriptPrinter) request(r approval.Request) {
	if t.asked == nil {
		t.asked, t.denied = map[string]approval.Request{}, map[string]bool{}
	}
	t.asked[r.ApprovalID] = r
}

// answer prints what was decided about a call.
func (t *transcriptPrinter) answer(r approval.Request, a approval.Response) {
	if !a.At.Before(t.when) { // those of other agents come by another stream
		t.code, t.about, t.when = answerCode(a.Outcome()), a.ApprovalID, a.At
	}
	t.endLine()
	t.printf("%s: %s\n", cell(call(r, t.secrets), 100), answered(a))
}

func (t *transcriptPrinter) result(r session.ToolResult) {
	t.endLine()
	if r.ApprovalID == t.about && t.code == 0 && r.Result.IsError {
		t.code = exitFailed
	}
	if t.denied[r.ApprovalID] && !t.whole { // that was said
		return
	}
	if r.Result.Unreported {
		t.printf("No result of %s was reported.\n", oneLine(r.ToolName))
		return
	}
	text, _ := t.secrets.Text(r.Result.Text)
	if text == "" {
		t.printf("%s returned nothing.\n", oneLine(r.ToolName))
		return
	}
	what := " returned"
	if r.Result.IsError {
		what = " failed"
	}
	shown := text
	if !t.whole {
		shown = beginning(text)
	}
	size := ""
	if shown != text {
		size = fmt.Sprintf(", the beginning of %d bytes in %d lines", len(text), lines(text))
	}
	t.printf("%s%s%s:\n", oneLine(r.ToolName), what, size)
	for line := range strings.SplitSeq(strings.TrimSuffix(shown, "\n"), "\n") {
		t.printf("  │ %s\n", line)
	}
}

func lines(text string) int { return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1 }

// beginning is a text's first lines, as far as they have room.
func beginning(text string) string {
	end, runes, seen := 0, 0, 0
	for i, r := range text {
		if runes == resultRunes || seen == resultLines {
			return text[:end]
		}
		runes++
		if r == '\n' {
			seen++
		}
		end = i + utf8.RuneLen(r)
	}
	return text
}
