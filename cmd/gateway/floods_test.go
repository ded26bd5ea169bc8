//go:build soak

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"
)

// samples is how many decisions each figure is made of.
const samples = 60

// besieged is a gateway with somebody who decides, somebody who asks, and the tokens of
// those who flood it, all from one address.
type besieged struct {
	*process
	asks, decides, viewer, agent string
}

// Somebody's decisions are told as fast as ever, or a few times slower, whoever floods the
// gateway meanwhile from the same address.
func TestDecisionsStayFastUnderEachFlood(t *testing.T) {
	b := &besieged{process: launchProgram(t, "gateway", t.TempDir())}
	token := func(name, role string) string {
		return strings.TrimSpace(b.verb("tokens", "create", name, "--role", role).want(t, 0).out)
	}
	b.asks, b.decides, b.viewer, b.agent = token("asks", "agent"), token("decides", "approver"), token("viewer", "viewer"), token("flooder", "agent")
	b.p99() // warm
	for _, flood := range []struct {
		name string
		do   func(ctx context.Context)
	}{
		{"2,200 streams of one viewer", b.streams},
		{"logins whose bodies never come", b.halfLogins},
		{"40 costly questions at a time", b.questions},
		{"frames that mean nothing", b.frames},
		{"bad JSON, with a new connection each", b.badJSON},
		{"requests of 60 KB", b.longRequests},
		{"headers of a megabyte", b.headers},
		{"invented proofs and challenges", b.proofs},
		{"look-ups of links that there are not", b.lookups},
	} {
		alone := b.p99()
		ctx, stop := context.WithCancel(t.Context())
		var flooding sync.WaitGroup
		flooding.Go(func() { flood.do(ctx) })
		time.Sleep(2 * time.Second) // until it is under way
		loaded := b.p99()
		stop()
		flooding.Wait()
		t.Logf("%-40s p99 of a decision %6.1f ms, alone %6.1f ms: %.1f×", flood.name, ms(loaded), ms(alone), float64(loaded)/float64(alone))
		if loaded > 3*alone {
			t.Errorf("%s: more than three times as slow", flood.name)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// p99 is how long a decision takes at the worst but one in a hundred.
func (b *besieged) p99() time.Duration {
	b.t.Helper()
	var took []time.Duration
	for range samples {
		status, body := b.as(b.asks, http.MethodPost, "/api/approvals", `{"toolName":"deploy","args":{}}`)
		var row struct {
			ApprovalID string `json:"approvalId"`
		}
		if err := json.Unmarshal(body, &row); err != nil || status != http.StatusCreated {
			b.t.Fatalf("an ask: %d %s %v", status, body, err)
		}
		began := time.Now()
		if status, body := b.as(b.decides, http.MethodPost, "/api/approvals/"+row.ApprovalID, `{"status":"denied"}`); status != http.StatusOK {
			b.t.Fatalf("a decision: %d %s", status, body)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// as sends a request with a token.
func (b *besieged) as(token, method, path, body string) (int, []byte) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Origin", b.url)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer func() { _ = response.Body.Close() }()
	raw, _ := io.ReadAll(response.Body)
	return response.StatusCode, raw
}

// raws keeps n connections on which text was written, until ctx ends; those that are
// hung up on are dialled again.
func (b *besieged) raws(ctx context.Context, n int, text string) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
				if err != nil {
					return
				}
				end := context.AfterFunc(ctx, func() { _ = c.Close() })
				_, _ = io.WriteString(c, text)
				_, _ = io.Copy(io.Discard, c)
				end()
				_ = c.Close()
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// repeat does something in n places at a time until ctx ends.
func repeat(ctx context.Context, n int, do func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				do()
			}
		})
	}
	all.Wait()
}

func (b *besieged) head(request string) string {
	return request + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(b.url, "http://") + "\r\nOrigin: " + b.url + "\r\n"
}

func (b *besieged) streams(ctx context.Context) {
	b.raws(ctx, 2200, b.head("GET /api/events")+"Authorization: Bearer "+b.viewer+"\r\n\r\n")
}

func (b *besieged) halfLogins(ctx context.Context) {
	b.raws(ctx, 3000, b.head("POST /api/login")+"Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n{")
}

func (b *besieged) headers(ctx context.Context) {
	b.raws(ctx, 60, b.head("GET /api/me")+strings.Repeat("X: "+strings.Repeat("x", 8000)+"\r\n", 110))
}

func (b *besieged) questions(ctx context.Context) {
	body := fmt.Sprintf(`{"agentId":"demo","toolName":"shell","args":{"command":%q}}`, strings.Repeat("env ", 14_000)+"ls")
	repeat(ctx, 40, func() { b.as(b.viewer, http.MethodPost, "/api/policy/explain", body) })
}

func (b *besieged) badJSON(ctx context.Context) {
	repeat(ctx, 16, func() {
		c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		body := `{"toolName":` + strings.Repeat("[", 200)
		_, _ = io.WriteString(c, b.head("POST /api/approvals")+"Connection: close\r\nAuthorization: Bearer "+b.agent+fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(body))+body)
		_, _ = io.Copy(io.Discard, c)
	})
}

func (b *besieged) longRequests(ctx context.Context) {
	body := `{"toolName":"deploy","args":{"text":"` + strings.Repeat("x", 60_000) + `"}}`
	repeat(ctx, 16, func() { b.as(b.agent, http.MethodPost, "/api/approvals", body) })
}

func (b *besieged) proofs(ctx context.Context) {
	repeat(ctx, 16, func() {
		b.as("", http.MethodGet, "/api/login/challenge", "")
		b.as("", http.MethodPost, "/api/login/proof", `{"loginId":"x","challenge":"9999999999.x","signature":"x"}`)
	})
}

func (b *besieged) lookups(ctx context.Context) {
	repeat(ctx, 16, func() { b.as("", http.MethodPost, "/api/login/look", `{"token":"lci_x"}`) })
}

func (b *besieged) frames(ctx context.Context) {
	repeat(ctx, 6, func() {
		var ticket struct {
			Ticket string `json:"ticket"`
		}
		_, raw := b.as(b.viewer, http.MethodPost, "/api/ws-ticket", "{}")
		if json.Unmarshal(raw, &ticket) != nil || ticket.Ticket == "" {
			return
		}
		dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}}
		ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(b.url, "http")+"/ws", http.Header{"Origin": {b.url}})
		if err != nil {
			return
		}
		defer func() { _ = ws.Close() }()
		for ctx.Err() == nil {
			if ws.WriteMessage(websocket.TextMessage, []byte(`{"event":"nothing","data":{}}`)) != nil {
				return
			}
		}
	})
}
