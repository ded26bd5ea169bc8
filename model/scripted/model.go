// Package scripted is a model that needs no key and no network: it follows a
// script, and otherwise does what it is told in a few plain commands. It is for
// trying the gateway out, for demonstrations and for tests.
//
// # What it promises
//
//   - The same prompt gives the same reply. A Model keeps nothing between two
//     calls: how far a script has come is read from the messages since the
//     user's newest one.
//   - After tool calls it quotes every result, so that a denial's reason, or
//     that nobody answered, stands in the conversation.
//   - A command whose tool the agent does not have is not called; the reply
//     says so.
//
// # How to use it
//
// New takes a Script, which may be empty, and Parse reads one from YAML:
//
//	steps:
//	  - match: deploy              # in the user's message, or /a regular expression/
//	    say: Building first.
//	    calls:
//	      - {tool: shell, args: {command: make}}
//	    then:
//	      - say: "Built: {results} Now it goes out."
//	        calls:
//	          - {tool: shell, args: {command: make deploy}}
//	    after: "Done: {results}"
//
// When no step matches, the message's lines are read as commands: "run: ls",
// "read PATH", "write PATH: TEXT", "edit PATH: OLD => NEW", "list PATH", and for
// any other tool "call TOOL {…}"; "help" names them. Several lines become several calls of one turn.
package scripted

import (
	"context"
	"time"

	"github.com/lineclear/lineclear/model"
)

// Options say how a Model speaks; the zero value does not wait.
type Options struct {
	Delay time.Duration // between two words
}

// Model follows a script.
type Model struct {
	steps   []compiledStep
	invalid error
	delay   time.Duration
}

var _ model.Model = (*Model)(nil)

// New makes a model. A script that Check finds fault with fails at every
// Generate; Parse returns no such script.
func New(s Script, o Options) *Model {
	steps, err := s.compile()
	return &Model{steps: steps, invalid: err, delay: o.Delay}
}

// Generate implements model.Model.
func (m *Model) Generate(ctx context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	if m.invalid != nil {
		return model.Reply{}, m.invalid
	}
	reply, err := m.reply(p)
	if err != nil {
		return model.Reply{}, err
	}
	if err := m.speak(ctx, reply.Text, onDelta); err != nil {
		return model.Reply{}, err
	}
	return reply, nil
}

func (m *Model) reply(p model.Prompt) (model.Reply, error) {
	t := newestTurn(p.Messages)
	for _, step := range m.steps {
		if step.matches(t.said) {
			return step.reply(t)
		}
	}
	if t.rounds > 0 {
		return model.Reply{Text: t.quote()}, nil
	}
	return repertoireReply(t.said, p.Tools)
}

// speak gives the text word by word, each with the space after it.
func (m *Model) speak(ctx context.Context, text string, onDelta func(model.Delta)) error {
	for len(text) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		end := wordEnd(text)
		if onDelta != nil {
			onDelta(model.Delta{Text: text[:end]})
		}
		text = text[end:]
		if len(text) == 0 || m.delay <= 0 {
			continue
		}
		if err := wait(ctx, m.delay); err != nil {
			return err
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wordEnd is where the first word of text ends, spaces after it included.
func wordEnd(text string) int {
	i := 0
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	for i < len(text) && !isSpace(text[i]) {
		i++
	}
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }
