package wsapprover_test

import (
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
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func at(second int) time.Time { return time.Date(2026, 11, 27, 12, 0, second, 0, time.UTC) }

func goldenRequest() approval.Request {
	return approval.Request{
		ApprovalID: "01a20000-0000-7000-8000-00000000000a", SessionID: "01a20000-0000-7000-8000-000000000001",
		AgentID: "demo", Type: approval.ToolConfirmation, ToolName: "shell", ToolDigest: "sha256:00",
		ToolCallID: "01a20000-0000-7000-8000-00000000000c", Args: tool.JSON(`{"command":"uname -a"}`), Editable: true,
		ArgsDigest:       "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		WorkingDirectory: "/srv/demo", Message: "Execute shell command: uname -a",
		Policy: approval.PolicyReason{Rule: "approval.required: true"}, Scopes: []approval.Scope{approval.Once, approval.Session},
		Covers: []approval.Coverage{
			approval.Exactly(),
			{Kind: approval.CoverCommand, Text: "commands like: uname *", Command: []string{"uname *"}},
			approval.WholeTool("shell"),
		},
		Risk:   approval.Risk{Level: approval.RiskMedium, Reasons: []string{"runs a command"}},
		Origin: approval.Origin{Kind: "agent"}, RequestedAt: at(0), ExpiresAt: at(59), Rev: 1,
	}
}

func goldenResponse(status approval.Status, reason approval.Reason, by approval.By) approval.Response {
	r := goldenRequest()
	out := approval.Response{
		ApprovalID: r.ApprovalID, SessionID: r.SessionID, Status: status, Reason: reason,
		ArgsDigest: r.ArgsDigest, By: by, At: at(5), Rev: 2,
	}
	if status == approval.Approved {
		out.Scope = approval.Once
	}
	return out
}

func goldenGrant() approval.Grant {
	r := goldenRequest()
	return approval.Grant{
		ID: "01a20000-0000-7000-8000-00000000000f", Scope: approval.Session, AgentID: r.AgentID, SessionID: r.SessionID,
		ToolName: r.ToolName, Covers: r.Covers[1], Digest: r.ArgsDigest, ToolDigest: "sha256:00", ApprovalID: r.ApprovalID,
		GivenBy: approval.By{Subject: "ada", Via: "websocket"}, GivenAt: at(5), ExpiresAt: at(59), MaxUses: 5, Uses: 1,
	}
}

func goldenSession() session.Session {
	r := goldenRequest()
	return session.Session{
		ID: r.SessionID, AgentID: "demo", Kind: session.KindAgent, Title: "Disk check",
		CreatedAt: at(0), CreatedBy: "ada", Status: session.StatusWaitingApproval, TurnOpen: true, Seq: 5,
		PendingApprovals: []session.PendingApproval{{
			ApprovalID: r.ApprovalID, Seq: 5, SessionID: r.SessionID, AgentID: r.AgentID, ToolName: r.ToolName, RequestedAt: r.RequestedAt, ExpiresAt: r.ExpiresAt,
			ToolCall: session.ToolCall{ID: r.ToolCallID, Name: r.ToolName, Args: r.Args},
		}},
	}
}

// event is a journal event as a frame carries it.
func journaled(t *testing.T, seq int64, kind session.Type, data any) session.Event {
	t.Helper()
	raw, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return session.Event{SessionID: goldenRequest().SessionID, Seq: seq, Type: kind, At: at(int(seq)), Data: raw}
}

func serverFrames(t *testing.T) map[string]struct {
	event, id string
	data      any
} {
	person, system := approval.By{Subject: "ada", Via: "websocket"}, approval.By{Subject: "system", Via: "system"}
	req, approved := goldenRequest(), goldenResponse(approval.Approved, "", person)
	denied := goldenResponse(approval.Denied, approval.UserDenied, person)
	denied.Message = "not on a Friday"
	timeout := goldenResponse(approval.Denied, approval.Timeout, system)
	remembered, byGrant := approved, goldenResponse(approval.Approved, "", approval.By{Subject: "ada", Via: approval.ViaGrant})
	given := goldenGrant()
	remembered.Scope, remembered.Grant, remembered.GrantID = approval.Session, approval.GrantTerms{Covers: approval.CoverCommand, Uses: 5}, given.ID
	byGrant.GrantID = given.ID
	ended, _ := given.End(approval.GrantRevoked, person, at(9))
	call := session.ToolCall{ID: req.ToolCallID, ProviderID: "call_0", Name: "shell", Args: req.Args}
	type f = struct {
		event, id string
		data      any
	}
	return map[string]f{
		"welcome":                      {"welcome", "", wsapprover.Welcome{ServerTime: at(1), Identity: ada(), Protocol: wsapprover.Protocol, Version: "1.2.3"}},
		"snapshot":                     {"snapshot", "", door.Snapshot{Pending: []door.Request{{Request: req}}, Sessions: []door.Session{{Session: goldenSession()}}}},
		"snapshot-more":                {"snapshot", "", door.Snapshot{Pending: []door.Request{}, Sessions: []door.Session{{Session: goldenSession()}}, More: true}},
		"snapshot-empty":               {"snapshot", "", door.Snapshot{Pending: []door.Request{}, Sessions: []door.Session{}}},
		"approvalRequest":              {"approvalRequest", "", req},
		"approvalResponse-approved":    {"approvalResponse", "", approved},
		"approvalResponse-denied":      {"approvalResponse", "", denied},
		"approvalResponse-grant":       {"approvalResponse", "", remembered},
		"approvalResponse-by-grant":    {"approvalResponse", "", byGrant},
		"sessionEvent-grant-given":     {"sessionEvent", "", journaled(t, 7, session.TypeGrantGiven, given)},
		"sessionEvent-grant-ended":     {"sessionEvent", "", journaled(t, 10, session.TypeGrantEnded, ended)},
		"approvalResponse-timeout":     {"approvalResponse", "", timeout},
		"sessionEvent-created":         {"sessionEvent", "", journaled(t, 1, session.TypeCreated, session.Created{Session: session.Session{ID: req.SessionID, AgentID: "demo", Kind: session.KindAgent, Title: "Disk check", CreatedAt: at(0), CreatedBy: "ada", Status: session.StatusIdle, Seq: 1}})},
		"sessionEvent-user":            {"sessionEvent", "", journaled(t, 2, session.TypeUserMessage, session.UserMessage{Text: "run: uname -a", By: "ada"})},
		"sessionEvent-turn-started":    {"sessionEvent", "", journaled(t, 3, session.TypeTurnStarted, session.TurnStarted{TurnID: "01a20000-0000-7000-8000-00000000000d"})},
		"sessionEvent-assistant":       {"sessionEvent", "", journaled(t, 4, session.TypeAssistantMessage, session.AssistantMessage{MessageID: "01a20000-0000-7000-8000-00000000000e", Seen: 3, Text: "I will look.", ToolCalls: []session.ToolCall{call}})},
		"sessionEvent-requested":       {"sessionEvent", "", journaled(t, 5, session.TypeApprovalRequested, req)},
		"sessionEvent-resolved":        {"sessionEvent", "", journaled(t, 6, session.TypeApprovalResolved, approved)},
		"sessionEvent-below-requested": {"sessionEvent", "", journaled(t, 5, session.TypeBelowRequested, goldenBelow().Below())},
		"sessionEvent-below-resolved":  {"sessionEvent", "", journaled(t, 6, session.TypeBelowResolved, denied.Below())},
		"approvalRequest-below":        {"approvalRequest", "", goldenBelow()},
		"sessionEvent-tool-result":     {"sessionEvent", "", journaled(t, 7, session.TypeToolResult, session.ToolResult{CallID: call.ID, ApprovalID: req.ApprovalID, ToolName: "shell", Result: tool.Result{Text: "Linux", Structured: tool.JSON(`{"exitCode":0,"stdout":"Linux\n"}`)}})},
		"sessionEvent-turn-finished":   {"sessionEvent", "", journaled(t, 8, session.TypeTurnFinished, session.TurnFinished{TurnID: "01a20000-0000-7000-8000-00000000000d", Outcome: session.Completed, Heard: 2, Calls: session.Calls{Settled: 2, Denied: 1, Unanswered: 1}})},
		"sessionEvent-ended":           {"sessionEvent", "", journaled(t, 9, session.TypeEnded, session.Ended{Outcome: session.Cancelled, By: "ada"})},
		"halt":                         {"halt", "", approval.Halt{AgentID: "demo", On: true, By: person, At: at(6)}},
		"halt-lifted":                  {"halt", "", approval.Halt{By: person, At: at(7)}},
		"mode":                         {"mode", "", approval.ModeSetting{AgentID: "demo", Mode: approval.AutoDeny, Version: 3, Configured: approval.Manual, SetBy: person, SetAt: at(6)}},
		"delta":                        {"delta", "", session.Delta{SessionID: req.SessionID, MessageID: "01a20000-0000-7000-8000-00000000000e", Offset: 2, Text: "will "}},
		"progress":                     {"progress", "", session.Progress{SessionID: req.SessionID, CallID: call.ID, Done: 3, Total: 10, Message: "indexing"}},
		"sessionEvent-assistant-rich":  {"sessionEvent", "", journaled(t, 4, session.TypeAssistantMessage, session.AssistantMessage{MessageID: "01a20000-0000-7000-8000-00000000000e", Seen: 3, Text: "It is", Reasoning: "They want to know the system.", Stop: "length", Model: "gpt", Usage: session.Usage{Input: 1200, Cached: 800, Output: 50, Cost: 0.0021}})},
		"sessionEvent-image":           {"sessionEvent", "", journaled(t, 7, session.TypeToolResult, session.ToolResult{CallID: call.ID, ApprovalID: req.ApprovalID, ToolName: "shell", Result: tool.Result{Text: "a plot", Images: []tool.Image{{MIME: "image/png", Data: []byte("\x89PNG")}}}})},
		"approvalRequest-server":       {"approvalRequest", "", goldenQuestion(req)},
		"presence":                     {"presence", "", wsapprover.Presence{ApprovalID: req.ApprovalID, Viewers: []string{"ada", "bob"}}},
		"toolCall":                     {"toolCall", "", wsapprover.ToolCall{ToolCallID: call.ID, SessionID: req.SessionID, AgentID: "demo", ToolName: "ui.copyText", Args: tool.JSON(`{"text":"hello"}`), ExpiresAt: at(30)}},
		"toolCancel":                   {"toolCancel", "", wsapprover.ToolCancel{ToolCallID: call.ID}},
		"ack":                          {"ack", "7", wsapprover.Ack{}},
		"ack-message":                  {"ack", "8", wsapprover.Ack{Seq: 2}},
		"ack-words":                    {"ack", "8", wsapprover.Ack{Answered: []string{req.ApprovalID}, Note: "approved: shell"}},
		"ack-answer":                   {"ack", "9", wsapprover.Ack{Response: &door.Response{Response: approved}}},
		"error":                        {"error", "10", wsapprover.Failure{Code: "bad_frame", Message: "data.status: unknown status \"yes\": use approved, denied or cancelled"}},
		"error-already-decided":        {"error", "11", wsapprover.Failure{Code: "already_decided", Message: "already decided: approved by ada", Response: &door.Response{Response: approved}}},
	}
}

// goldenBelow is what a sub-agent asks.
func goldenBelow() approval.Request {
	r := goldenRequest()
	r.SessionID, r.Above = "01a20000-0000-7000-8000-000000000011", []string{r.SessionID}
	r.AgentID, r.Origin.Parent = "researcher", "demo › researcher"
	return r
}

// goldenQuestion is one that an MCP server asks in the middle of a call.
func goldenQuestion(of approval.Request) approval.Request {
	return approval.Request{
		ApprovalID: "01a20000-0000-7000-8000-00000000000f", SessionID: of.SessionID, AgentID: "demo", Type: approval.Elicitation,
		ToolCallID: of.ToolCallID + "/01a20000-0000-4000-8000-000000000010", ArgsDigest: of.ArgsDigest, Message: "Which branch?",
		Schema: tool.JSON(`{"type":"object","properties":{"branch":{"type":"string"}},"required":["branch"]}`),
		Scopes: []approval.Scope{approval.Once}, Origin: approval.Origin{Kind: approval.OriginServer, Client: "files"},
		RequestedAt: of.RequestedAt, ExpiresAt: of.ExpiresAt, Rev: 9,
	}
}

func TestWhatTheServerSendsHasTheFormOfTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, f := range serverFrames(t) {
		t.Run(name, func(t *testing.T) {
			raw, err := wsapprover.EncodeFrame(f.event, f.id, f.data)
			if err != nil {
				t.Fatal(err)
			}
			got := jsontext.Value(raw)
			if err := got.Indent(jsontext.WithIndent("  ")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "frames", name+".json")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
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
				t.Errorf("(-golden +sent):\n%s", diff)
			}
		})
	}
}

func TestEveryGoldenFileOfTheServerIsMadeByTheServer(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/frames/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	frames := serverFrames(t)
	for _, path := range files {
		if _, ok := frames[strings.TrimSuffix(filepath.Base(path), ".json")]; !ok {
			t.Errorf("%s is made by nothing", path)
		}
	}
}

func TestWhatAClientSendsIsReadInTheFormOfTheGoldenFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/client/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := wsapprover.DecodeFrame(raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := wsapprover.DecodeData(f); err != nil {
				t.Error(err)
			}
		})
	}
}

func FuzzDecodeFrame(f *testing.F) {
	files, err := filepath.Glob("testdata/client/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"event":"approvalResponse","data":{"approvalId":"a","status":"denied","STATUS":"approved"}}`))
	f.Add([]byte(`{"event":"approvalResponse","data":{"approvalId":"a","status":"denied","status":"approved"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := wsapprover.DecodeFrame(raw)
		if err != nil {
			return
		}
		if wsapprover.DecodeData(frame) != nil {
			return
		}
		// What is taken must mean the same to every reader: it is one JSON
		// object, and an answer's status is one of the three.
		var lenient struct {
			Data struct {
				Status string `json:"status"`
			} `json:"data"`
		}
		if err := json.Unmarshal(raw, &lenient); err != nil {
			t.Fatalf("%q was taken, but is no JSON: %v", raw, err)
		}
		if frame.Event == "approvalResponse" {
			switch approval.Status(lenient.Data.Status) {
			case approval.Approved, approval.Denied, approval.Cancelled, approval.Pending, "":
			default:
				t.Fatalf("%q was taken as an answer", raw)
			}
		}
	})
}
