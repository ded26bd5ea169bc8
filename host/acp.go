package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ACP starts an agent that speaks the Agent Client Protocol (version 1) and stands between
// it and its editor: the agent's questions about calls go to the gateway, and so do files
// and terminals that it wants of the editor; everything else passes unchanged.
func (h Host) ACP(ctx context.Context, fromEditor io.Reader, toEditor io.Writer) error {
	l, stop, err := h.start(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	a := &acp{Host: h, agent: l, editor: jsonrpc.NewLine(fromEditor, toEditor), asks: map[string]int{}}
	go func() { end(pass(a.editor, a.agent, a.heard)) }() // reading the editor can't be ended
	var reading sync.WaitGroup
	reading.Go(func() {
		end(pass(a.agent, a.editor, func(m jsonrpc.Message, raw tool.JSON) bool { return a.wanted(ctx, m, raw) }))
	})
	<-ctx.Done()
	a.asked.running.Wait()
	err = errors.Join(over(context.Cause(ctx)), stop())
	reading.Wait()
	return err
}

// pass forwards messages from one side to the other, except those that keep consumes.
func pass(from, to *jsonrpc.Line, keep func(m jsonrpc.Message, raw tool.JSON) bool) error {
	for {
		raw, err := from.Next()
		if err != nil {
			return err
		}
		var m jsonrpc.Message
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("host: a message can't be read: %w", err)
		}
		if keep(m, raw) {
			continue
		}
		if err := to.Pass(raw); err != nil {
			return err
		}
	}
}

type acp struct {
	Host
	agent, editor *jsonrpc.Line
	asked         asked

	opening sync.Map // folders of sessions that are being opened, by the request's id
	folders sync.Map // of sessions
	told    sync.Map // arguments that the agent has told of calls, by session and call
	cleared sync.Map // calls, by session and call
	mu      sync.Mutex
	asks    map[string]int // how often was asked about a call
}

type acpParams struct {
	SessionID string    `json:"sessionId"`
	Cwd       string    `json:"cwd"`
	Update    acpUpdate `json:"update"`
	ToolCall  acpUpdate `json:"toolCall"`
	Options   []struct {
		ID   string `json:"optionId"`
		Kind string `json:"kind"`
	} `json:"options"`
	Command string    `json:"command"`
	Args    []string  `json:"args"`
	Env     tool.JSON `json:"env"`
}

// acpUpdate is a tool call as the protocol describes it.
type acpUpdate struct {
	What      string    `json:"sessionUpdate"`
	ID        string    `json:"toolCallId"`
	Title     string    `json:"title"`
	Kind      string    `json:"kind"`
	Status    string    `json:"status"`
	RawInput  tool.JSON `json:"rawInput"`
	Content   tool.JSON `json:"content"`
	Locations tool.JSON `json:"locations"`
	RawOutput tool.JSON `json:"rawOutput"`
	Meta      struct {
		Tool string `json:"toolName"`
	} `json:"_meta"`
}

// heard inspects a message from the editor. It drops only responses to requests that the
// gateway is still deciding.
func (a *acp) heard(m jsonrpc.Message, _ tool.JSON) bool {
	if m.Method == "" {
		return a.asked.has(func(name string) bool { return strings.HasSuffix(name, " "+string(m.ID)) })
	}
	var p acpParams
	_ = json.Unmarshal(m.Params, &p) // then it is nothing that is looked for
	switch m.Method {
	case "session/new", "session/load", "session/resume":
		a.opening.Store(string(m.ID), p.Cwd)
		a.folders.Store(p.SessionID, p.Cwd)
	case "session/cancel":
		a.asked.takeBack(func(name string) bool { return strings.HasPrefix(name, p.SessionID+" ") })
	}
	return false
}

// wanted inspects a message from the agent, and consumes those that the gateway decides.
func (a *acp) wanted(ctx context.Context, m jsonrpc.Message, raw tool.JSON) bool {
	if m.Method == "" {
		if folder, opens := a.opening.LoadAndDelete(string(m.ID)); opens {
			var p acpParams
			if json.Unmarshal(m.Result, &p) == nil && p.SessionID != "" {
				a.folders.Store(p.SessionID, folder)
			}
		}
		return false
	}
	var p acpParams
	err := json.Unmarshal(m.Params, &p)
	var answer func(ctx context.Context)
	switch m.Method {
	case "session/update":
		a.updated(ctx, p)
		return false
	case "session/request_permission":
		answer = func(ctx context.Context) { a.permit(ctx, m, p) }
	case "fs/read_text_file", "fs/write_text_file", "terminal/create":
		answer = func(ctx context.Context) { a.lend(ctx, m, p, raw) }
	default:
		return false
	}
	if err != nil {
		_ = a.agent.Answer(m, nil, err) // then the agent has ended
		return true
	}
	a.asked.put(ctx, p.SessionID+" "+string(m.ID), answer)
	return true
}

// updated remembers the arguments of calls, and reports what came of those that were cleared.
func (a *acp) updated(ctx context.Context, p acpParams) {
	u := p.Update
	key := p.SessionID + " " + u.ID
	if tells(u.RawInput) && u.Status == "in_progress" { // before, they may be incomplete
		a.told.Store(key, u.RawInput)
	}
	if u.Status != "completed" && u.Status != "failed" {
		return
	}
	a.told.Delete(key)
	if cleared, known := a.cleared.LoadAndDelete(key); known {
		call := cleared.(hook.Call)
		call.Result = hook.ResultOf(cmp.Or(string(u.RawOutput), string(u.Content)), u.Status == "failed")
		a.asked.running.Go(func() { a.report(ctx, call) })
	}
}

// call describes the call that a message is about, except for its tool and arguments.
func (a *acp) call(p acpParams) hook.Call {
	folder, _ := a.folders.Load(p.SessionID)
	c := hook.Call{Session: p.SessionID, ID: p.ToolCall.ID, Directory: a.Folder}
	if text, _ := folder.(string); text != "" {
		c.Directory = text
	}
	return c
}

// permit answers the agent's question about a call. Every error is a denial.
func (a *acp) permit(ctx context.Context, m jsonrpc.Message, p acpParams) {
	q, c := a.Question, a.call(p)
	u := p.ToolCall
	key := p.SessionID + " " + u.ID
	c.Tool, c.Args = cmp.Or(u.Meta.Tool, u.Kind, "other"), u.RawInput
	if told, known := a.told.Load(key); known && !tells(c.Args) {
		c.Args = told.(tool.JSON)
	}
	if !tells(c.Args) {
		// What it would run is not told, so no rule and no grant can be looked at.
		c.Words = a.Agent.Name + " sends no arguments of this call. These words are all that there is: " + u.Title
		c.Args, _ = json.Marshal(map[string]any{"title": u.Title, "content": u.Content, "locations": u.Locations}, json.Deterministic(true)) // of texts and JSON
	}
	a.mu.Lock()
	a.asks[key]++
	if n := a.asks[key]; n > 1 { // about its folder, and then about its command
		c.ID = fmt.Sprintf("%s/%d", u.ID, n)
	}
	a.mu.Unlock()
	o := a.clear(ctx, q, c)
	kind := "reject_once"
	if o.Approved {
		kind = "allow_once"
		a.cleared.Store(key, c)
	}
	outcome := map[string]string{"outcome": "cancelled"}
	for _, option := range p.Options {
		if option.Kind == kind && ctx.Err() == nil {
			outcome = map[string]string{"outcome": "selected", "optionId": option.ID}
			break
		}
	}
	_ = a.agent.Answer(m, map[string]any{"outcome": outcome, "_meta": map[string]string{"reason": o.Reason}}, nil) // then the agent has ended
}

// tells reports whether the arguments are a non-empty object.
func tells(args tool.JSON) bool {
	return strictjson.Kind(args) == '{' && !sameJSON(args, tool.JSON("{}"))
}

// lend forwards the agent's file or terminal request to the editor once it is cleared.
func (a *acp) lend(ctx context.Context, m jsonrpc.Message, p acpParams, raw tool.JSON) {
	q, c := a.Question, a.call(p)
	c.Tool, c.Args = m.Method, m.Params
	switch m.Method {
	case "fs/read_text_file":
		q.Arguments.Reads = []string{"path"}
	case "fs/write_text_file":
		q.Arguments.Writes = []string{"path"}
	default:
		q.Arguments.Argv = "argv"
		c.Directory = cmp.Or(p.Cwd, c.Directory)
		c.Args, _ = json.Marshal(map[string]any{"argv": append([]string{p.Command}, p.Args...), "env": p.Env}, json.Deterministic(true)) // of texts and JSON
	}
	o := a.clear(ctx, q, c)
	if !o.Approved {
		_ = a.agent.Answer(m, nil, errors.New(o.Reason)) // then the agent has ended
		return
	}
	a.asked.over(p.SessionID + " " + string(m.ID)) // from here on the editor answers
	if err := a.editor.Pass(raw); err != nil {
		_ = a.agent.Answer(m, nil, err)
	}
}
