package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// message is one of JSON-RPC 2.0; Codex leaves the version out.
type message struct {
	Version string    `json:"jsonrpc,omitempty"`
	ID      tool.JSON `json:"id,omitzero"`
	Method  string    `json:"method,omitempty"`
	Params  tool.JSON `json:"params,omitzero"`
	Result  tool.JSON `json:"result,omitzero"`
	Error   *rpcError `json:"error,omitempty"`
}

type rpcError struct {
	Code    int       `json:"code"`
	Message string    `json:"message"`
	Data    tool.JSON `json:"data,omitzero"`
}

// Error implements error.
func (e *rpcError) Error() string { return e.Message }

// Codes of JSON-RPC 2.0 and of its servers.
const (
	unknownMethod = -32601
	refused       = -32000
)

// peer is one side of a JSON-RPC connection.
type peer struct {
	*line
	version string
	mu      sync.Mutex
	last    int
	calls   map[string]chan message
	ended   bool
}

func newPeer(l *line, version string) *peer {
	return &peer{line: l, version: version, calls: map[string]chan message{}}
}

// serve reads until the line ends. A request or notification is handed to handle, which
// returns at once.
func (p *peer) serve(handle func(m message)) error {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = true
		for _, answer := range p.calls {
			close(answer)
		}
	}()
	for {
		raw, err := p.next()
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("host: what the agent wrote can't be read: %w", err)
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

var errEnded = errors.New("host: the agent has ended")

// call sends a request and waits for its answer.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	p.mu.Lock()
	p.last++
	id := strconv.Itoa(p.last)
	ended := p.ended
	if !ended {
		p.calls[id] = answer
	}
	p.mu.Unlock()
	if ended {
		return errEnded
	}
	if err := p.put(message{ID: tool.JSON(id), Method: method}, params); err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return errEnded
		case m.Error != nil:
			return fmt.Errorf("host: %s: %w", method, m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// notify sends a notification.
func (p *peer) notify(method string, params any) error {
	return p.put(message{Method: method}, params)
}

func (p *peer) put(m message, params any) (err error) {
	m.Version = p.version
	if params != nil {
		if m.Params, err = json.Marshal(params); err != nil {
			return fmt.Errorf("host: %w", err)
		}
	}
	return p.send(m)
}

// answer answers a request with a result, or with an error.
func (l *line) answer(to message, result any, failure error) error {
	m := message{Version: to.Version, ID: to.ID}
	if failure == nil {
		m.Result, failure = json.Marshal(result)
	}
	if failure != nil {
		m.Error = &rpcError{Code: refused, Message: tool.Words(failure)}
		if told, is := errors.AsType[*rpcError](failure); is {
			m.Error = told
		}
	}
	return l.send(m)
}
