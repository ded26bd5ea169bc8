package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

// ErrSpent ends a turn whose session has used up what it may.
var ErrSpent = errors.New("agent: the session has used up what it may")

// Prices are what a million tokens cost, in a currency of one's choice.
type Prices struct{ Input, Cached, Output float64 }

// of is what a reply has cost.
func (p Prices) of(u model.Usage) float64 {
	const million = 1e6
	fresh := max(u.Input-u.Cached, 0)
	return (float64(fresh)*p.Input + float64(u.Cached)*p.Cached + float64(u.Output)*p.Output) / million
}

func (p Prices) usage(u model.Usage) session.Usage {
	return session.Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Cost: p.of(u)}
}

// generate has the model speak, and journals the whole of it.
func (a *Agent) generate(ctx context.Context, t *turn, conv *session.Conversation) error {
	if err := a.affordable(conv.Usage.Plus(t.spent)); err != nil {
		return err
	}
	id, err := newID()
	if err != nil {
		return err
	}
	said := session.AssistantMessage{MessageID: id, Seen: conv.Seq, Model: a.config.ModelName}
	voice := &voice{bus: a.runtime.Bus, sessionID: t.sessionID, messageID: said.MessageID}
	reply, err := a.speak(ctx, t, conv, voice)
	if err != nil {
		return err
	}
	said.Text, said.Reasoning = valid(reply.Text), valid(reply.Reasoning)
	said.Stop, said.Kept = string(reply.Stop), reply.Kept
	said.Usage = a.config.Prices.usage(reply.Usage)
	for _, c := range reply.Calls {
		// The provider's id may be empty or used twice; ours keys everything.
		callID, err := newID()
		if err != nil {
			return err
		}
		args, err := readable(c.Args)
		if err != nil {
			return fmt.Errorf("agent: arguments of %s: %w", c.Name, err)
		}
		said.ToolCalls = append(said.ToolCalls, session.ToolCall{ID: callID, ProviderID: valid(c.ID), Name: valid(c.Name), Args: args})
	}
	_, err = a.runtime.Sessions.Append(ctx, t.sessionID, said)
	return err
}

func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// affordable refuses to go on once a session's limit is reached.
func (a *Agent) affordable(used session.Usage) error {
	switch tokens := used.Input + used.Output; {
	case a.config.MaxTokens > 0 && tokens >= a.config.MaxTokens:
		return fmt.Errorf("%w: %d tokens, and the limit is %d (maxTokens): start a new session", ErrSpent, tokens, a.config.MaxTokens)
	case a.config.MaxCost > 0 && used.Cost >= a.config.MaxCost:
		return fmt.Errorf("%w: %.4g, and the limit is %g (maxCost): start a new session", ErrSpent, used.Cost, a.config.MaxCost)
	}
	return nil
}

// maxFits is how often a conversation is shortened for a model that finds it too
// long.
const maxFits = 4

func (a *Agent) budget() budget { return budget{a.config.ContextTokens, a.config.ContextBytes} }

// speak asks the model. Where that finds the conversation too long, the estimate
// was wrong, and a quarter less is tried, for the rest of the turn as well.
func (a *Agent) speak(ctx context.Context, t *turn, conv *session.Conversation, voice *voice) (model.Reply, error) {
	if t.budget == (budget{}) {
		t.budget = a.budget()
	}
	for try := 1; ; try++ {
		prompt := a.prompt(t, conv, t.budget)
		reply, err := a.config.Model.Generate(ctx, prompt, voice.say)
		if err == nil {
			return reply, nil
		}
		t.spent = t.spent.Plus(a.config.Prices.usage(reply.Usage))
		var failed *model.Error
		switch {
		case errors.As(err, &failed) && failed.Kind == model.TooLong && try < maxFits && voice.offset == 0:
			t.budget = t.budget.less(&prompt)
		case failed != nil:
			return reply, err
		default:
			return reply, fmt.Errorf("agent: model: %w", err)
		}
	}
}
