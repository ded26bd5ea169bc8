package transcript_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fact is one event's type and data.
type fact struct {
	is   session.Type
	data any
}

func said(b session.Body) fact { return fact{b.EventType(), b} }

func asks(r approval.Request) fact { return fact{session.TypeApprovalRequested, r} }

func answers(r approval.Response) fact { return fact{session.TypeApprovalResolved, r} }

// journal numbers facts from 1.
func journal(t interface{ Fatal(...any) }, facts ...fact) []session.Event {
	events := make([]session.Event, 0, len(facts))
	for i, f := range facts {
		data, err := json.Marshal(f.data)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, session.Event{SessionID: "s", Seq: int64(i + 1), Type: f.is, At: at(i), Data: data})
	}
	return events
}

func at(second int) time.Time { return time.Date(2027, 1, 2, 3, 4, second, 0, time.UTC) }

func call(id, name, args string) session.ToolCall {
	c := session.ToolCall{ID: id, Name: name}
	if args != "" {
		c.Args = tool.JSON(args)
	}
	return c
}

func result(id, text string) fact {
	return said(session.ToolResult{CallID: id, ToolName: "shell", Result: tool.Result{Text: text}})
}

func request(id, callID, args string) approval.Request {
	return approval.Request{
		ApprovalID: id, SessionID: "s", AgentID: "demo", Type: approval.ToolConfirmation, ToolName: "shell", ToolCallID: callID,
		Args: tool.JSON(args), Message: "Run it?", Scopes: []approval.Scope{approval.Once, approval.Session},
		Risk: approval.Risk{Level: approval.RiskHigh, Reasons: []string{"deletes files"}}, RequestedAt: at(0), ExpiresAt: at(50),
	}
}

func by(subject string) approval.By { return approval.By{Subject: subject, Via: "websocket"} }

// journals are told in the golden files.
func journals(t *testing.T) map[string][]session.Event {
	created := said(session.Created{Session: session.Session{ID: "s", AgentID: "demo", Kind: session.KindAgent}})
	grant := approval.Grant{ID: "g", Scope: approval.Session, ApprovalID: "a2", ToolName: "shell", Covers: approval.Exactly(), GivenBy: by("ada"), MaxUses: 3}
	ended := grant
	ended.Ended = approval.GrantEnd{Reason: approval.GrantRevoked, By: by("bob"), At: at(40)}
	always := request("a3", "build-7", `{"to":"staging"}`)
	always.ToolName, always.Scopes, always.Message, always.Risk = "deploy", []approval.Scope{approval.Always}, "", approval.Risk{}
	worded := request("a5", "build-8", `{}`)
	worded.Options = []approval.Option{
		{Word: "Cancel", Status: approval.Cancelled}, {Word: "Once", Status: approval.Approved, Scope: approval.Once},
		{Word: "Always", Status: approval.Approved, Scope: approval.Session},
	}
	return map[string][]session.Event{
		"answers": journal(t,
			created,
			said(session.UserMessage{Text: "tidy up", By: "ada"}),
			said(session.TurnStarted{TurnID: "t"}),
			said(session.AssistantMessage{MessageID: "m", Seen: 2, Text: "I will.", ToolCalls: []session.ToolCall{
				call("c1", "shell", `{"command":"rm -r old"}`), call("c2", "shell", `{"command":"df"}`),
			}}),
			asks(request("a1", "c1", `{"command":"rm -r old"}`)),
			asks(request("a2", "c2", `{"command":"df"}`)),
			answers(approval.Response{ApprovalID: "a2", Status: approval.Approved, Scope: approval.Session, GrantID: "g", By: by("ada"), At: at(10)}),
			fact{session.TypeGrantGiven, grant},
			result("c2", ""),
			answers(approval.Response{ApprovalID: "a1", Status: approval.Denied, Reason: approval.UserDenied, Message: "keep it", By: by("ada"), At: at(20)}),
			result("c1", "Denied by ada: keep it."),
			said(session.AssistantMessage{MessageID: "n", Seen: 11, Text: "The disk has room."}),
			said(session.TurnFinished{TurnID: "t", Outcome: session.Completed, Heard: 2}),
			fact{session.TypeGrantEnded, ended},
		),
		"meanwhile": journal(t,
			created,
			said(session.UserMessage{Text: "go"}),
			said(session.UserMessage{Text: "wait"}), // the reply has not seen it
			said(session.AssistantMessage{Seen: 2, ToolCalls: []session.ToolCall{
				call("c1", "shell", `{"command":"one"}`), call("c2", "client.showApproval", `{"approved":true}`), call("c3", "read", ""),
			}}),
			asks(request("a1", "c1", `{"command":"one"}`)),
			result("c3", "text"),
			result("c2", "no such tool"),
			said(session.UserMessage{Text: "are you there?"}),
			said(session.AssistantMessage{Seen: 8, ToolCalls: []session.ToolCall{call("c4", "client.requestApproval", `{}`)}}),
			said(session.AssistantMessage{Seen: 9, Text: " \n"}),
			said(session.AssistantMessage{Seen: 9, ToolCalls: []session.ToolCall{call("c5", "read", `{}`), call("c6", "read", `{}`)}}),
			result("c6", "six"),
		),
		"program": journal(t,
			said(session.Created{Session: session.Session{ID: "s", AgentID: "external", ParentID: "p", Kind: session.KindExternal}}),
			asks(always),
			answers(approval.Response{ApprovalID: "a3", Status: approval.Approved, Scope: approval.Always, Edit: tool.JSON(`{"to":"test"}`), By: by("ada"), At: at(10)}),
			fact{session.TypeApprovalVoided, approval.Response{ApprovalID: "a3", Status: approval.Cancelled, Reason: approval.UserCancelled, By: by("bob"), At: at(15)}},
			said(session.UserMessage{Text: "what now?"}),
			asks(approval.Request{ApprovalID: "a4", Type: approval.Elicitation, Message: "Which?", Schema: tool.JSON(`{"type":"object"}`), Scopes: []approval.Scope{approval.Once}}),
			answers(approval.Response{ApprovalID: "a4", Status: approval.Approved, Scope: approval.Once, FormData: tool.JSON(`{"which":"a"}`), By: by("ada"), At: at(20)}),
			asks(worded),
			said(session.Ended{Outcome: session.Cancelled, By: "ada"}),
			answers(approval.Response{ApprovalID: "a5", Status: approval.Cancelled, Reason: approval.SystemCancelled, By: approval.By{Subject: "system", Via: "system"}, At: at(30)}),
		),
	}
}

func TestAJournalHasTheFormOfTheGoldenFiles(t *testing.T) {
	for name, events := range journals(t) {
		t.Run(name, func(t *testing.T) {
			messages, err := transcript.Messages(events)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(messages, jsontext.WithIndent("  "))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("(-golden +shown):\n%s", diff)
			}
		})
	}
}

func TestAJournalThatCanNotBeShownIsAnError(t *testing.T) {
	one := journal(t, said(session.UserMessage{Text: "x"}))
	other := session.Event{SessionID: "another", Seq: 2, Type: session.TypeUserMessage, Data: tool.JSON(`{"text":"y"}`)}
	if _, err := transcript.Messages(append(one, other)); !errors.Is(err, transcript.ErrMixed) {
		t.Errorf("events of two sessions: %v", err)
	}
	for name, broken := range map[string]session.Type{
		"a message": session.TypeUserMessage, "a request": session.TypeApprovalRequested,
		"an answer": session.TypeApprovalResolved, "a grant": session.TypeGrantGiven,
	} {
		events := []session.Event{{SessionID: "s", Seq: 1, Type: broken, Data: tool.JSON(`[]`)}}
		if m, err := transcript.Messages(events); err == nil {
			t.Errorf("%s that can't be read is shown: %+v", name, m)
		}
	}
}

func TestAnEmptyJournalIsAnEmptyList(t *testing.T) {
	messages, err := transcript.Messages(nil)
	if raw, _ := json.Marshal(messages); err != nil || string(raw) != "[]" {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestInTheFullViewTheFirstAnswerStands(t *testing.T) {
	events := journal(t,
		asks(request("a", "c", `{}`)),
		answers(approval.Response{ApprovalID: "a", Status: approval.Denied, By: by("ada")}),
		answers(approval.Response{ApprovalID: "a", Status: approval.Approved, By: by("eve")}),
		asks(request("a", "c", `{"again":true}`)),
		answers(approval.Response{ApprovalID: "b", Status: approval.Approved, By: by("eve")}), // nobody asked
	)
	messages, err := transcript.Messages(events)
	if err != nil || len(messages) != 2 || !strings.Contains(messages[1].Content, `"decision":"deny"`) {
		t.Errorf("shown is %+v, %v", messages, err)
	}
}
