package wsapprover_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

// BenchmarkRoundTrip compares, in one run on one machine:
//   - echo: a frame of the same size to a bare gorilla echo server and back;
//   - fsync: one durable append, of which a call on SQLite needs four;
//   - memory, SQLite: a gated call from the agent through the store, the bus
//     and a real WebSocket to a reviewer, and back through the decision, the
//     claim and the run to its journaled result.
func BenchmarkRoundTrip(b *testing.B) {
	b.Run("echo", benchmarkEcho)
	b.Run("fsync", benchmarkFsync)
	b.Run("memory", func(b *testing.B) { benchmarkApproval(b, false, 1) })
	b.Run("SQLite", func(b *testing.B) { benchmarkApproval(b, true, 1) })
	b.Run("SQLite-50-sessions", func(b *testing.B) { benchmarkApproval(b, true, 50) })
}

func benchmarkEcho(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.Close() }()
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil || ws.WriteMessage(kind, data) != nil {
				return
			}
		}
	}))
	defer server.Close()
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	frame, err := wsapprover.EncodeFrame("approvalRequest", "", goldenRequest())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := ws.WriteMessage(websocket.TextMessage, frame); err != nil {
			b.Fatal(err)
		}
		if _, _, err := ws.ReadMessage(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkFsync(b *testing.B) {
	f, err := os.CreateTemp(b.TempDir(), "fsync")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkApproval runs calls one after the other in each of some sessions.
func benchmarkApproval(b *testing.B, sqlite bool, sessions int) {
	g := start(b, setup{sqlite: sqlite, limits: wsapprover.Limits{FrameRate: 1e6}}) // the reader is not to be the measure
	gate := g.manager.Agent("bench", gate.AgentOptions{Handler: approval.HandlerFunc(
		func(ctx context.Context, _ approval.Request) (approval.Response, error) {
			<-ctx.Done()
			return approval.Response{}, ctx.Err()
		})})
	gated, err := gate.Guard(echo{}, approval.Terms{})
	if err != nil {
		b.Fatal(err)
	}
	reviewer := g.tab(b)
	stop := make(chan struct{})
	go reviewer.approveAll(stop)
	ids := make(chan string, sessions)
	for range sessions {
		ids <- g.session(b)
	}
	b.SetParallelism((sessions + 1) / 2)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var id string
		select {
		case id = <-ids:
		default:
			return // more workers than sessions
		}
		for n := 0; pb.Next(); n++ {
			r, err := gated.Run(context.Background(), tool.Call{
				ID: id + strconv.Itoa(n), SessionID: id, Tool: "echo", Args: tool.JSON(`{"text":"hello"}`),
			})
			if err != nil || r.IsError {
				b.Errorf("%+v, %v", r, err)
				return
			}
		}
	})
	b.StopTimer()
	_ = reviewer.ws.Close()
	<-stop
	g.manager.Wait()
}

// approveAll answers every request at once, until the connection is closed.
func (c *client) approveAll(stopped chan<- struct{}) {
	defer close(stopped)
	for n := 0; ; n++ {
		f, err := c.read()
		if err != nil {
			return
		}
		if f.Event == "error" {
			c.t.Errorf("an answer was refused: %s", f.Data)
		}
		if f.Event != "approvalRequest" {
			continue
		}
		r := as[approval.Request](c.t, f)
		c.send("approvalResponse", strconv.Itoa(n), map[string]any{
			"approvalId": r.ApprovalID, "status": "approved", "argsDigest": r.ArgsDigest,
		})
	}
}
