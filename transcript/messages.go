package transcript

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/lineclear/lineclear/session"
)

// ErrMixed is returned for events of more than one session: each has a
// conversation of its own, a sub-agent's too.
var ErrMixed = errors.New("transcript: these events are of more than one session")

const noOutput = "(no output)"

// Messages shows a session's journal, from its first event on, in the order of
// session.Conversation: a message that was spoken while the agent was at work
// stands after the reply that had not seen it, and results follow their calls
// in the calls' order. What says nothing is left out; a tool that printed
// nothing says so.
//
// The requests about a reply's calls follow that reply's
// results, each with its answer; a request about no call stands where it was
// made. The answer's "at" says when it was given. What was remembered by it, and
// that it was taken back, stands in the answer.
func Messages(events []session.Event) ([]Message, error) {
	var talk session.Conversation
	for _, e := range events {
		if e.SessionID != events[0].SessionID {
			return nil, ErrMixed
		}
		if err := talk.Add(e); err != nil {
			return nil, fmt.Errorf("transcript: %w", err)
		}
	}
	p := projection{ids: map[string]bool{}, spoken: spoken(talk.Steps)}
	if err := p.readApprovals(events); err != nil {
		return nil, err
	}
	return p.messages()
}

// projection is a view in the making.
type projection struct {
	spoken []session.Step
	asked  []*asked        // the requests that are shown
	ids    map[string]bool // of calls, which are in use
}

// spoken are the steps that say something.
func spoken(steps []session.Step) []session.Step {
	var kept []session.Step
	for _, s := range steps {
		if s.User != nil {
			if !blank(s.User.Text) {
				kept = append(kept, s)
			}
			continue
		}
		if !blank(s.Assistant.Text) || len(s.Assistant.ToolCalls) > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

func (p *projection) messages() ([]Message, error) {
	about := p.places()
	list := []Message{}
	show := func(place int) error {
		for _, a := range about[place] {
			messages, err := a.messages()
			if err != nil {
				return err
			}
			list = append(list, messages...)
		}
		return nil
	}
	if err := show(atStart); err != nil {
		return nil, err
	}
	for i, s := range p.spoken {
		if s.User != nil {
			list = append(list, Message{Role: User, Content: s.User.Text})
		} else {
			list = append(list, p.reply(s)...)
		}
		if err := show(i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// reply is an assistant's message with the results of its calls.
func (p *projection) reply(s session.Step) []Message {
	said := Message{Role: Assistant}
	if !blank(s.Assistant.Text) {
		said.Content = s.Assistant.Text
	}
	var results []Message
	for _, c := range s.Assistant.ToolCalls {
		id, arguments := p.unused(c.ID), string(c.Args)
		if arguments == "" || arguments == "null" {
			arguments = "{}"
		}
		said.ToolCalls = append(said.ToolCalls, function(id, c.Name, arguments))
		r, done := s.Results[c.ID]
		text := r.Result.Text
		switch {
		case !done:
			continue
		case blank(text):
			text = noOutput
		}
		results = append(results, Message{Role: Tool, ToolCallID: id, Content: text})
	}
	return append([]Message{said}, results...)
}

// unused is the call's id, or, in a journal that has it twice, one like it.
func (p *projection) unused(id string) string {
	if id == "" {
		id = "call"
	}
	free := id
	for n := 2; p.ids[free]; n++ {
		free = id + "_" + strconv.Itoa(n)
	}
	p.ids[free] = true
	return free
}
