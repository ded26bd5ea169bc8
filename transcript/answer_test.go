package transcript_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

func TestAnAnswerIsAboutACallWithoutArgumentsThatIsAnEmptyObject(t *testing.T) {
	a := transcript.ToolAnswer{ToolName: "list_files", Args: tool.JSON("{}")}
	for _, args := range []tool.JSON{nil, tool.JSON("{}")} {
		if err := a.About(approval.Request{ToolName: "list_files", Args: args}); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestAToolMessageIsReadInExactlyOneWay(t *testing.T) {
	for content, want := range map[string]approval.Answer{
		`{"decision":"approve"}`:                                                      {Status: approval.Approved},
		`{"decision":"approve","scope":"once"}`:                                       {Status: approval.Approved},
		` {"scope":"session","decision":"approve"} `:                                  {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"approve","scope":"always"}`:                                     {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"approve","scope":"unlimited"}`:                                  {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"Always"}`:                                                       {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"allow_once","scope":"once"}`:                                    {Status: approval.Approved},
		`{"decision":"session","scope":"always"}`:                                     {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"deny","message":"no"}`:                                          {Status: approval.Denied, Message: "no"},
		`{"decision":"rejected"}`:                                                     {Status: approval.Denied},
		`{"decision":"cancel"}`:                                                       {Status: approval.Cancelled},
		`{"approved":true}`:                                                           {Status: approval.Approved},
		`{"approved":true,"scope":"session"}`:                                         {Status: approval.Approved, Scope: approval.Session},
		`{"approved":false}`:                                                          {Status: approval.Denied},
		`{"approved":true,"decision":"approve","message":"x"}`:                        {Status: approval.Approved, Message: "x"},
		`{"status":"approved"}`:                                                       {Status: approval.Approved},
		`{"status":"approved","data":{"rememberChoice":true}}`:                        {Status: approval.Approved, Scope: approval.Session},
		`{"status":"approved","rememberChoice":true}`:                                 {Status: approval.Approved, Scope: approval.Session},
		`{"status":"approved","data":{"rememberChoice":false}}`:                       {Status: approval.Approved},
		`{"status":"denied","data":{"rememberChoice":false}}`:                         {Status: approval.Denied},
		`{"status":"cancelled","data":{}}`:                                            {Status: approval.Cancelled},
		`{"response":"allow_always"}`:                                                 {Status: approval.Approved, Scope: approval.Session},
		`{"decision":"approve","scope":"Once"}`:                                       {Status: approval.Approved},
		`{"decision":"deny","toolName":"shell","toolArgs":{},"workingDirectory":"/"}`: {Status: approval.Denied},
	} {
		want.ApprovalID = "a"
		got, err := transcript.ReadToolAnswer(answer("a", content))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", content, err, diff)
		}
	}
}

func TestWhatIsNoAnswerIsAnErrorThatNamesTheField(t *testing.T) {
	for content, field := range map[string]string{
		``:                           "content",
		` `:                          "content",
		`null`:                       "content",
		`"approve"`:                  "content",
		`[]`:                         "content",
		`true`:                       "content",
		`approve`:                    "content",
		`{}`:                         "decision",
		`{"decision":""}`:            "decision",
		`{"decision":null}`:          "decision",
		`{"decision":true}`:          "decision",
		`{"decision":["approve"]}`:   "decision",
		`{"decision":"aprove"}`:      "decision",
		`{"decision":"approve all"}`: "decision",
		`{"scope":"once"}`:           "decision",
		`{"decision":"approve","decision":"approve"}`:                                 "decision",
		`{"decision":"deny","Decision":"approve"}`:                                    "Decision",
		`{"DECISION":"approve"}`:                                                      "DECISION",
		`{"decision":"approve","approved":false}`:                                     "approved",
		`{"decision":"deny","approved":true}`:                                         "approved",
		`{"decision":"approve","status":"denied"}`:                                    "decision",
		`{"status":"approve"}`:                                                        "status",
		`{"status":"Approved"}`:                                                       "status",
		`{"status":"pending"}`:                                                        "status",
		`{"response":"aprove"}`:                                                       "response",
		`{"response":"yes","decision":"no"}`:                                          "response",
		`{"rememberChoice":true}`:                                                     "status",
		`{"status":"approved","rememberChoice":"true"}`:                               "rememberChoice",
		`{"status":"denied","rememberChoice":true}`:                                   "rememberChoice",
		`{"status":"approved","data":{"remember":true}}`:                              "data",
		`{"status":"approved","data":null}`:                                           "data",
		`{"decision":"once","data":{"rememberChoice":true}}`:                          "data.rememberChoice",
		`{"approved":true,"scope":"session","rememberChoice":false}`:                  "rememberChoice",
		`{"status":"approved","rememberChoice":true,"data":{"rememberChoice":false}}`: "data.rememberChoice",
		`{"decision":null,"approved":true}`:                                           "decision",
		`{"decision":"approve","approved":null}`:                                      "approved",
		`{"approved":"true"}`:                                                         "approved",
		`{"approved":1}`:                                                              "approved",
		`{"approved":null}`:                                                           "approved",
		`{"approved":true,"approved":false}`:                                          "approved",
		`{"approved":false,"scope":"once"}`:                                           "scope",
		`{"decision":"approve","scope":"forever"}`:                                    "scope",
		`{"decision":"approve","scope":"approve"}`:                                    "scope",
		`{"decision":"approve","scope":""}`:                                           "scope",
		`{"decision":"approve","scope":null}`:                                         "scope",
		`{"decision":"approve","scope":{}}`:                                           "scope",
		`{"decision":"deny","scope":"once"}`:                                          "scope",
		`{"decision":"once","scope":"session"}`:                                       "scope",
		`{"decision":"session","scope":"once"}`:                                       "scope",
		`{"decision":"approve","message":7}`:                                          "message",
		`{"decision":"approve","message":null}`:                                       "message",
		`{"decision":"approve","toolArgs":[]}`:                                        "toolArgs",
		`{"decision":"approve","toolArgs":{"a":1,"a":2}}`:                             "a: given twice",
		`{"decision":"approve","edit":{"command":"rm"}}`:                              "edit",
		`{"decision":"approve","by":{"subject":"eve"}}`:                               "by",
		`{"decision":"approve"} {"decision":"deny"}`:                                  "content",
		`{"decision":"approve"}x`:                                                     "content",
		"{\"decision\":\"approve\xff\"}":                                              "content",
		strings.Repeat("[", 99) + strings.Repeat("]", 99):                             "content",
		`{"decision":"approve","toolArgs":` + deep() + `}`:                            "content",
	} {
		got, err := transcript.ReadToolAnswer(answer("a", content))
		if !errors.Is(err, approval.ErrInvalid) || !strings.Contains(err.Error(), field) || got.Status != "" {
			t.Errorf("%s: %+v, %v", content, got, err)
		}
	}
}

func deep() string { return strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70) }

func TestOnlyAToolMessageThatNamesAnApprovalIsRead(t *testing.T) {
	const content = `{"decision":"approve"}`
	for field, m := range map[string]transcript.Message{
		"role: ":         {Role: transcript.User, ToolCallID: "approval_a", Content: content},
		"role: want":     {ToolCallID: "approval_a", Content: content},
		"tool_calls":     {Role: transcript.Tool, ToolCallID: "approval_a", Content: content, ToolCalls: []transcript.ToolCall{{}}},
		"tool_call_id":   {Role: transcript.Tool, Content: content},
		"tool_call_id: ": {Role: transcript.Tool, ToolCallID: "approval_", Content: content},
		`not "call_a"`:   {Role: transcript.Tool, ToolCallID: "call_a", Content: content},
		`not "Approval_`: {Role: transcript.Tool, ToolCallID: "Approval_a", Content: content},
	} {
		if got, err := transcript.ReadToolAnswer(m); !errors.Is(err, approval.ErrInvalid) || !strings.Contains(err.Error(), field) || got.Status != "" {
			t.Errorf("%+v: %+v, %v", m, got, err)
		}
	}
}

func TestAMessageIsReadStrictly(t *testing.T) {
	for _, raw := range []string{
		`{"role":"system","content":"x"}`, `{"role":"Tool"}`, `{"role":"tool","content":"x","name":"y"}`, `{"role":"tool","content":["x"]}`,
	} {
		var m transcript.Message
		if err := strictjson.Decode([]byte(raw), &m); err == nil {
			t.Errorf("%s is %+v", raw, m)
		}
	}
}

func TestAnAnswerThatIsBuiltIsReadAgain(t *testing.T) {
	for _, a := range []transcript.ToolAnswer{
		{ToolCallID: "approval_a", Decision: "approve", Scope: "session", ToolName: "shell", Args: tool.JSON(`{"a":"\u2028"}`), WorkingDirectory: "/tmp"},
		{ToolCallID: "approval_a", Decision: "deny", Text: "no \"thanks\""},
	} {
		m, err := a.Message()
		if err != nil {
			t.Fatal(err)
		}
		read, err := transcript.ParseToolAnswer(m)
		if diff := cmp.Diff(a.Text, read.Text); err != nil || diff != "" || read.Decision != a.Decision || read.Scope != a.Scope {
			t.Errorf("read again: %+v, %v", read, err)
		}
		if err := read.About(approval.Request{ToolName: a.ToolName, Args: a.Args, WorkingDirectory: a.WorkingDirectory}); err != nil {
			t.Error(err)
		}
	}
}

func TestAnAnswerThatCouldNotBeReadIsNotBuilt(t *testing.T) {
	for field, a := range map[string]transcript.ToolAnswer{
		"tool_call_id":  {Decision: "approve"},
		"tool_call_id:": {ToolCallID: "a", Decision: "approve"},
		"decision":      {ToolCallID: "approval_a"},
		"scope":         {ToolCallID: "approval_a", Decision: "approve", Scope: "all"},
		"toolArgs":      {ToolCallID: "approval_a", Decision: "approve", Args: tool.JSON(`[]`)},
	} {
		if m, err := a.Message(); !errors.Is(err, approval.ErrInvalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v: %+v, %v", a, m, err)
		}
	}
}

func TestAnyAnswerThatIsBuiltSaysWhatItWasBuiltFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := transcript.ToolAnswer{
			ToolCallID: transcript.CallID(rapid.String().Draw(t, "id")),
			Decision:   rapid.SampledFrom([]string{"approve", "deny", "cancel", "always", "yep", ""}).Draw(t, "decision"),
			Scope:      rapid.SampledFrom([]string{"", "once", "session", "always", "unlimited", "x"}).Draw(t, "scope"),
			Text:       rapid.String().Draw(t, "text"),
			ToolName:   rapid.String().Draw(t, "tool"),
		}
		want, wrong := a.Answer()
		m, err := a.Message()
		if (wrong == nil) != (err == nil) {
			t.Fatalf("%+v: %v, but built: %v", a, wrong, err)
		}
		if err != nil {
			return
		}
		if got, err := transcript.ReadToolAnswer(m); err != nil || cmp.Diff(want, got) != "" {
			t.Fatalf("%+v is read as %+v, %v", a, got, err)
		}
	})
}

func FuzzReadToolAnswer(f *testing.F) {
	for _, content := range []string{
		`{"decision":"approve"}`, `{"approved":true,"scope":"session"}`, `{"approved":"true"}`, `{"decision":"deny","decision":"approve"}`,
		`{"decision":"Approve ","message":"x","toolArgs":{"a":[1]}}`, `{"decision":"aprove"}`, `{"Approved":true}`, `{"decision":"deny"}{}`, `null`, ``,
	} {
		f.Add("approval_01a20000", content)
	}
	f.Fuzz(func(t *testing.T, callID, content string) {
		m := transcript.Message{Role: transcript.Tool, ToolCallID: callID, Content: content}
		got, err := transcript.ReadToolAnswer(m)
		if err != nil {
			if !errors.Is(err, approval.ErrInvalid) || cmp.Diff(approval.Answer{}, got) != "" {
				t.Errorf("refused with %v beside %+v", err, got)
			}
			return
		}
		if transcript.CallID(got.ApprovalID) != callID || got.ApprovalID == "" {
			t.Errorf("%q is about %q", callID, got.ApprovalID)
		}
		if got.Status != approval.Approved && got.Status != approval.Denied && got.Status != approval.Cancelled {
			t.Errorf("%q is %q", content, got.Status)
		}
		if got.Status == approval.Approved {
			checkApproves(t, content)
		}
	})
}

// checkApproves reads the content with another library, word by word.
func checkApproves(t *testing.T, content string) {
	d := stdjson.NewDecoder(bytes.NewReader([]byte(content)))
	first, _ := d.Token()
	grounds := 0
	for d.More() {
		name, _ := d.Token()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q approves, and is not JSON: %v", content, err)
		}
		switch name {
		case "decision", "response", "status":
			word, _ := v.(string)
			if status, _, err := approval.ParseWord(word); err != nil || status != approval.Approved {
				t.Errorf("%q approves, with %v %q", content, name, word)
			}
			grounds++
		case "approved":
			if v != true {
				t.Errorf("%q approves", content)
			}
			grounds++
		default:
			if !slices.Contains([]any{"scope", "message", "toolName", "toolArgs", "workingDirectory", "rememberChoice", "data"}, any(name)) {
				t.Errorf("%q approves, with the name %v", content, name)
			}
		}
	}
	_, _ = d.Token()
	if _, err := d.Token(); first != stdjson.Delim('{') || grounds == 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%q approves, for %d reasons", content, grounds)
	}
}
