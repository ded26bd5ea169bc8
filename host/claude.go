package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/tool"
)

// claudeArgs make Claude Code speak the control protocol of its SDK.
var claudeArgs = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio"}

// longest is more than any question waits, in seconds. Claude Code blocks a call whose
// question is not answered in time.
const longest = 7 * 24 * 3600

// Claude starts Claude Code and asks about each of its calls: it is the hook of all tools,
// inside the control protocol, which Claude Code asks whatever its settings allow.
func (h Host) Claude(ctx context.Context) error {
	if slices.Contains(h.Command, "--bare") {
		return errors.New("host: with --bare Claude Code asks about nothing: leave it out")
	}
	h.Command = slices.Concat(h.Command[:1], claudeArgs, h.Command[1:])
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	l, stop, err := h.start(ctx)
	if err != nil {
		return err
	}
	c := &claude{Host: h, Line: l, end: end, ready: make(chan struct{}, 1), turn: make(chan string, 1)}
	var reading sync.WaitGroup
	reading.Go(func() { end(c.read(ctx)) })
	err = c.converse(ctx)
	failed := context.Cause(ctx)
	if errors.Is(failed, errUnasked) {
		err = failed
	} else {
		err = errors.Join(err, over(stop()))
	}
	end(nil) // and with it what is asked still
	c.asked.running.Wait()
	reading.Wait()
	return err
}

// errUnasked ends an agent that has run something other than what was cleared.
var errUnasked = errors.New("host: Claude Code has run a call that was not cleared, and was ended")

type claude struct {
	Host
	*jsonrpc.Line
	end     context.CancelCauseFunc
	ready   chan struct{} // receives once Claude Code has taken the hooks
	turn    chan string   // has the error of the turn that has ended, or ""
	asked   asked
	hooks   sync.Map // the ids of calls that its hooks have asked about
	cleared sync.Map // the arguments of those that were cleared, by id
}

type claudeMessage struct {
	Type      string    `json:"type"`
	RequestID string    `json:"request_id"`
	Request   tool.JSON `json:"request"`
	Response  struct {
		Subtype string `json:"subtype"`
		Error   string `json:"error"`
	} `json:"response"`
	Message tool.JSON `json:"message"`
	IsError bool      `json:"is_error"`
	Result  string    `json:"result"`
}

type claudeRequest struct {
	Subtype string    `json:"subtype"`
	Input   tool.JSON `json:"input"`
	CallID  string    `json:"tool_use_id"`
}

// converse sets the hooks, and says what is to be said, turn after turn.
func (c *claude) converse(ctx context.Context) error {
	hooks := map[string]any{}
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"} {
		hooks[event] = []any{map[string]any{"hookCallbackIds": []string{event}, "timeout": longest, "onFailure": "block"}}
	}
	if err := c.Send(map[string]any{"type": "control_request", "request_id": "hooks", "request": map[string]any{"subtype": "initialize", "hooks": hooks}}); err != nil {
		return err
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		select {
		case <-c.turn: // the end of a turn that Claude Code began by itself
		default:
		}
		if err := c.say(ctx); err != nil {
			return over(err)
		}
		select {
		case failure := <-c.turn:
			if failure != "" {
				c.Talk.Failed(failure)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// read reads what Claude Code writes, until it ends.
func (c *claude) read(ctx context.Context) error {
	for {
		raw, err := c.Next()
		if err != nil {
			return fmt.Errorf("host: Claude Code has ended: %w", err)
		}
		var m claudeMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("host: what Claude Code wrote can't be read: %w", err)
		}
		switch m.Type {
		case "control_response":
			if m.Response.Subtype != "success" {
				return fmt.Errorf("host: Claude Code does not take the hooks: %s", m.Response.Error)
			}
			select {
			case c.ready <- struct{}{}:
			default:
			}
		case "result":
			failure := ""
			if m.IsError {
				failure = cmp.Or(m.Result, "the turn has failed")
			}
			select {
			case c.turn <- failure:
			default: // nobody waits for this turn: read on
			}
		case "control_request":
			c.asked.put(ctx, m.RequestID, func(ctx context.Context) { c.answer(ctx, m) })
		case "control_cancel_request":
			c.asked.takeBack(func(name string) bool { return name == m.RequestID })
		case "assistant", "user":
			c.show(m)
		}
	}
}

// say sends what is to be said next.
func (c *claude) say(ctx context.Context) error {
	prompt, err := c.Talk.Next(ctx)
	if err != nil {
		return err
	}
	return c.Send(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}, "parent_tool_use_id": nil, "session_id": ""})
}

// show shows what was said. A call that has run without having been asked about ends it.
func (c *claude) show(m claudeMessage) {
	var said struct {
		Content []struct {
			Type    string `json:"type"`
			Text    string `json:"text"`
			CallID  string `json:"tool_use_id"`
			IsError bool   `json:"is_error"`
		} `json:"content"`
	}
	_ = json.Unmarshal(m.Message, &said) // what can't be read is not shown
	for _, part := range said.Content {
		if m.Type == "assistant" && part.Text != "" {
			c.Talk.Said(part.Text + "\n")
		}
		if _, asked := c.hooks.Load(part.CallID); part.Type == "tool_result" && !part.IsError && !asked {
			c.end(errUnasked)
		}
	}
}

// answer answers one question. Every error is a denial.
func (c *claude) answer(ctx context.Context, m claudeMessage) {
	var q claudeRequest
	response := map[string]any{"request_id": m.RequestID, "subtype": "success"}
	err := json.Unmarshal(m.Request, &q)
	switch {
	case err != nil:
	case q.Subtype == "hook_callback":
		response["response"] = c.hooked(ctx, q)
	case q.Subtype == "can_use_tool":
		response["response"] = c.prompted(q)
	default:
		err = fmt.Errorf("%s is not known here", q.Subtype)
	}
	if err != nil {
		response["subtype"], response["error"] = "error", err.Error()
	}
	if ctx.Err() == nil {
		_ = c.Send(map[string]any{"type": "control_response", "response": response}) // then it has ended, and runs nothing
	}
}

// hooked answers as a hook does.
func (c *claude) hooked(ctx context.Context, q claudeRequest) tool.JSON {
	call, err := c.Agent.Read(q.Input)
	c.hooks.Store(q.CallID, true)
	if err == nil && call.After {
		c.ran(ctx, call)
		return tool.JSON("{}")
	}
	var o hook.Outcome
	if err != nil {
		o.Reason = "Blocked: " + tool.Words(err)
	} else if o = c.clear(ctx, c.Question, call); o.Approved && call.Refused == "" {
		if len(o.Changed) == 0 {
			o.Changed = call.Args // so that no other hook's arguments count
		}
		c.cleared.Store(call.ID, string(o.Changed))
	}
	call.Event = cmp.Or(call.Event, "PreToolUse")
	answer, _ := c.Agent.Answer(call, o) // of texts and JSON alone
	return answer
}

// ran reports what came of a call, which has to be the one that was cleared.
func (c *claude) ran(ctx context.Context, call hook.Call) {
	cleared, _ := c.cleared.LoadAndDelete(call.ID)
	if may, _ := cleared.(string); !sameJSON(tool.JSON(may), call.Args) {
		c.Talk.Note("not cleared: " + call.Tool + " " + string(call.Args))
		c.end(errUnasked)
		return
	}
	c.report(ctx, call)
}

// prompted answers what Claude Code asks beside its hooks, where its settings or its own
// care want it: what the hook has cleared, and nothing else.
func (c *claude) prompted(q claudeRequest) any {
	cleared, known := c.cleared.Load(q.CallID)
	may, _ := cleared.(string)
	if known && sameJSON(tool.JSON(may), q.Input) {
		return map[string]any{"behavior": "allow", "updatedInput": q.Input}
	}
	return map[string]any{"behavior": "deny", "message": "Blocked: this call was not cleared by the gateway."}
}
