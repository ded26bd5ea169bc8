package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
)

// Options of a Prompt; the zero value shows everything as it is.
type Options struct {
	Secrets *mask.Secrets // masked in what is shown and edited; what runs has them
	Subject string        // who answers; empty: the manager's word for a handler
	Editor  string        // the command that changes arguments; empty: $EDITOR
}

// Prompt asks a person at a terminal, one question at a time. Close it when
// nobody is to be asked any more.
type Prompt struct {
	out    io.Writer
	o      Options
	reader *reader
	turn   chan struct{} // held by the question that is asked
}

// New makes a Prompt that reads lines from in and writes to out. It starts
// nothing; the first question starts the one goroutine that reads from in, and
// reads no further than the questions want.
func New(in io.Reader, out io.Writer, o Options) *Prompt {
	if o.Editor == "" {
		o.Editor = os.Getenv("EDITOR")
	}
	return &Prompt{out: out, o: o, reader: newReader(in), turn: make(chan struct{}, 1)}
}

// Close ends the goroutine that reads; a question that is open, and all later
// ones, end with ErrClosed. It closes an in that is not a file, to end a read
// that waits. A read from a file that can't be ended, as a terminal on standard
// input, keeps its goroutine until the next line comes.
func (p *Prompt) Close() error { return p.reader.close() }

// Ask shows the request and waits for an answer. When ctx ends first it says so
// to the person, and returns ctx's cause. When the input ends it returns
// approval.ErrNobody.
// Several can be asked at once: each waits for its turn.
func (p *Prompt) Ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return approval.Response{}, fmt.Errorf("terminal: nobody was asked: %w", context.Cause(ctx))
	}
	answer, err := p.ask(ctx, r)
	switch {
	case err != nil && ctx.Err() != nil:
		return approval.Response{}, p.over(ctx)
	case errors.Is(err, errInputEnded):
		p.say("\nThe input has ended before anybody answered.")
		return approval.Response{}, fmt.Errorf("%w: the terminal's input ended before anybody answered", approval.ErrNobody)
	case err != nil:
		return approval.Response{}, err
	}
	answer.ApprovalID, answer.ArgsDigest, answer.By.Subject = r.ApprovalID, r.ArgsDigest, p.o.Subject
	return answer, nil
}

// over tells the person that the question is no longer one.
func (p *Prompt) over(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
		p.say("\nNo answer is needed any more: somebody else answered, or it was withdrawn.")
		return fmt.Errorf("terminal: somebody else answered: %w", cause)
	}
	p.say("\nToo late: nobody answered in time.")
	return fmt.Errorf("terminal: nobody answered in time: %w", context.Cause(ctx))
}

func (p *Prompt) ask(ctx context.Context, r approval.Request) (approval.Response, error) {
	if _, err := io.WriteString(p.out, "\n"); err != nil {
		return approval.Response{}, fmt.Errorf("terminal: show the request: %w", err)
	}
	if err := Show(p.out, r, ShowOptions{Secrets: p.o.Secrets, Width: WidthOf(p.out)}); err != nil {
		return approval.Response{}, fmt.Errorf("terminal: show the request: %w", err)
	}
	p.reader.fresh()
	if r.Type == approval.Elicitation {
		return p.elicit(ctx, r)
	}
	return p.confirm(ctx, r)
}

// page is an empty page for this terminal.
func (p *Prompt) page() *page { return &page{secrets: p.o.Secrets, width: WidthOf(p.out)} }

func (p *Prompt) print(page *page) { _, _ = io.WriteString(p.out, page.text.String()) }

// say writes a line of our own. That it may not arrive changes no answer: what
// has to be seen is written by ask, which checks.
func (p *Prompt) say(words string) { _, _ = io.WriteString(p.out, words+"\n") }

// line asks for a line, until it is one of a length that can be read.
func (p *Prompt) line(ctx context.Context, question string) (string, error) {
	for {
		if _, err := io.WriteString(p.out, question+" "); err != nil {
			return "", fmt.Errorf("terminal: show the question: %w", err)
		}
		text, err := p.reader.next(ctx)
		if errors.Is(err, errLongLine) {
			p.say("That line is too long.")
			continue
		}
		return strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD"), err
	}
}
