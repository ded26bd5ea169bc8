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
	h.Command = slices.Concat(h.Command[:1], claudeArgs, h.Command[1:])
	l, stop, err := h.start(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	c := &claude{Host: h, Line: l}
	err = c.converse(ctx)
	end() // and with it what is asked still
	c.asked.running.Wait()
	return errors.Join(err, stop())
}

type claude struct {
	Host
	*jsonrpc.Line
	asked   asked
	cleared sync.Map // what hooks have cleared, by the call's id
}

type claudeMessage struct {
	Type      string    `json:"type"`
	RequestID string    `json:"request_id"`
	Request   tool.JSON `json:"request"`
	Message   tool.JSON `json:"message"`
	IsError   bool      `json:"is_error"`
	Result    string    `json:"result"`
}

type claudeRequest struct {
	Subtype string    `json:"subtype"`
	Input   tool.JSON `json:"input"`
	CallID  string    `json:"tool_use_id"`
}

// converse reads what Claude Code writes, until the conversation is over.
func (c *claude) converse(ctx context.Context) error {
	hooks := map[string]any{}
	for _, event := range []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"} {
		hooks[event] = []any{map[string]any{"hookCallbackIds": []string{event}, "timeout": longest, "onFailure": "block"}}
	}
	if err := c.Send(map[string]any{"type": "control_request", "request_id": "hooks", "request": map[string]any{"subtype": "initialize", "hooks": hooks}}); err != nil {
		return err
	}
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
		case "control_response", "result":
			if m.IsError {
				c.Talk.Note("failed: " + m.Result)
			}
			if err := c.say(ctx); err != nil {
				return over(err)
			}
		case "control_request":
			c.asked.put(ctx, m.RequestID, func(ctx context.Context) { c.answer(ctx, m) })
		case "control_cancel_request":
			c.asked.takeBack(func(name string) bool { return name == m.RequestID })
		case "assistant":
			c.show(m.Message)
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

func (c *claude) show(message tool.JSON) {
	var m struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(message, &m) // what can't be read is not shown
	for _, part := range m.Content {
		if part.Text != "" {
			c.Talk.Said(part.Text + "\n")
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
	if err == nil && call.After {
		c.report(ctx, call)
		return tool.JSON("{}")
	}
	var o hook.Outcome
	if err != nil {
		o.Reason = "Blocked: " + tool.Words(err)
	} else if o = c.clear(ctx, c.Question, call); o.Approved && !o.Elsewhere && call.Refused == "" {
		c.cleared.Store(call.ID, cmp.Or(string(o.Changed), string(call.Args)))
	}
	call.Event = cmp.Or(call.Event, "PreToolUse")
	answer, _ := c.Agent.Answer(call, o) // of texts and JSON alone
	return answer
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
