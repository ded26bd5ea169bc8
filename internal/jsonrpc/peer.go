package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// Message is one of JSON-RPC 2.0; Codex leaves the version out.
type Message struct {
	Version string    `json:"jsonrpc,omitempty"`
	ID      tool.JSON `json:"id,omitzero"`
	Method  string    `json:"method,omitempty"`
	Params  tool.JSON `json:"params,omitzero"`
	Result  tool.JSON `json:"result,omitzero"`
	Error   *Error    `json:"error,omitempty"`
}

// Error is the error of an answer.
type Error struct {
	Code    int       `json:"code"`
	Message string    `json:"message"`
	Data    tool.JSON `json:"data,omitzero"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Codes of JSON-RPC 2.0 and of its servers.
const (
	UnknownMethod = -32601
	refused       = -32000
)

// Peer is one side of a JSON-RPC connection.
type Peer struct {
	*Line
	version string
	mu      sync.Mutex
	last    int
	calls   map[string]chan Message
	ended   bool
}

// NewPeer returns one side of the connection; version is "2.0", or empty to leave it out.
func NewPeer(l *Line, version string) *Peer {
	return &Peer{Line: l, version: version, calls: map[string]chan Message{}}
}

// Serve reads until the line ends. A request or notification is handed to handle, which
// returns at once.
func (p *Peer) Serve(handle func(m Message)) error {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = true
		for _, answer := range p.calls {
			close(answer)
		}
	}()
	for {
		raw, err := p.Next()
		if err != nil {
			return err
		}
		var m Message
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("jsonrpc: what was received can't be read: %w", err)
		}
		if m.Method != "" {
			handle(m)
			continue
		}
		p.mu.Lock()
		answer, waits := p.calls[string(m.ID)]
		delete(p.calls, string(m.ID))
		p.mu.Unlock()
		if waits {
			answer <- m
		}
	}
}

// ErrEnded is returned if the other side has ended.
var ErrEnded = errors.New("jsonrpc: the other side has ended")

// Call sends a request and waits for its answer.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan Message, 1)
	p.mu.Lock()
	p.last++
	id := strconv.Itoa(p.last)
	ended := p.ended
	if !ended {
		p.calls[id] = answer
	}
	p.mu.Unlock()
	if ended {
		return ErrEnded
	}
	if err := p.put(Message{ID: tool.JSON(id), Method: method}, params); err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return ErrEnded
		case m.Error != nil:
			return fmt.Errorf("jsonrpc: %s: %w", method, m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) error {
	return p.put(Message{Method: method}, params)
}

func (p *Peer) put(m Message, params any) (err error) {
	m.Version = p.version
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return fmt.Errorf("jsonrpc: %w", err)
		}
	}
	return p.Send(m)
}

// Answer answers a request with a result, or with an error.
func (l *Line) Answer(to Message, result any, failure error) error {
	m := Message{Version: to.Version, ID: to.ID}
	if failure == nil {
		m.Result, failure = json.Marshal(result)
	}
	if failure != nil {
		m.Error = &Error{Code: refused, Message: tool.Words(failure)}
		if told, is := errors.AsType[*Error](failure); is {
			m.Error = told
		}
	}
	return l.Send(m)
}
