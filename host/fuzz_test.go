package host

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type silent struct{}

func (silent) Next(context.Context) (string, error) { return "", io.EOF }
func (silent) Said(string)                          {}
func (silent) Note(string)                          {}
func (silent) Failed(string)                        {}

// Whatever an agent or an editor writes, nothing is answered with a yes while the gateway
// refuses all, and nothing panics.
func FuzzNothingIsClearedByWhatIsWritten(f *testing.F) {
	for _, seed := range []string{
		`{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"call_1","command":"make","cwd":"/x"}}`,
		`{"id":1,"method":"item/fileChange/requestApproval","params":{"threadId":"t","itemId":"call_2","grantRoot":null}}`,
		`{"method":"item/started","params":{"item":{"type":"fileChange","id":"call_2","changes":[{"path":"/a","kind":{"type":"update","move_path":"/b"}}]}}}`,
		`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"x","kind":"execute","rawInput":{"command":"make"}},"options":[{"optionId":"once","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}`,
		`{"jsonrpc":"2.0","id":0,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a","content":"x"}}`,
		`{"jsonrpc":"2.0","id":"x","method":"terminal/create","params":{"sessionId":"s","command":"make","args":["a"]}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback","input":{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t"}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make"},"tool_use_id":"t"}}`,
	} {
		f.Add([]byte(seed))
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"status":403,"detail":"no"}`, http.StatusForbidden)
	}))
	f.Cleanup(refusing.Close)
	transport := &http.Transport{DisableKeepAlives: true}
	claudeCode, _ := hook.Of("claude-code")
	f.Fuzz(func(t *testing.T, raw []byte) {
		h := Host{Agent: claudeCode, Gateway: client.New(refusing.URL, "").Using(&http.Client{Transport: transport}), Talk: silent{}, Folder: "/"}
		var toAgent, toEditor bytes.Buffer
		agent := jsonrpc.NewLine(strings.NewReader(""), &toAgent)

		var m jsonrpc.Message
		if json.Unmarshal(raw, &m) == nil {
			x := &codex{Host: h, Peer: jsonrpc.NewPeer(agent, ""), turn: make(chan string, 1)}
			x.take(t.Context(), m)
			x.asked.running.Wait()

			a := &acp{Host: h, agent: agent, editor: jsonrpc.NewLine(strings.NewReader(""), &toEditor), asks: map[string]int{}}
			a.heard(m, raw)
			a.wanted(t.Context(), m, raw)
			a.asked.running.Wait()
		}
		var c claudeMessage
		if json.Unmarshal(raw, &c) == nil {
			x := &claude{Host: h, Line: agent, end: func(error) {}}
			x.show(c)
			x.answer(t.Context(), c)
		}
		for told := range strings.Lines(toAgent.String()) {
			var said struct {
				Result struct {
					Decision string `json:"decision"`
					Outcome  struct {
						ID string `json:"optionId"`
					} `json:"outcome"`
				} `json:"result"`
				Response struct {
					Response jsontext.Value `json:"response"`
				} `json:"response"`
			}
			if err := json.Unmarshal([]byte(told), &said); err != nil {
				t.Errorf("the agent is told %s: %v", told, err)
			}
			var asked acpParams
			_ = json.Unmarshal(m.Params, &asked) // then it has no options
			rejects := said.Result.Outcome.ID == ""
			for _, o := range asked.Options {
				rejects = rejects || o.ID == said.Result.Outcome.ID && o.Kind == "reject_once"
			}
			hooked := string(said.Response.Response)
			if said.Result.Decision == "accept" || !rejects || strings.Contains(hooked, `"allow"`) || strings.Contains(hooked, `"retry":true`) {
				t.Errorf("the agent is told %s", told)
			}
		}
		if toEditor.Len() > 0 {
			t.Errorf("the editor is asked %s", &toEditor)
		}
	})
}
