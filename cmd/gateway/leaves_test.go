package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// What leaves for somebody outside (MCP servers, providers of models, programs that
// claim their calls) is what the journal says: nothing is changed behind the record.

// bank is an MCP server on HTTP that asks a question in each call, and keeps what it
// is sent.
type bank struct {
	answers chan string

	mu   sync.Mutex
	sent []string // arguments of calls, and answers to questions, as they came
}

func (b *bank) keep(sent tool.JSON) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = append(b.sent, string(sent))
}

// All that is asked here has defaults, of every kind.
const (
	bankTools = `{"tools":[{"name":"pay","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"sum":{"type":"number","default":5},"why":{"type":"string","default":"rent"}},"required":["to"]}}]}`
	bankForm  = `{"type":"object","required":["must"],"properties":{"must":{"type":"string","default":"m"},"wipe":{"type":"boolean","default":true},"n":{"type":"integer","default":3},` +
		`"share":{"type":"number","default":0.50},"of":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["b"]},"free":{"type":"string"}}}`
)

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     tool.JSON `json:"id"`
		Method string    `json:"method"`
		Params struct {
			Arguments tool.JSON `json:"arguments"`
		} `json:"params"`
		Result struct {
			Content tool.JSON `json:"content"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return
	}
	result := ""
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bank","version":"1"}}`
	case "tools/list":
		result = bankTools
	case "tools/call":
		b.keep(m.Params.Arguments)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"How?","requestedSchema":%s}}`+"\n\n", bankForm)
		w.(http.Flusher).Flush()
		fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`+"\n\n", m.ID, "paid \x1b[31m\u202e "+<-b.answers)
		return
	case "server/discover":
		sendJSON(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		return
	case "":
		b.keep(m.Result.Content)
		b.answers <- "as told"
		fallthrough
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	sendJSON(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func sendJSON(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, format, args...)
}

// journal are the events of a session.
func (p *process) journal(sessionID string) []session.Event {
	p.t.Helper()
	var j struct {
		Events []session.Event `json:"events"`
	}
	if err := p.request("GET", "/api/sessions/"+sessionID+"/events?limit=500", nil, &j); err != nil {
		p.t.Fatal(err)
	}
	return j.Events
}

// recorded is what left by the journal: the arguments of cleared calls, and the
// accepted answers to questions, in the order in which they were answered.
func recorded(t *testing.T, events []session.Event) (left []string) {
	t.Helper()
	asked := map[string]approval.Request{}
	for _, e := range events {
		var r approval.Request
		var a approval.Response
		switch e.Type {
		case session.TypeApprovalRequested:
			if err := e.Decode(&r); err != nil {
				t.Fatal(err)
			}
			asked[r.ApprovalID] = r
		case session.TypeApprovalResolved:
			if err := e.Decode(&a); err != nil {
				t.Fatal(err)
			}
			if r = asked[a.ApprovalID]; a.Status != approval.Approved {
				continue
			}
			what := a.FormData
			if r.Type == approval.ToolConfirmation {
				var err error
				if what, err = (approval.Approval{Request: r, Response: a}).RunArgs(); err != nil {
					t.Fatal(err)
				}
			}
			left = append(left, string(what))
		}
	}
	return left
}

// same compares what was sent with what was recorded, down to the number of a digit.
func same(t *testing.T, recorded, sent []string) {
	t.Helper()
	for _, all := range [][]string{recorded, sent} {
		for i, v := range all {
			c, err := strictjson.Canonicalize([]byte(v))
			if err != nil {
				t.Fatalf("%q: %v", v, err)
			}
			all[i] = string(c.Value())
		}
	}
	if diff := cmp.Diff(recorded, sent); diff != "" {
		t.Errorf("(-recorded +sent):\n%s", diff)
	}
}

// protocolWords are the names in a provider's messages whose values are the protocol's.
var protocolWords = []string{"role", "type", "id", "tool_use_id", "tool_call_id", "name", "call_id"}

// said are all texts in a value, and the arguments of calls as canonical JSON.
func said(t *testing.T, v any, add func(text string)) {
	t.Helper()
	switch v := v.(type) {
	case string:
		add(v)
	case []any:
		for _, part := range v {
			said(t, part, add)
		}
	case map[string]any:
		for name, part := range v {
			if slices.Contains(protocolWords, name) {
				continue
			}
			if name == "args" || name == "input" || name == "arguments" {
				add(argsOf(t, part))
				continue
			}
			said(t, part, add)
		}
	}
}

func argsOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if text, ok := v.(string); ok {
		raw = []byte(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := strictjson.Canonicalize(raw)
	if err != nil {
		t.Fatalf("arguments %s: %v", raw, err)
	}
	return string(c.Value())
}

func TestWhatLeavesIsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"openai", "anthropic", "google"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			b := &bank{answers: make(chan string, 9)}
			site := httptest.NewServer(b)
			t.Cleanup(site.Close)
			p := &provider{dialect: dialect, call: `bank__pay {"to":"ada","sum":7.50}`}
			d := p.modelled(t, t.TempDir(), "manual", "bank: {url: "+site.URL+"}")
			for n, answers := range [][2]string{
				{`{"status":"approved"}`, `{"status":"approved","formData":{"must":"x"}}`},
				{`{"status":"approved","edit":{"to":"bob","sum":null}}`, `{"status":"approved","formData":{"must":"x","wipe":false,"n":4,"share":1.50,"of":[],"free":"f"}}`},
				{`{"status":"approved","edit":{"why":"because"}}`, `{"status":"approved","formData":{"must":"x","share":1e2}}`},
				{`{"status":"denied","message":"not today"}`, ""},
			} {
				send(t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":"look %d"}}`, d.session, n)
				for _, answer := range answers {
					if answer == "" {
						continue
					}
					r, _ := d.next()
					send(t, d.ws, `{"event":"approvalResponse","data":{"approvalId":%q,%s}`, r.ApprovalID, strings.TrimPrefix(answer, "{"))
				}
				d.over()
			}
			events := d.journal(d.session)
			same(t, recorded(t, events), b.sent)
			wantKnown(t, events, p.taken())
		})
	}
}

// wantKnown fails for each text in what a provider was sent that is not in the journal.
func wantKnown(t *testing.T, events []session.Event, bodies []string) {
	t.Helper()
	known := map[string]bool{}
	for _, e := range events {
		var v any
		if err := json.Unmarshal(e.Data, &v); err != nil {
			t.Fatal(err)
		}
		said(t, v, func(text string) {
			known[text], known["Error: "+text] = true, true
			// What no model is to read of a result is written out for it; see agent.
			known[strings.NewReplacer("\x1b[31m", "", "\u202e", "⟨U+202E⟩").Replace(text)] = true
		})
	}
	found := 0
	for _, body := range bodies {
		var sent struct {
			Messages []map[string]any `json:"messages"`
			Contents []map[string]any `json:"contents"`
		}
		if err := json.Unmarshal([]byte(body), &sent); err != nil {
			t.Fatal(err)
		}
		for _, m := range slices.Concat(sent.Messages, sent.Contents) {
			if m["role"] == "system" {
				continue // what the configuration says
			}
			said(t, m, func(text string) {
				if found++; !known[text] {
					t.Errorf("the provider was sent %q, which the journal has not", text)
				}
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d texts were sent in %d requests", found, len(bodies))
	}
}

func TestWhatAProgramClaimsIsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strings.Replace(declared, "auto-approve", "manual", 1))
	asks := client.New(p.url, p.token("coder", auth.Agent))
	var sent []string
	sessionID := ""
	for args, answer := range map[string]string{
		`{"n":7.50,"z":[],"s":"x"}`:    `{"status":"approved"}`,
		`{"n":7.50,"z":[],"s":"x1"}`:   `{"status":"approved","edit":{"n":8,"s":null}}`,
		`{}`:                           `{"status":"approved"}`,
		`{"n":9007199254740991,"e":1}`: `{"status":"approved","edit":{"e":{"deep":[1,2,{"x":null}]}}}`,
	} {
		row, err := asks.Ask(t.Context(), client.Question{
			AgentID: "coder", ToolName: "Pay", Args: tool.JSON(args), Editable: true,
			Schema: tool.JSON(`{"type":"object","properties":{"why":{"type":"string","default":"rent"}}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		if !p.took("/api/approvals/"+row.ApprovalID, tool.JSON(answer)) {
			t.Fatalf("%s was not taken", answer)
		}
		claimed, _, err := asks.Claim(t.Context(), row.ApprovalID)
		if err != nil {
			t.Fatal(err)
		}
		sent, sessionID = append(sent, string(claimed)), row.SessionID
	}
	same(t, recorded(t, p.journal(sessionID)), sent)
}
