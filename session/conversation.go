package session

import (
	"math"
	"slices"
)

// Conversation is the journal as talk: what was said, and what came of each
// call. It is the one projection from which every provider's messages are
// made; approvals are no part of it.
//
// A person may speak while the agent is at work. Such a message stands after
// the reply that had not seen it, and never between a call and its result, so
// that the order is one that every model takes.
type Conversation struct {
	Steps []Step
	Turn  string       // the turn that is open; empty when none is
	Part  string       // the traceparent of that turn
	Last  TurnFinished // the turn that finished last
	Seq   int64        // the newest event taken in
	Usage Usage        // of all replies
	Bytes int          // of the data of all events taken in
}

// Step is one thing said: User or Assistant is set.
type Step struct {
	Seq       int64
	User      *UserMessage
	Assistant *AssistantMessage
	Results   map[string]ToolResult // of an assistant's calls, by call id
}

// Open lists the step's calls that have no result yet, in the model's order.
func (s Step) Open() []ToolCall {
	if s.Assistant == nil {
		return nil
	}
	var open []ToolCall
	for _, c := range s.Assistant.ToolCalls {
		if _, done := s.Results[c.ID]; !done {
			open = append(open, c)
		}
	}
	return open
}

// Add takes the next event of the journal in.
func (c *Conversation) Add(e Event) error {
	c.Seq, c.Bytes = e.Seq, c.Bytes+len(e.Data)
	switch e.Type {
	case TypeUserMessage:
		var m UserMessage
		if err := e.Decode(&m); err != nil {
			return err
		}
		c.Steps = append(c.Steps, Step{Seq: e.Seq, User: &m})
	case TypeAssistantMessage:
		var m AssistantMessage
		if err := e.Decode(&m); err != nil {
			return err
		}
		c.Usage = c.Usage.Plus(m.Usage)
		c.insert(Step{Seq: e.Seq, Assistant: &m, Results: map[string]ToolResult{}})
	case TypeToolResult:
		var r ToolResult
		if err := e.Decode(&r); err != nil {
			return err
		}
		c.result(r)
	case TypeTurnStarted:
		var turn TurnStarted
		if err := e.Decode(&turn); err != nil {
			return err
		}
		c.Turn, c.Part = turn.TurnID, turn.Traceparent
	case TypeTurnFinished:
		heard := c.Last.Heard
		c.Last = TurnFinished{}
		if err := e.Decode(&c.Last); err != nil {
			return err
		}
		c.Turn, c.Part, c.Last.Heard = "", "", max(heard, c.Last.Heard)
		c.Usage = c.Usage.Plus(c.Last.Usage)
	case TypeCreated, TypeEnded,
		TypeApprovalRequested, TypeApprovalResolved, TypeApprovalVoided, TypeApprovalRevealed, TypeApprovalExtended, TypeGrantGiven, TypeGrantEnded,
		TypeBelowRequested, TypeBelowResolved:
		// No part of the talk.
	}
	return nil
}

// insert puts a reply before what its model had not read.
func (c *Conversation) insert(reply Step) {
	at := len(c.Steps)
	for at > 0 && c.Steps[at-1].User != nil && c.Steps[at-1].Seq > reply.Assistant.Seen {
		at--
	}
	c.Steps = append(c.Steps, Step{})
	copy(c.Steps[at+1:], c.Steps[at:])
	c.Steps[at] = reply
}

func (c *Conversation) result(r ToolResult) {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		if c.Steps[i].Assistant == nil {
			continue
		}
		for _, call := range c.Steps[i].Assistant.ToolCalls {
			if call.ID == r.CallID {
				c.Steps[i].Results[r.CallID] = r
				return
			}
		}
	}
}

// Open lists the calls that wait for a result.
func (c *Conversation) Open() []ToolCall {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		if c.Steps[i].Assistant != nil {
			return c.Steps[i].Open()
		}
	}
	return nil
}

// Position is a call's place in the reply that made it, from 1; 0 for one that
// there is not.
func (c *Conversation) Position(callID string) int {
	_, at := c.reply(callID)
	return at
}

// CutOff reports whether the reply that made a call was cut off.
func (c *Conversation) CutOff(callID string) bool {
	reply, _ := c.reply(callID)
	return reply != nil && reply.Stop == "length"
}

// reply is the one that made a call, and the call's place in it, from 1.
func (c *Conversation) reply(callID string) (*AssistantMessage, int) {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		if c.Steps[i].Assistant == nil {
			continue
		}
		at := slices.IndexFunc(c.Steps[i].Assistant.ToolCalls, func(call ToolCall) bool { return call.ID == callID })
		if at >= 0 {
			return c.Steps[i].Assistant, at + 1
		}
	}
	return nil, 0
}

// Heard is the number of the newest message of a person.
func (c *Conversation) Heard() int64 { return c.HeardBy(math.MaxInt64) }

// HeardBy is the number of the newest message of a person up to an event.
func (c *Conversation) HeardBy(seq int64) int64 {
	var newest int64
	for _, s := range c.Steps {
		if s.User != nil && s.Seq <= seq {
			newest = max(newest, s.Seq)
		}
	}
	return newest
}

// Replies is how often the model has been asked for the newest message of a
// person.
func (c *Conversation) Replies() int {
	n, heard := 0, c.Heard()
	for _, s := range c.Steps {
		if s.Assistant != nil && s.Assistant.Seen >= heard {
			n++
		}
	}
	return n
}

// Waiting reports whether there is something to do: a turn is open, or there is
// a message that no finished turn was about.
func (c *Conversation) Waiting() bool { return c.Turn != "" || c.Heard() > c.Last.Heard }

// LastWords is the text of the assistant's newest reply.
func (c *Conversation) LastWords() string {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		if c.Steps[i].Assistant != nil {
			return c.Steps[i].Assistant.Text
		}
	}
	return ""
}

// Answered reports whether the newest word is the assistant's and asks for
// nothing more.
func (c *Conversation) Answered() bool {
	if len(c.Steps) == 0 {
		return true
	}
	last := c.Steps[len(c.Steps)-1]
	return last.Assistant != nil && len(last.Assistant.ToolCalls) == 0
}
