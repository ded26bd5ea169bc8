package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"
)

// flood is what a gateway is flooded with, and the tokens for it.
type flood struct{ url, viewer, agent string }

func (f flood) kinds() map[string]func(context.Context) {
	return map[string]func(context.Context){
		"2,200 streams of one viewer":          f.streams,
		"logins whose bodies never come":       f.halfLogins,
		"40 costly questions at a time":        f.questions,
		"frames that mean nothing":             f.frames,
		"bad JSON, with a new connection each": f.badJSON,
		"requests of 60 KB":                    f.longRequests,
		"headers of a megabyte":                f.headers,
		"invented proofs and challenges":       f.proofs,
		"look-ups of links that there are not": f.lookups,
	}
}

// runFlood is the program "flood": NAME URL VIEWER AGENT. It floods until it is killed, with
// what others leave of the machine.
func runFlood() {
	flood{os.Args[2], os.Args[3], os.Args[4]}.kinds()[os.Args[1]](context.Background())
}

// visitor sends requests with a token, or with none.
type visitor struct{ url, token string }

func (v visitor) sends(method, path, body string) (int, []byte) {
	r, err := http.NewRequestWithContext(context.Background(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Origin", v.url)
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
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
func (f flood) raws(ctx context.Context, n int, text string) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
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

func (f flood) head(request string) string {
	return request + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(f.url, "http://") + "\r\nOrigin: " + f.url + "\r\n"
}

func (f flood) streams(ctx context.Context) {
	f.raws(ctx, 2200, f.head("GET /api/events")+"Authorization: Bearer "+f.viewer+"\r\n\r\n")
}

func (f flood) halfLogins(ctx context.Context) {
	f.raws(ctx, 3000, f.head("POST /api/login")+"Content-Type: application/json\r\nContent-Length: 50000\r\n\r\n{")
}

func (f flood) headers(ctx context.Context) {
	f.raws(ctx, 60, f.head("GET /api/me")+strings.Repeat("X: "+strings.Repeat("x", 8000)+"\r\n", 110))
}

func (f flood) questions(ctx context.Context) {
	body := fmt.Sprintf(`{"agentId":"demo","toolName":"shell","args":{"command":%q}}`, strings.Repeat("env ", 14_000)+"ls")
	repeat(ctx, 40, func() { visitor{f.url, f.viewer}.sends(http.MethodPost, "/api/policy/explain", body) })
}

func (f flood) badJSON(ctx context.Context) {
	repeat(ctx, 16, func() {
		c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		body := `{"toolName":` + strings.Repeat("[", 200)
		_, _ = io.WriteString(c, f.head("POST /api/approvals")+"Connection: close\r\nAuthorization: Bearer "+f.agent+fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n", len(body))+body)
		_, _ = io.Copy(io.Discard, c)
	})
}

func (f flood) longRequests(ctx context.Context) {
	body := `{"toolName":"deploy","args":{"text":"` + strings.Repeat("x", 60_000) + `"}}`
	repeat(ctx, 16, func() { visitor{f.url, f.agent}.sends(http.MethodPost, "/api/approvals", body) })
}

func (f flood) proofs(ctx context.Context) {
	repeat(ctx, 16, func() {
		visitor{f.url, ""}.sends(http.MethodGet, "/api/login/challenge", "")
		visitor{f.url, ""}.sends(http.MethodPost, "/api/login/proof", `{"loginId":"x","challenge":"9999999999.x","signature":"x"}`)
	})
}

func (f flood) lookups(ctx context.Context) {
	repeat(ctx, 16, func() { visitor{f.url, ""}.sends(http.MethodPost, "/api/login/look", `{"token":"lci_x"}`) })
}

func (f flood) frames(ctx context.Context) {
	repeat(ctx, 6, func() {
		var ticket struct {
			Ticket string `json:"ticket"`
		}
		_, raw := visitor{f.url, f.viewer}.sends(http.MethodPost, "/api/ws-ticket", "{}")
		if json.Unmarshal(raw, &ticket) != nil || ticket.Ticket == "" {
			return
		}
		dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}}
		ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(f.url, "http")+"/ws", http.Header{"Origin": {f.url}})
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
