package agent

import (
	"slices"
	"strings"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// maxSaid bounds how much of one thing said a request carries, in characters.
const maxSaid = 280

// lately is what was said last, for people who are to clear a call.
func lately(conv *session.Conversation) []tool.Said {
	var said []tool.Said
	for _, step := range slices.Backward(conv.Steps) {
		if len(said) == tool.MaxContext {
			break
		}
		s := tool.Said{Role: string(model.Assistant)}
		if step.User != nil {
			s.Role, s.Text = string(model.User), step.User.Text
		} else {
			s.Text = step.Assistant.Text
		}
		if letters := []rune(s.Text); len(letters) > maxSaid {
			s.Text, s.Omitted = string(letters[:maxSaid]), len(letters)-maxSaid
		}
		if s.Text != "" {
			said = append(said, s)
		}
	}
	slices.Reverse(said)
	return said
}

// manners is what every model with tools is told of them.
const manners = `Calls of your tools may wait for a person to clear them.
- A result that says that the call was denied is a no: do not make the same call again unchanged. Say what you would need, or take another way.
- A result that says that nobody answered is a no for now: nobody refused it. Go on without it, or ask.
- A result whose outcome is unknown may have been carried out: look before you repeat the call.`

// leftOut tells a model that it does not see the whole conversation.
const leftOut = "The beginning of this conversation is left out here."

// prompt is the conversation as a model is given it, within a budget:
// each reply is followed by the results of its calls, in the order in which it
// asked for them.
func (a *Agent) prompt(t *turn, conv *session.Conversation, b budget) model.Prompt {
	p := model.Prompt{Tools: a.tools.Specs(t.sessionID)}
	said := []string{a.config.Instructions}
	if len(p.Tools) > 0 {
		said = append(said, manners)
	}
	p.System = paragraphs(append(said, t.missing...)...)
	kept, dropped := fit(a.exchanges(&t.settled, conv), b.minus(budget{fixedTokens(&p), fixedBytes(&p)}))
	if dropped {
		p.System = paragraphs(p.System, leftOut)
	}
	for _, e := range kept {
		p.Messages = append(p.Messages, e.messages...)
	}
	return p
}

// paragraphs joins what is not empty.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n\n")
}

// settled are the exchanges of finished turns, which no later event changes.
type settled struct {
	steps int // how many steps of the conversation they are made of
	all   []exchange
}

// settle adds the exchanges of a conversation whose turn has finished, except the newest one: its model
// still gets what it wants kept.
func (a *Agent) settle(t *settled, conv *session.Conversation) {
	if newest := newest(conv); newest > t.steps {
		t.all, t.steps = append(t.all, a.exchangesOf(conv.Steps[t.steps:newest], false)...), newest
	}
}

// newest is the index of the step with which a conversation's newest exchange begins.
func newest(conv *session.Conversation) int {
	newest := max(len(conv.Steps)-1, 0)
	for newest > 0 && conv.Steps[newest].User == nil {
		newest--
	}
	return newest
}

// exchanges are the conversation's messages. What a provider wants back with its
// replies it gets for the newest exchange, and only from the model that said it:
// afterwards providers leave it aside.
func (a *Agent) exchanges(t *settled, conv *session.Conversation) []exchange {
	newest := max(newest(conv), t.steps)
	return slices.Concat(t.all, a.exchangesOf(conv.Steps[t.steps:newest], false), a.exchangesOf(conv.Steps[newest:], true))
}

func (a *Agent) exchangesOf(steps []session.Step, newest bool) []exchange {
	var all []exchange
	var messages []model.Message
	end := func() {
		if len(messages) > 0 {
			all, messages = append(all, newExchange(messages)), nil
		}
	}
	for _, step := range steps {
		if step.User != nil {
			end()
			messages = append(messages, model.Message{Role: model.User, Text: step.User.Text})
			continue
		}
		messages = append(messages, a.messagesOf(step, newest)...)
	}
	end()
	return all
}

// messagesOf are a reply and the results of its calls.
func (a *Agent) messagesOf(step session.Step, newest bool) []model.Message {
	reply := step.Assistant
	if reply.Text == "" && len(reply.ToolCalls) == 0 {
		return nil // no provider takes a message that says nothing
	}
	said := model.Message{Role: model.Assistant, Text: reply.Text}
	if newest && reply.Model == a.config.ModelName {
		said.Kept = reply.Kept
	}
	for _, c := range reply.ToolCalls {
		said.Calls = append(said.Calls, model.Call{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	messages := []model.Message{said}
	for _, c := range reply.ToolCalls {
		done, over := step.Results[c.ID]
		if !over {
			continue // never where a model is asked
		}
		r := done.Result
		messages = append(messages, model.Message{
			Role: model.ToolRole, CallID: c.ID, Text: shortened(plain(r.Text), a.config.ResultBytes),
			Images: r.Images, IsError: r.IsError,
		})
	}
	return messages
}
