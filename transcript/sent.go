package transcript

import (
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

// Sent shows a prompt in the form in which a provider with OpenAI's chat API is sent
// it, but for images and for what a provider wants back with its replies.
func Sent(p model.Prompt) []Message {
	list := []Message{}
	if !remote.Blank(p.System) {
		list = append(list, Message{Role: System, Content: p.System})
	}
	for _, said := range p.Messages {
		m := Message{Role: Role(said.Role)}
		switch said.Role {
		case model.User:
			m.Content = remote.OrNote(said.Text)
		case model.ToolRole:
			m.Content, m.ToolCallID = remote.Result(said), said.CallID
		case model.Assistant:
			if !remote.Blank(said.Text) {
				m.Content = said.Text
			}
			for _, c := range said.Calls {
				m.ToolCalls = append(m.ToolCalls, function(c.ID, model.WireName(c.Name), string(remote.Arguments(c.Args))))
			}
			if m.Content == "" && len(m.ToolCalls) == 0 {
				continue
			}
		}
		list = append(list, m)
	}
	return list
}
