package agent

import (
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

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
