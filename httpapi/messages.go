package httpapi

import (
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/transcript"
)

type messagesBody struct {
	Messages []transcript.Message `json:"messages"`
}

// messages is the journal, or what its model is sent, in the shape of OpenAI's chat API.
func (s *Server) messages(c *call, _ none) (messagesBody, error) {
	show := s.Door.Messages
	switch text := c.query("view"); text {
	case "", "full":
	case "model":
		show = s.Door.Sent
	default:
		return messagesBody{}, invalid("view: %q is not known: use full or model", text)
	}
	var list []transcript.Message
	err := s.costly(c, func() (err error) {
		list, err = show(c.r.Context(), c.r.PathValue("id"))
		return err
	})
	if list == nil {
		list = []transcript.Message{}
	}
	return messagesBody{list}, err
}

// messageBody is something said, or a tool message that answers a request.
type messageBody struct {
	Text       string          `json:"text,omitempty"`         // words for the agent, or words that answer
	Seen       int64           `json:"seen,omitzero"`          // the newest event that the sender had seen
	Role       transcript.Role `json:"role,omitempty"`         // tool, of a tool message; with tool_call_id and content
	ToolCallID string          `json:"tool_call_id,omitempty"` // of a tool message: the call that it answers
	Content    string          `json:"content,omitempty"`      // of a tool message: the answer
}

type saidBody struct {
	Seq      int64                `json:"seq,omitzero"` // of the message in the journal, where it went to the agent
	Answered []door.Approval      `json:"answered,omitempty"`
	Listed   []transcript.Waiting `json:"listed,omitempty"` // what waits and needs an id to be answered
	Text     string               `json:"text,omitempty"`   // the same in words
}

// say takes a message: words that answer what waits, words for the agent, or a
// tool message.
func (s *Server) say(c *call, in messageBody) (saidBody, error) {
	if in.Role != "" {
		return s.post(c, in)
	}
	if in.Text == "" || in.ToolCallID != "" || in.Content != "" {
		return saidBody{}, invalid("text: missing; or send a tool message: role, tool_call_id and content")
	}
	said, err := s.Door.As(approval.ViaChat).Say(c.r.Context(), c.who, c.r.PathValue("id"), in.Text, in.Seen)
	if err != nil {
		return saidBody{}, err
	}
	return saidBody(said), nil
}

func (s *Server) post(c *call, in messageBody) (saidBody, error) {
	if in.Text != "" {
		return saidBody{}, invalid("text: a tool message has content instead")
	}
	answered, err := s.Door.As(approval.ViaToolMessage).Post(c.r.Context(), c.who, c.r.PathValue("id"),
		transcript.Message{Role: in.Role, ToolCallID: in.ToolCallID, Content: in.Content})
	if err != nil {
		return saidBody{}, err
	}
	return saidBody{Answered: []door.Approval{answered}}, nil
}
