package host

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/jsonrpc"
)

// Converse talks with an agent that speaks the Agent Client Protocol, as its editor. It
// lends the agent no files and no terminals.
func (h Host) Converse(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	toAgent, fromUs := io.Pipe()
	toUs, fromAgent := io.Pipe()
	var running sync.WaitGroup
	var failure error
	running.Go(func() {
		failure = h.ACP(ctx, toAgent, fromAgent)
		_ = fromAgent.Close()
		_ = toAgent.Close()
	})
	p := jsonrpc.NewPeer(jsonrpc.NewLine(toUs, fromUs), "2.0")
	running.Go(func() { end(p.Serve(func(m jsonrpc.Message) { h.update(p, m) })) })
	err := h.prompts(ctx, p)
	_ = fromUs.Close()
	_, _ = io.Copy(io.Discard, toUs)
	running.Wait()
	return errors.Join(over(err), failure)
}

// prompts opens a session and says in it what is to be said.
func (h Host) prompts(ctx context.Context, p *jsonrpc.Peer) error {
	none := map[string]any{"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false}
	hello := map[string]any{"protocolVersion": 1, "clientCapabilities": none, "clientInfo": map[string]string{"name": "lineclear", "version": "1"}}
	if err := p.Call(ctx, "initialize", hello, nil); err != nil {
		return err
	}
	var s struct {
		ID string `json:"sessionId"`
	}
	if err := p.Call(ctx, "session/new", map[string]any{"cwd": h.Folder, "mcpServers": []any{}}, &s); err != nil {
		return err
	}
	for {
		prompt, err := h.Talk.Next(ctx)
		if err != nil {
			return err
		}
		text := []any{map[string]string{"type": "text", "text": prompt}}
		if err := p.Call(ctx, "session/prompt", map[string]any{"sessionId": s.ID, "prompt": text}, nil); err != nil {
			return err
		}
		h.Talk.Said("\n")
	}
}

// update shows what the agent tells, and refuses what it asks.
func (h Host) update(p *jsonrpc.Peer, m jsonrpc.Message) {
	if m.ID != nil {
		_ = p.Answer(m, nil, &jsonrpc.Error{Code: jsonrpc.UnknownMethod, Message: "not known here: " + m.Method}) // then it has ended
		return
	}
	var u struct {
		Update struct {
			What    string `json:"sessionUpdate"`
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"update"`
	}
	if json.Unmarshal(m.Params, &u) == nil && u.Update.What == "agent_message_chunk" {
		h.Talk.Said(u.Update.Content.Text)
	}
}
