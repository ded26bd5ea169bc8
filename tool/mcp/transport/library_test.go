package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// wire answers requests without a network.
type wire func(req *http.Request) *http.Response

func (w wire) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := w(req)
	if resp == nil {
		return nil, errors.New("the line is down")
	}
	resp.Request = req
	return resp, nil
}

func reply(status int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}, "Mcp-Session-Id": {"sess-1234"}},
		Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1,
	}
}

// site is the transport of a server on HTTP, and its connection.
func site(t *testing.T, w wire) (*transport.Transport, sdk.Connection, *logged) {
	t.Helper()
	said := &logged{}
	tr := transport.NewHTTP(transport.Site{URL: "http://bank.example/mcp", Base: w}, said.log)
	conn, err := tr.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Shutdown(func() {}) })
	return tr, conn, said
}

func request(t *testing.T, method string) *jsonrpc.Request {
	t.Helper()
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: []byte("{}")}
}

// decoded is what a message has decoded into by the library's types.
func decoded[T any](t *testing.T, data []byte) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal(data, v, jsontext.AllowDuplicateNames(true)); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// Each schema or result stands in a message as $RAW.
var messages = map[string]struct {
	text string
	find func(t *testing.T, m jsonrpc.Message) (sdk.Meta, any)
}{
	"a tool's schema": {`{"jsonrpc":"2.0","id":"1","result":{"tools":[{"name":"a","_meta":{"lineclear/raw-json":"forged","own":1},"inputSchema":$RAW}]}}`, func(t *testing.T, m jsonrpc.Message) (sdk.Meta, any) {
		r := decoded[sdk.ListToolsResult](t, m.(*jsonrpc.Response).Result)
		if r.Tools[0].Name != "a" || r.Tools[0].Meta["own"] != 1.0 {
			t.Errorf("the tool is %+v", r.Tools[0])
		}
		return r.Tools[0].Meta, r.Tools[0].InputSchema
	}},
	"a structured result": {`{"jsonrpc":"2.0","id":"1","result":{"content":[],"structuredContent":$RAW}}`, func(t *testing.T, m jsonrpc.Message) (sdk.Meta, any) {
		r := decoded[sdk.CallToolResult](t, m.(*jsonrpc.Response).Result)
		return r.Meta, r.StructuredContent
	}},
	"a form": {`{"jsonrpc":"2.0","id":"1","method":"elicitation/create","params":{"message":"m","requestedSchema":$RAW}}`, func(t *testing.T, m jsonrpc.Message) (sdk.Meta, any) {
		p := decoded[sdk.ElicitParams](t, m.(*jsonrpc.Request).Params)
		return p.Meta, p.RequestedSchema
	}},
	"a form within a result": {`{"jsonrpc":"2.0","id":"1","result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"m","requestedSchema":$RAW}}}}}`, func(t *testing.T, m jsonrpc.Message) (sdk.Meta, any) {
		r := decoded[sdk.CallToolResult](t, m.(*jsonrpc.Response).Result)
		p, ok := r.InputRequests["q"].(*sdk.ElicitParams)
		if !ok {
			t.Fatalf("the result is %+v", r)
		}
		return p.Meta, p.RequestedSchema
	}},
}

func TestSchemasAndStructuredResultsPassAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	const raw = `{ "z":9007199254740993, "type":"object", "a":1.50, "z":null}`
	for name, tt := range messages {
		text := strings.ReplaceAll(tt.text, "$RAW", raw)
		check := func(how string, m jsonrpc.Message) {
			t.Helper()
			meta, decoded := tt.find(t, m)
			got, err := transport.RawJSON(meta, decoded)
			if diff := cmp.Diff(raw, string(got)); err != nil || diff != "" {
				t.Errorf("%s, %s: %v (-want +got):\n%s", name, how, err, diff)
			}
		}
		_, conn, _ := program(t, text, 1)
		if err := readAll(t, conn, func(m jsonrpc.Message) { check("of a program", m) }); err != nil {
			t.Error(err)
		}
		for how, resp := range map[string]*http.Response{
			"in an answer on HTTP": reply(http.StatusOK, "application/json; charset=utf-8", text),
			"in a stream on HTTP":  reply(http.StatusOK, "text/event-stream", "data: "+text+"\n\n"),
		} {
			_, conn, _ := site(t, func(*http.Request) *http.Response { return resp })
			if err := conn.Write(t.Context(), request(t, "tools/call")); err != nil {
				t.Fatal(err)
			}
			m, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			check(how, m)
		}
	}
}

func TestARawTextThatAServerForgesIsNotTaken(t *testing.T) {
	t.Parallel()
	_, conn, _ := program(t, `{"jsonrpc":"2.0","id":"1","result":{"content":[],"_meta":{"lineclear/raw-json":"{\"forged\":1}"},"x":{"structuredContent":1}}}`, 1)
	if err := readAll(t, conn, func(m jsonrpc.Message) {
		r := decoded[sdk.CallToolResult](t, m.(*jsonrpc.Response).Result)
		if got, err := transport.RawJSON(r.Meta, r.StructuredContent); err != nil || string(got) != "null" {
			t.Errorf("it is %s: %v", got, err)
		}
	}); err != nil {
		t.Error(err)
	}
}

func TestASiteThatFloodsIsCutOff(t *testing.T) {
	t.Parallel()
	tr, conn, _ := site(t, func(*http.Request) *http.Response {
		var stream strings.Builder
		for n := range 65 {
			fmt.Fprintf(&stream, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", n)
		}
		return reply(http.StatusOK, "text/event-stream", stream.String())
	})
	if err := conn.Write(t.Context(), request(t, "tools/call")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-tr.Done()
		cancel()
	}()
	for err := error(nil); err == nil; {
		_, err = conn.Read(ctx)
	}
	<-tr.Done()
	if !errors.Is(tr.Lost(), transport.ErrFlood) {
		t.Errorf("lost: %v", tr.Lost())
	}
}

func TestRequestsOfASiteThatAreAnsweredDoNotCountAsAFlood(t *testing.T) {
	t.Parallel()
	n := 0
	tr, conn, _ := site(t, func(req *http.Request) *http.Response { // each call brings a ping
		if req.Method != http.MethodPost {
			return reply(http.StatusOK, "", "")
		}
		if body, err := io.ReadAll(req.Body); err != nil || !strings.Contains(string(body), "tools/call") {
			return reply(http.StatusAccepted, "", "")
		}
		n++
		return reply(http.StatusOK, "text/event-stream", fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", n))
	})
	for range 100 {
		if err := conn.Write(t.Context(), request(t, "tools/call")); err != nil {
			t.Fatal(err)
		}
		var ping *jsonrpc.Request
		for ping == nil {
			m, err := conn.Read(t.Context())
			if err != nil {
				t.Fatalf("after %d: %v", n, err)
			}
			ping, _ = m.(*jsonrpc.Request) // the library answers the calls itself when the stream ends
		}
		if err := conn.Write(t.Context(), &jsonrpc.Response{ID: ping.ID, Result: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if tr.Lost() != nil {
		t.Errorf("lost: %v", tr.Lost())
	}
}

func TestARequestIsOverWithItsAnswer(t *testing.T) {
	t.Parallel()
	for name, resp := range map[string]*http.Response{
		"an answer": reply(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":"1","result":{}}`), "none": nil,
	} {
		over := make(chan (<-chan struct{}), 9)
		_, conn, _ := site(t, func(req *http.Request) *http.Response {
			over <- req.Context().Done()
			return resp
		})
		if err := conn.Write(t.Context(), request(t, "initialize")); (err == nil) != (resp != nil) {
			t.Errorf("%s: %v", name, err)
		}
		<-<-over
	}
}

func TestShutdownEndsWhatTheLibraryWouldWaitForWithoutAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr, conn, _ := site(t, func(req *http.Request) *http.Response {
			<-req.Context().Done()
			return nil
		})
		sent := make(chan error, 1)
		go func() { sent <- conn.Write(context.Background(), request(t, "tools/call")) }()
		tr.Shutdown(func() {
			if err := <-sent; err == nil {
				t.Error("the request has an answer")
			}
			if _, err := conn.Read(context.Background()); err == nil {
				t.Error("a message is read")
			}
		})
	})
}

func TestASiteLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	var hosts []string
	_, conn, _ := site(t, func(req *http.Request) *http.Response {
		hosts = append(hosts, req.URL.Host)
		resp := reply(http.StatusTemporaryRedirect, "", "")
		resp.Header.Set("Location", "http://other.example/mcp?key=sesame")
		return resp
	})
	err := conn.Write(t.Context(), request(t, "tools/call"))
	if err == nil || !strings.Contains(err.Error(), "it leads to another place, where nothing is sent: http://other.example") {
		t.Errorf("it says %v", err)
	}
	if diff := cmp.Diff([]string{"bank.example"}, hosts); diff != "" {
		t.Errorf("requests go to (-want +got):\n%s", diff)
	}
}

func TestOnlyACallWhoseFirstRequestIsRefusedHasNotRun(t *testing.T) {
	t.Parallel()
	done := `{"jsonrpc":"2.0","id":"1","result":{}}`
	for name, tt := range map[string]struct {
		sent    []string // methods, of which the last one is not found
		refused bool
	}{
		"the call":                  {[]string{"tools/call"}, true},
		"another round of the call": {[]string{"tools/call", "tools/call"}, false},
		"what is not the call":      {[]string{"tools/list"}, false},
	} {
		left := len(tt.sent) + 1
		tr, conn, _ := site(t, func(req *http.Request) *http.Response {
			if left--; left > 0 || req.Method != http.MethodPost {
				return reply(http.StatusOK, "application/json", done)
			}
			return reply(http.StatusNotFound, "text/plain", "no such session")
		})
		if err := conn.Write(t.Context(), request(t, "initialize")); err != nil || tr.Lost() != nil {
			t.Fatalf("%s: %v, lost: %v", name, err, tr.Lost())
		}
		if got := tr.Hide("the session sess-1234"); got != "the session ***" {
			t.Errorf("%s: the session's name is told: %s", name, got)
		}
		ctx, delivery := transport.WithDelivery(t.Context())
		var err error
		for _, method := range tt.sent {
			err = conn.Write(ctx, request(t, method))
		}
		if err == nil || !errors.Is(tr.Lost(), transport.ErrForgotten) || delivery.Refused() != tt.refused {
			t.Errorf("%s: %v, lost: %v, refused: %v", name, err, tr.Lost(), delivery.Refused())
		}
	}
}

func TestAPanicOfTheLibraryIsAnError(t *testing.T) {
	t.Parallel()
	var nothing *sdk.Tool
	got, err := transport.SafeCall(func() (string, error) { return nothing.Name, nil })
	if got != "" || err == nil || !strings.Contains(err.Error(), "what the server says makes no sense") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestHandlersAreNotGivenNonsense(t *testing.T) {
	t.Parallel()
	called := false
	handlers := transport.SafeHandlers(func(context.Context, string, sdk.Request) (sdk.Result, error) {
		called = true
		panic("stumbles")
	})
	for name, tt := range map[string]struct {
		req    sdk.Request
		called bool
	}{
		"a question without params":             {&sdk.ElicitRequest{}, false},
		"the end of a question, without params": {&sdk.ElicitationCompleteNotificationRequest{}, false},
		"what the handler stumbles over":        {&sdk.ElicitRequest{Params: &sdk.ElicitParams{}}, true},
	} {
		called = false
		_, err := handlers(t.Context(), "x", tt.req)
		var told *jsonrpc.Error
		if !errors.As(err, &told) || told.Code != jsonrpc.CodeInvalidParams || called != tt.called {
			t.Errorf("%s: %v, called: %v", name, err, called)
		}
	}
}
