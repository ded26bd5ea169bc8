package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gorilla/websocket"
)

// perPerson is how many tabs one person has open: beyond 16 events come later.
const perPerson = 10

// patience is how long a tab waits for a frame.
const patience = 5 * time.Minute

// frame is a frame of the WebSocket.
type frame struct {
	Event string         `json:"event"`
	Data  jsontext.Value `json:"data"`
	ID    string         `json:"id"`
}

// about is what is read of a frame's data.
type about struct {
	ApprovalID string `json:"approvalId"`
	SessionID  string `json:"sessionId"`
	Session    string `json:"session"` // of an event
	ArgsDigest string `json:"argsDigest"`
	Type       string `json:"type"`
}

// tab is one WebSocket.
type tab struct {
	ws    *websocket.Conn
	bytes int // of all frames that it has read
}

// connect opens a tab with a token's ticket.
func (p *process) connect(token string) (*tab, error) {
	ask, err := http.NewRequest(http.MethodPost, p.url+"/api/ws-ticket", nil)
	if err != nil {
		return nil, err
	}
	ask.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var ticket struct {
		Ticket    string    `json:"ticket"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	if err := json.UnmarshalRead(answer.Body, &ticket); err != nil || ticket.Ticket == "" {
		return nil, fmt.Errorf("ticket: %s: %w", answer.Status, err)
	}
	dialer := websocket.Dialer{Subprotocols: []string{"lineclear.v1", "ticket." + ticket.Ticket}, ReadBufferSize: 1024, WriteBufferSize: 1024}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(p.url, "http")+"/ws", http.Header{"Origin": {p.url}})
	if err != nil {
		return nil, err
	}
	return &tab{ws: ws}, nil
}

// open opens tabs, several at a time, and reads each one's snapshot to its end.
func (p *process) open(tokens []string, n int) ([]*tab, error) {
	tabs := make([]*tab, n)
	errs := make([]error, n)
	var opening sync.WaitGroup
	for worker := range 8 {
		opening.Go(func() {
			for i := worker; i < n; i += 8 {
				if tabs[i], errs[i] = p.connect(tokens[i/perPerson]); errs[i] == nil {
					errs[i] = tabs[i].settle()
				}
			}
		})
	}
	opening.Wait()
	return tabs, errors.Join(errs...)
}

// settle reads the snapshot to its end. It does not decode: what it costs is to be the gateway's.
func (t *tab) settle() error {
	for {
		_ = t.ws.SetReadDeadline(time.Now().Add(patience))
		_, raw, err := t.ws.ReadMessage()
		if err != nil {
			return err
		}
		t.bytes += len(raw)
		if bytes.HasPrefix(raw, []byte(`{"event":"snapshot"`)) && bytes.Contains(raw[max(0, len(raw)-64):], []byte(`"more":false`)) {
			return nil
		}
	}
}

func (t *tab) read() (f frame, a about, err error) {
	_ = t.ws.SetReadDeadline(time.Now().Add(patience))
	_, raw, err := t.ws.ReadMessage()
	if err != nil {
		return f, a, err
	}
	t.bytes += len(raw)
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, a, err
	}
	if f.Event == "error" {
		return f, a, fmt.Errorf("refused: %s", f.Data)
	}
	return f, a, json.Unmarshal(f.Data, &a)
}

// until reads up to an event, of one session if one is named; the text tells it from
// others of its kind.
func (t *tab) until(event, sessionID, text string) (a about, err error) {
	for {
		f, a, err := t.read()
		if err != nil {
			return a, fmt.Errorf("waiting for %s: %w", event, err)
		}
		if f.Event == event && (sessionID == "" || bytes.Contains(f.Data, []byte(sessionID))) && bytes.Contains(f.Data, []byte(text)) {
			return a, nil
		}
	}
}

func (t *tab) approve(a about) error {
	return t.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil,
		`{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved","argsDigest":%q}}`, a.ApprovalID, a.ArgsDigest))
}

// say has a session's agent ask for one call.
func (t *tab) say(sessionID string) error {
	return t.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil,
		`{"event":"message","data":{"sessionId":%q,"text":"list .","talk":true}}`, sessionID))
}

// drain reads a tab until it is closed, so that it takes what it is sent.
func (t *tab) drain(seen func()) {
	for {
		_ = t.ws.SetReadDeadline(time.Now().Add(patience))
		kind, r, err := t.ws.NextReader()
		if err != nil {
			return
		}
		var sink [1024]byte
		for {
			if _, err := r.Read(sink[:]); err != nil {
				break
			}
		}
		if kind == websocket.TextMessage && seen != nil {
			seen()
		}
	}
}

func closeAll(tabs []*tab) {
	for _, t := range tabs {
		if t != nil {
			_ = t.ws.Close()
		}
	}
}
