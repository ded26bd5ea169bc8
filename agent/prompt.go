package agent

import (
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// maxSaid bounds how much of one thing said a request carries, in characters.
const maxSaid = 280

// lately is what was said last, for people who are to clear a call.
func lately(conv *session.Conversation) []tool.Said {
	var said []tool.Said
	for _, step := range conv.Steps {
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
	return said[max(0, len(said)-tool.MaxContext):]
}

// prompt is the conversation as a model is given it: each reply is followed by
// the results of its calls, in the order in which it asked for them.
func (a *Agent) prompt(conv *session.Conversation) model.Prompt {
	p := model.Prompt{System: a.config.Instructions, Tools: a.tools.Specs()}
	for _, step := range conv.Steps {
		if step.User != nil {
			p.Messages = append(p.Messages, model.Message{Role: model.User, Text: step.User.Text})
			continue
		}
		said := model.Message{Role: model.Assistant, Text: step.Assistant.Text}
		for _, c := range step.Assistant.ToolCalls {
			said.Calls = append(said.Calls, model.Call{ID: c.ID, Name: c.Name, Args: c.Args})
		}
		p.Messages = append(p.Messages, said)
		for _, c := range step.Assistant.ToolCalls {
			r := step.Results[c.ID].Result
			p.Messages = append(p.Messages, model.Message{
				Role: model.ToolRole, CallID: c.ID, Text: r.Text, IsError: r.IsError,
			})
		}
	}
	return p
}
