package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/session"
)

// provider stands for the server of a model provider, in its dialect. A message of
// the user is answered with a call, a result of a call with words.
type provider struct {
	dialect string // as in agents.yaml
	limit   int    // bytes of a body; more is refused with 413; 0: none
	call    string // name and arguments, as in `notes__add {"text":"x"}`

	mu     sync.Mutex
	bodies []string // all that came, also what was refused
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.bodies = append(p.bodies, string(body))
	n := len(p.bodies)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if p.limit > 0 && len(body) > p.limit {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	answers := p.answers(n)
	if isAnswered(string(body)) {
		fmt.Fprint(w, answers[1])
		return
	}
	fmt.Fprint(w, answers[0])
}

// isAnswered reports whether the newest message of a body is the result of a call.
func isAnswered(body string) bool {
	newest := max(strings.LastIndex(body, `"text":"look`), strings.LastIndex(body, `"content":"look`))
	result := max(strings.LastIndex(body, `"role":"tool"`), strings.LastIndex(body, `"tool_result"`), strings.LastIndex(body, `"functionResponse"`))
	return result > newest
}

// answers are the n-th answer with a call, and with words.
func (p *provider) answers(n int) [2]string {
	name, args, _ := strings.Cut(p.call, " ")
	switch p.dialect {
	case "openai":
		return [2]string{
			fmt.Sprintf(`{"choices":[{"message":{"tool_calls":[{"id":"c%d","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}]}`, n, name, args),
			`{"choices":[{"message":{"content":"I see it."},"finish_reason":"stop"}]}`,
		}
	case "anthropic":
		return [2]string{
			fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"c%d","name":%q,"input":%s}],"stop_reason":"tool_use"}`, n, name, args),
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"I see it."}],"stop_reason":"end_turn"}`,
		}
	default:
		return [2]string{
			fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c%d","name":%q,"args":%s}}]},"finishReason":"STOP"}]}`, n, name, args),
			`{"candidates":[{"content":{"parts":[{"text":"I see it."}]},"finishReason":"STOP"}]}`,
		}
	}
}

// taken are the bodies that were not refused.
func (p *provider) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, body := range p.bodies {
		if p.limit == 0 || len(body) <= p.limit {
			all = append(all, body)
		}
	}
	return all
}

// modelled starts a gateway whose agent has this provider's model, and the tools of
// an MCP server.
func (p *provider) modelled(t *testing.T, dir, mode, server string) *desk {
	t.Helper()
	name, _, _ := strings.Cut(server, ":")
	site := httptest.NewServer(p)
	t.Cleanup(site.Close)
	return launchWith(t, "gateway", dir, `
models: {m: {provider: `+p.dialect+`, name: m, key: sk-of-a-test, baseURL: "`+site.URL+`"}}
mcpServers: {`+server+`}
agents: {demo: {model: m, mcp: {`+name+`: }, toolConfirmation: {mode: `+mode+`}}}
`).desk("demo")
}

func TestPicturesDoNotEndASessionWhoseProviderTakesNoMore(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"openai", "anthropic", "google"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			p := &provider{dialect: dialect, limit: 1 << 20, call: "notes__picture {}"} // one picture is 200,000 bytes in base64
			d := p.modelled(t, t.TempDir(), "auto-approve", "notes: {command: notes-server}")
			for n := range 12 {
				send(t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":"look %d"}}`, d.session, n)
				var over session.TurnFinished
				read(t, until(t, d.ws, "sessionEvent", `"turn.finished"`), &over)
				if over.Outcome != session.Completed {
					t.Fatalf("turn %d ends with %s", n, over.Message)
				}
			}
			taken := p.taken()
			last := taken[len(taken)-1]
			if len(taken) != 24 || !strings.Contains(last, "a picture, image/png of 150000 bytes, is left out here") || strings.Count(last, "AAAAAAAAAAAAAAAA") == 0 {
				t.Errorf("%d requests were taken; the last has %d bytes", len(taken), len(last))
			}
			for i, body := range p.bodies[1:] {
				if before := p.bodies[i]; len(before) > p.limit && len(body) >= len(before) {
					t.Errorf("after a refused body of %d bytes the next has %d", len(before), len(body))
				}
			}
		})
	}
}
