package mcpgate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/mcpgate"
)

// serve runs a server of the SDK that has something of everything.
func serve(t *testing.T, in io.ReadCloser, out io.WriteCloser) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "all", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"a", "b"}}}, nil
		},
	})
	schema := map[string]any{"type": "object"}
	s.AddTool(&mcp.Tool{Name: "echo", Description: "Says it again.", InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}, StructuredContent: map[string]any{"x": 1}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "steps", InputSchema: schema}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for n := range 3 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(n), Total: 3})
		}
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "a:b", Name: "r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "a:b", Text: "text"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}, nil
	})
	over := make(chan error, 1)
	go func() { over <- s.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}) }()
	t.Cleanup(func() {
		_ = errors.Join(in.Close(), out.Close())
		<-over
	})
}

// talk sends each message, and returns all that is heard up to its answer.
func talk(w *wire, script []string) (heard []string) {
	for _, m := range script {
		w.say(m)
		id := part(w.t, m, "id")
		for id != nil {
			got := w.hear()
			heard = append(heard, canonical(w.t, got))
			if string(part(w.t, got, "id")) == string(id) {
				break
			}
		}
	}
	return heard
}

// With and without the gate the same script gets the same answers, in the same order, while
// calls are cleared at once.
func TestTheGateChangesNothingOfWhatIsSaid(t *testing.T) {
	d := open(t)
	hello := map[string][]string{
		"2025-11-25": {`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`},
		"2026-07-28": {`{"jsonrpc":"2.0","id":"hello","method":"server/discover","params":{META}}`},
	}
	for version, begin := range hello {
		rapid.Check(t, func(rt *rapid.T) {
			script := append([]string{}, begin...)
			for n := range rapid.IntRange(1, 8).Draw(rt, "length") {
				m := rapid.SampledFrom(methods).Draw(rt, "method")
				script = append(script, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, n, m))
			}
			meta := ""
			if version >= "2026" {
				meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"t"}`
			}
			for i := range script {
				script[i] = strings.ReplaceAll(strings.ReplaceAll(script[i], "META,", strings.TrimPrefix(meta+",", ",")), "META", meta)
			}
			var with, without []string
			t.Run("x", func(t *testing.T) {
				direct, far := pipes(t)
				serve(t, far.in, far.out)
				without = talk(direct, script)

				theirs, far := pipes(t)
				serve(t, far.in, far.out)
				ours, gated := wires(t)
				over := make(chan error, 1)
				go func() {
					over <- mcpgate.New(mcpgate.Options{Server: "all", AgentID: "free", Gateway: d.asks}, gated.conn, theirs.conn).Run(context.Background())
				}()
				with = talk(ours, script)
				ours.close()
				<-over
			})
			if diff := cmp.Diff(without, with); diff != "" {
				rt.Errorf("%s: with the gate it is another answer:\n%s", version, diff)
			}
		})
	}
}

var methods = []string{
	`"tools/list","params":{META}`,
	`"tools/call","params":{META,"name":"echo","arguments":{"a":1.50,"b":["x",null]}}`,
	`"tools/call","params":{META,"name":"steps","arguments":{}}`,
	`"tools/call","params":{META,"name":"nothing","arguments":{}}`,
	`"resources/list","params":{META}`,
	`"resources/read","params":{META,"uri":"a:b"}`,
	`"resources/read","params":{META,"uri":"a:c"}`,
	`"resources/templates/list","params":{META}`,
	`"prompts/list","params":{META}`,
	`"prompts/get","params":{META,"name":"p"}`,
	`"completion/complete","params":{META,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":""}}`,
	`"logging/setLevel","params":{META,"level":"info"}`,
	`"ping","params":{META}`,
	`"nobody/knows","params":{META,"x":[1]}`,
}

// Whatever either side writes, no call reaches the server and nothing panics while the
// gateway can't be reached.
func FuzzNothingIsRunByWhatIsWritten(f *testing.F) {
	for _, seed := range []string{
		called, sample, `{"method":"tools/call","id":1,"params":{"name":"x"}}`, `{"id":1,"method":"tools\/call","params":{"name":"x","requestState":"s"}}`,
		`[` + called + `]`, `{"method":"tools/call","params":{"name":"x"}}`, `{"id":null,"method":"tools/call","params":{"name":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, `{"id":7,"result":{"resultType":"input_required"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") || strings.TrimSpace(line) == "" {
			return
		}
		s := (&desk{t: t, asks: unreachable()}).gate(mcpgate.Options{})
		go func() {
			for {
				if _, err := s.client.conn.Read(t.Context()); err != nil {
					return
				}
			}
		}()
		_ = s.server.conn.Write(t.Context(), []byte(line))
		_ = s.client.conn.Write(t.Context(), []byte(line))
		_ = s.client.conn.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/last"}`))
		for {
			raw, err := s.server.conn.Read(t.Context())
			if err != nil || strings.Contains(string(raw), "notifications/last") {
				return
			}
			if strings.EqualFold(strings.ReplaceAll(string(part2(string(raw), "method")), `\/`, "/"), `"tools/call"`) {
				t.Fatalf("%s has the server hear %s", line, raw)
			}
		}
	})
}
