package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

// anyJournal has events in an order that a gateway could write, and in others.
func anyJournal(t *rapid.T) []session.Event {
	var (
		callID     = rapid.SampledFrom([]string{"c1", "c2", "c3", "c4", "c1_2", "", "approval_a1", "call"})
		about      = rapid.SampledFrom([]string{"c1", "c2", "c3", "c4", ""})
		approvalID = rapid.SampledFrom([]string{"a1", "a2", "a3", ""})
		text       = rapid.SampledFrom([]string{"", " \n", "hello", "client.x", "approve"})
		name       = rapid.SampledFrom([]string{"shell", "client.requestApproval", "client.x", "client", "clients.x", "x.client.y"})
		args       = rapid.SampledFrom([]string{"", `{}`, `{"client.x":["client.y"]}`, `"text"`})
		statuses   = rapid.SampledFrom([]approval.Status{approval.Approved, approval.Denied, approval.Cancelled})
	)
	aCall := rapid.Custom(func(t *rapid.T) session.ToolCall {
		return call(callID.Draw(t, "id"), name.Draw(t, "name"), args.Draw(t, "args"))
	})
	aFact := rapid.Custom(func(t *rapid.T) fact {
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0, 1:
			return said(session.UserMessage{Text: text.Draw(t, "text")})
		case 2, 3:
			return said(session.AssistantMessage{
				Seen: rapid.Int64Range(0, 30).Draw(t, "seen"), Text: text.Draw(t, "text"), ToolCalls: rapid.SliceOfN(aCall, 0, 4).Draw(t, "calls"),
			})
		case 4, 5:
			return result(callID.Draw(t, "call"), text.Draw(t, "text"))
		case 6, 7:
			return asks(request(approvalID.Draw(t, "id"), about.Draw(t, "call"), `{}`))
		case 8:
			return answers(approval.Response{ApprovalID: approvalID.Draw(t, "id"), Status: statuses.Draw(t, "status")})
		case 9:
			return fact{session.TypeApprovalVoided, approval.Response{ApprovalID: approvalID.Draw(t, "id"), Status: approval.Cancelled}}
		case 10:
			return fact{session.TypeGrantGiven, approval.Grant{ID: "g", Scope: approval.Session, Covers: approval.Exactly(), ApprovalID: approvalID.Draw(t, "id")}}
		default:
			return said(session.Ended{Outcome: session.Cancelled})
		}
	})
	parent := rapid.SampledFrom([]string{"", "p"}).Draw(t, "parent")
	facts := []fact{said(session.Created{Session: session.Session{ID: "s", ParentID: parent}})}
	return journal(t, append(facts, rapid.SliceOfN(aFact, 0, 30).Draw(t, "facts")...)...)
}

// checkView says what is wrong with messages: by the rules of providers, except
// that calls may be open.
func checkView(messages []transcript.Message) error {
	seen := map[string]bool{}
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		switch m.Role {
		case transcript.User:
			if strings.TrimSpace(m.Content) == "" || m.ToolCalls != nil || m.ToolCallID != "" {
				return fmt.Errorf("message %d of a user is %+v", i, m)
			}
			continue
		case transcript.Assistant:
		default:
			return fmt.Errorf("message %d follows no call: %+v", i, m)
		}
		if m.ToolCallID != "" || (strings.TrimSpace(m.Content) == "" && (m.Content != "" || len(m.ToolCalls) == 0)) {
			return fmt.Errorf("message %d says nothing: %+v", i, m)
		}
		for _, c := range m.ToolCalls {
			if seen[c.ID] || c.ID == "" || c.Type != "function" || !jsontext.Value(tool.JSON(c.Function.Arguments)).IsValid() {
				return fmt.Errorf("message %d: call %+v, whose id was there before: %v", i, c, seen[c.ID])
			}
			seen[c.ID] = true
			if i+1 < len(messages) && messages[i+1].Role == transcript.Tool && messages[i+1].ToolCallID == c.ID {
				i++
				if r := messages[i]; strings.TrimSpace(r.Content) == "" || r.ToolCalls != nil {
					return fmt.Errorf("message %d is an empty result", i)
				}
			}
		}
	}
	return nil
}

func show(t *rapid.T, events []session.Event) []transcript.Message {
	messages, err := transcript.Messages(events)
	if err != nil {
		t.Fatal(err)
	}
	again, err := transcript.Messages(events)
	if diff := cmp.Diff(messages, again); err != nil || diff != "" {
		t.Fatalf("the second time it is another: %v\n%s", err, diff)
	}
	return messages
}

func TestAnyJournalIsShownWithEachApprovalOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anyJournal(t)
		messages := show(t, events)
		if err := checkView(messages); err != nil {
			t.Fatal(err)
		}
		asked, answered := map[string]int{}, map[string]int{}
		for _, e := range events {
			p, err := session.PendingOf(e.Data)
			switch {
			case err != nil:
			case e.Type == session.TypeApprovalRequested:
				asked[transcript.CallID(p.ApprovalID)] = 1
			case e.Type == session.TypeApprovalResolved, e.Type == session.TypeApprovalVoided:
				answered[transcript.CallID(p.ApprovalID)] = 1
			}
		}
		for id := range answered {
			if asked[id] == 0 {
				delete(answered, id)
			}
		}
		shownAsked, shownAnswered := map[string]int{}, map[string]int{}
		for _, m := range messages {
			for _, c := range m.ToolCalls {
				if asked[c.ID] > 0 {
					shownAsked[c.ID]++
					checkAbout(t, messages, c)
				}
			}
			if asked[m.ToolCallID] > 0 {
				shownAnswered[m.ToolCallID]++
			}
		}
		if diff := cmp.Diff(asked, shownAsked) + cmp.Diff(answered, shownAnswered); diff != "" {
			t.Fatalf("the requests and answers (-journal +shown):\n%s", diff)
		}
	})
}

// checkAbout sees to it that a request stands after the call that it is about.
func checkAbout(t *rapid.T, messages []transcript.Message, c transcript.ToolCall) {
	var about struct {
		OriginalToolCall struct {
			ID string `json:"id"`
		} `json:"originalToolCall"`
	}
	if err := json.Unmarshal([]byte(c.Function.Arguments), &about); err != nil {
		t.Fatal(err)
	}
	original, request := -1, -1
	for i, m := range messages {
		for _, other := range m.ToolCalls {
			switch other.ID {
			case c.ID:
				request = i
			case about.OriginalToolCall.ID:
				original = i
			}
		}
	}
	if original > request {
		t.Fatalf("the request %s stands before its call", c.ID)
	}
}
