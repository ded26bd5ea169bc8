package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// said is a message of ours as a server reads it.
type said struct {
	ID     tool.JSON `json:"id,omitzero"`
	Method string    `json:"method,omitzero"`
	Params struct {
		Name      string    `json:"name,omitzero"`
		Arguments tool.JSON `json:"arguments,omitzero"`
		Cursor    string    `json:"cursor,omitzero"`
	} `json:"params,omitzero"`
	Whole tool.JSON `json:"-"`
}

func read(line []byte) said {
	var m said
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	m.Whole = append(m.Whole, line...)
	return m
}

func (m said) result(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (m said) fails(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, message)
}

func (m said) says(text string) string {
	return m.result(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text))
}

// first answers what a connection begins with; false where it is something else.
func (m said) first(name string) (string, bool) {
	switch m.Method {
	case "server/discover":
		return m.fails(-32601, "no such method"), true
	case "initialize":
		return m.result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":` + name + `,"version":"1"}}`), true
	case "logging/setLevel":
		return m.result("{}"), true
	}
	return "", false
}

// beEvil serves two tools. "say" writes the lines of its arguments as often as
// they tell, with $ID for the call's id and $N for how often, and then answers,
// unless it is told not to. It reads nothing meanwhile. "heard" tells what came
// that was no call.
func beEvil() {
	var heard []string
	out := bufio.NewWriter(os.Stdout)
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m := read(line)
		answer, isFirst := m.first(`"evil"`)
		switch {
		case isFirst:
			fmt.Fprintln(out, answer)
		case m.Method == "tools/list":
			fmt.Fprintln(out, m.result(`{"tools":[{"name":"say","inputSchema":{"type":"object"}},{"name":"heard","inputSchema":{"type":"object"}}]}`))
		case m.Method == "tools/call" && m.Params.Name == "heard":
			fmt.Fprintln(out, m.says(strings.Join(heard, "\n")))
		case m.Method == "tools/call":
			var args struct {
				Lines  []string `json:"lines"`
				Times  int      `json:"times"`
				Silent bool     `json:"silent"`
			}
			if err := json.Unmarshal(m.Params.Arguments, &args); err != nil {
				panic(err)
			}
			for n := range max(args.Times, 1) {
				for _, l := range args.Lines {
					fmt.Fprintln(out, strings.NewReplacer("$ID", string(m.ID), "$N", fmt.Sprint(n)).Replace(l))
				}
			}
			if !args.Silent {
				fmt.Fprintln(out, m.says("alive"))
			}
		default:
			heard = append(heard, string(m.Whole))
		}
		_ = out.Flush()
	}
}

// lines are the arguments of beEvil's "say".
func lines(times int, silent bool, all ...string) string {
	text, err := json.Marshal(map[string]any{"lines": all, "times": times, "silent": silent})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// raw is a server on streamable HTTP that is made by hand.
type raw struct {
	name   string                     // as JSON
	tools  func(cursor string) string // nil: not found
	call   func(w http.ResponseWriter, r *http.Request, m said)
	reply  func(w http.ResponseWriter, m said) // to an answer of ours to a question
	events chan string                         // go to the stream that is always open

	mu    sync.Mutex
	calls []string // the names of the tools that were called
}

func newRaw() *raw {
	return &raw{
		name: `"raw"`,
		tools: func(string) string {
			return `{"tools":[{"name":"pay","inputSchema":{"type":"object"}},{"name":"look","inputSchema":{"type":"object"}}]}`
		},
		call:   func(w http.ResponseWriter, _ *http.Request, m said) { sendJSON(w, m.says("done")) },
		reply:  func(w http.ResponseWriter, _ said) { w.WriteHeader(http.StatusAccepted) },
		events: make(chan string, 9),
	}
}

// called is how often a tool was called.
func (s *raw) called(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c == name {
			n++
		}
	}
	return n
}

func (s *raw) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		openStream(w)
		for {
			select {
			case e := <-s.events:
				sendEvent(w, e)
			case <-r.Context().Done():
				return
			}
		}
	case http.MethodDelete:
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m := read(body)
	answer, isFirst := m.first(s.name)
	switch {
	case isFirst:
		w.Header().Set("Mcp-Session-Id", "sess-SECRET")
		sendJSON(w, answer)
	case m.Method == "tools/list" && s.tools == nil:
		w.WriteHeader(http.StatusNotFound)
	case m.Method == "tools/list":
		sendJSON(w, m.result(s.tools(m.Params.Cursor)))
	case m.Method == "tools/call":
		s.mu.Lock()
		s.calls = append(s.calls, m.Params.Name)
		s.mu.Unlock()
		s.call(w, r, m)
	case m.Method == "":
		s.reply(w, m)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func sendJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, text)
}

func openStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
}

func sendEvent(w http.ResponseWriter, data string) {
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	w.(http.Flusher).Flush()
}

// served is where a server made by hand is reached.
func served(t *testing.T, s http.Handler) mcp.Config {
	t.Helper()
	site := httptest.NewServer(s)
	t.Cleanup(func() {
		site.CloseClientConnections()
		site.Close()
	})
	return mcp.Config{Name: "bank", URL: site.URL + "/mcp"}
}

// question is a request for a form with one field.
func question(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"elicitation/create","params":{"message":"whose?","requestedSchema":{"type":"object","properties":{"p":{"type":"string"}}}}}`, id)
}
