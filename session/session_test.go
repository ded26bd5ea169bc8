package session_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/session/sessiontest"
	"github.com/lineclear/lineclear/tool"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	sessiontest.Run(t, func(*testing.T) sessiontest.Fixture {
		b := bus.New([]bus.Named{session.Events})
		return sessiontest.Fixture{Log: session.NewMemory(b), Bus: b}
	})
}

// talk builds a conversation of bodies, numbered from 1.
func talk(t interface{ Fatal(...any) }, bodies ...session.Body) *session.Conversation {
	var c session.Conversation
	for i, b := range bodies {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Add(session.Event{Seq: int64(i + 1), Type: b.EventType(), Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	return &c
}

// order names the steps of a conversation.
func order(c *session.Conversation) []string {
	var names []string
	for _, s := range c.Steps {
		if s.User != nil {
			names = append(names, s.User.Text)
		} else {
			names = append(names, s.Assistant.MessageID)
		}
	}
	return names
}

func call(id string) session.ToolCall {
	return session.ToolCall{ID: id, Name: "shell", Args: tool.JSON(`{}`)}
}

func TestWhatIsSaidMeanwhileStandsAfterTheReplyThatHadNotSeenIt(t *testing.T) {
	c := talk(t,
		session.UserMessage{Text: "one"},
		session.UserMessage{Text: "two"}, // while the model answers "one"
		session.AssistantMessage{MessageID: "reply", Seen: 1, ToolCalls: []session.ToolCall{call("c")}},
		session.UserMessage{Text: "three"}, // while the call waits
		session.ToolResult{CallID: "c"},
	)
	if diff := cmp.Diff([]string{"one", "reply", "two", "three"}, order(c)); diff != "" {
		t.Error(diff)
	}
	if len(c.Open()) != 0 || c.Answered() {
		t.Errorf("open calls %v, answered %v", c.Open(), c.Answered())
	}
}

func TestACallIsOpenUntilItsOwnResultIsThere(t *testing.T) {
	bodies := []session.Body{
		session.UserMessage{Text: "go"},
		session.AssistantMessage{MessageID: "m", Seen: 1, ToolCalls: []session.ToolCall{call("a"), call("b")}},
		session.ToolResult{CallID: "b"},
		session.ToolResult{CallID: "somebody else's"},
	}
	open := talk(t, bodies...).Open()
	if len(open) != 1 || open[0].ID != "a" {
		t.Errorf("open are %v", open)
	}
}

// In any journal no call stands between another call and its results, and
// nothing said is lost.
func TestNoInterruptionBreaksAConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bodies []session.Body
		said, open := 0, []string{}
		for i := range rapid.IntRange(1, 25).Draw(t, "events") {
			id := string(rune('a' + i))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				bodies = append(bodies, session.UserMessage{Text: id})
				said++
			case 1:
				if len(open) > 0 {
					continue
				}
				m := session.AssistantMessage{MessageID: id, Seen: int64(rapid.IntRange(0, len(bodies)).Draw(t, "seen"))}
				for n := range rapid.IntRange(0, 2).Draw(t, "calls") {
					m.ToolCalls = append(m.ToolCalls, call(id+string(rune('0'+n))))
					open = append(open, id+string(rune('0'+n)))
				}
				bodies = append(bodies, m)
				said++
			case 2:
				if len(open) > 0 {
					bodies = append(bodies, session.ToolResult{CallID: open[0]})
					open = open[1:]
				}
			}
		}
		c := talk(t, bodies...)
		if len(c.Steps) != said {
			t.Fatalf("%d things were said, the conversation has %d", said, len(c.Steps))
		}
		if len(c.Open()) != len(open) {
			t.Fatalf("open are %v, want %v", c.Open(), open)
		}
	})
}

func TestNodesInMemoryHandCallsToEachOther(t *testing.T) {
	t.Parallel()
	sessiontest.RunClientCalls(t, func(_ *testing.T, n int) (all []session.ClientCalls, leave []func()) {
		var c sessiontest.Cluster
		for range n {
			m := c.Join()
			all, leave = append(all, m), append(leave, m.Leave)
		}
		return all, leave
	})
}
