package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Codex starts Codex as a server and asks about what it wants approved: every command, and
// every change of files, that its own rules don't allow.
func (h Host) Codex(ctx context.Context) error {
	h.Command = slices.Concat(h.Command[:1], []string{"app-server"}, h.Command[1:])
	l, stop, err := h.start(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	c := &codex{Host: h, Peer: jsonrpc.NewPeer(l, ""), turn: make(chan string, 1)}
	var serving sync.WaitGroup
	serving.Go(func() { end(c.Serve(func(m jsonrpc.Message) { c.take(ctx, m) })) })
	err = c.converse(ctx)
	end(nil)
	c.asked.running.Wait()
	err = errors.Join(err, stop())
	serving.Wait()
	return err
}

type codex struct {
	Host
	*jsonrpc.Peer
	asked   asked
	turn    chan string            // has the error of each turn that has ended, or ""
	thread  atomic.Pointer[string] // the conversation's; sub-agents have their own
	changes sync.Map               // of files, by their item's id
	cleared sync.Map               // calls, by their item's id
}

// codexItem is what Codex tells of a command or a change.
type codexItem struct {
	ID      string    `json:"id"`
	Status  string    `json:"status"`
	Output  string    `json:"aggregatedOutput"`
	Changes tool.JSON `json:"changes"`
}

type codexParams struct {
	ThreadID   string    `json:"threadId"`
	TurnID     string    `json:"turnId"`
	ItemID     string    `json:"itemId"`
	ApprovalID string    `json:"approvalId"`
	Item       codexItem `json:"item"`
	Delta      string    `json:"delta"`
	Message    string    `json:"message"`
	Error      struct {
		Message string `json:"message"`
	} `json:"error"`
	Command string    `json:"command"`
	Cwd     string    `json:"cwd"`
	Reason  string    `json:"reason"`
	Kind    string    `json:"kind"`
	Network tool.JSON `json:"networkApprovalContext"`
	Root    string    `json:"grantRoot"`
	Request tool.JSON `json:"requestId"`
	Turn    struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"turn"`
}

func (c *codex) converse(ctx context.Context) error {
	hello := map[string]any{"clientInfo": map[string]string{"name": "lineclear", "title": "Lineclear", "version": "1"}, "capabilities": map[string]any{"experimentalApi": true}}
	if err := c.Call(ctx, "initialize", hello, nil); err != nil {
		return err
	}
	if err := c.Notify("initialized", nil); err != nil {
		return err
	}
	var begun struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := c.Call(ctx, "thread/start", map[string]any{"cwd": c.Folder, "approvalPolicy": "untrusted", "approvalsReviewer": "user"}, &begun); err != nil {
		return err
	}
	c.thread.Store(&begun.Thread.ID)
	for {
		prompt, err := c.Talk.Next(ctx)
		if err != nil {
			return over(err)
		}
		input := []any{map[string]any{"type": "text", "text": prompt}}
		if err := c.Call(ctx, "turn/start", map[string]any{"threadId": begun.Thread.ID, "input": input}, nil); err != nil {
			return err
		}
		select {
		case failure := <-c.turn:
			c.Talk.Said("\n")
			if failure != "" {
				c.Talk.Failed(failure)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take takes a request or notification.
func (c *codex) take(ctx context.Context, m jsonrpc.Message) {
	var p codexParams
	if err := json.Unmarshal(m.Params, &p); err != nil && m.ID == nil {
		return // of a kind that is not looked at
	}
	switch m.Method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		c.asked.put(ctx, string(m.ID), func(ctx context.Context) { c.approve(ctx, m, p) })
	case "serverRequest/resolved":
		c.asked.takeBack(func(name string) bool { return name == string(p.Request) })
	case "error", "warning":
		c.Talk.Note(m.Method + ": " + cmp.Or(p.Message, p.Error.Message))
	case "item/started":
		if len(p.Item.Changes) > 0 {
			c.changes.Store(p.ThreadID+p.Item.ID, p.Item.Changes)
		}
	case "item/agentMessage/delta":
		c.Talk.Said(p.Delta)
	case "item/completed":
		c.completed(ctx, p.ThreadID+p.Item.ID, p.Item)
	case "turn/completed":
		if thread := c.thread.Load(); thread == nil || p.ThreadID != *thread {
			return
		}
		select {
		case c.turn <- p.Turn.Error.Message:
		default: // nobody waits for this turn: read on
		}
	default:
		if m.ID != nil {
			c.Talk.Note("refused: Codex asked " + m.Method)
			_ = c.Answer(m, nil, &jsonrpc.Error{Code: jsonrpc.UnknownMethod, Message: "not known here: " + m.Method})
		}
	}
}

// approve answers one question. Every error is a denial.
func (c *codex) approve(ctx context.Context, m jsonrpc.Message, p codexParams) {
	q := c.Question
	q.Message = p.Reason
	call := c.callOf(m, p, &q.Arguments)
	o := c.clear(ctx, q, call)
	decision := "accept"
	if o.Approved {
		c.cleared.Store(p.ThreadID+p.ItemID, call)
	} else {
		decision = "decline"
		// Codex tells its model that the user said no, and not why.
		why := []any{map[string]any{"type": "text", "text": o.Reason}}
		raw, _ := json.Marshal(map[string]any{"threadId": p.ThreadID, "expectedTurnId": p.TurnID, "input": why}) // of texts
		_ = c.Send(jsonrpc.Message{ID: tool.JSON(`"why"`), Method: "turn/steer", Params: raw})                   // then it is not told
	}
	if ctx.Err() == nil {
		_ = c.Answer(m, map[string]string{"decision": decision}, nil) // then it has ended, and runs nothing
	}
}

// callOf is the call that a question is about, and what its arguments are.
func (c *codex) callOf(m jsonrpc.Message, p codexParams, are *tool.Arguments) hook.Call {
	call := hook.Call{Session: p.ThreadID, ID: p.ItemID + p.ApprovalID, Directory: cmp.Or(p.Cwd, c.Folder)}
	var args any = map[string]string{"command": p.Command}
	switch {
	case m.Method == "item/fileChange/requestApproval":
		are.Writes = []string{"files"}
		changes, _ := c.changes.Load(p.ThreadID + p.ItemID)
		call.Tool, args = "fileChange", map[string]any{"changes": changes, "files": filesOf(changes), "grantRoot": p.Root}
	case strictjson.Kind(p.Network) == '{':
		call.Tool, args = "network", p.Network
	case p.Kind == "" || p.Kind == "command":
		call.Tool = "Bash"
	default:
		call.Tool = p.Kind
	}
	call.Args, _ = json.Marshal(args, json.Deterministic(true)) // of texts and JSON alone
	return call
}

// filesOf are the files that changes are about; what can't be read is no list of files, which
// no rule allows.
func filesOf(changes any) any {
	var list []struct {
		Path string `json:"path"`
		Kind struct {
			To string `json:"move_path"`
		} `json:"kind"`
	}
	raw, _ := changes.(tool.JSON)
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		return false
	}
	var files []string
	for _, change := range list {
		files = append(files, change.Path)
		if change.Kind.To != "" {
			files = append(files, change.Kind.To)
		}
	}
	return files
}

// completed reports what came of a call.
func (c *codex) completed(ctx context.Context, key string, done codexItem) {
	c.changes.Delete(key)
	cleared, known := c.cleared.LoadAndDelete(key)
	if !known {
		return
	}
	call := cleared.(hook.Call)
	call.Result = tool.Result{Text: cmp.Or(done.Output, done.Status), IsError: done.Status != "completed"}
	c.asked.running.Go(func() { c.report(ctx, call) })
}
