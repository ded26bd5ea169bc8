package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// remote is a tool of a server.
type remote struct {
	server *Server
	name   string // the server's own
	spec   tool.Spec
}

var _ tool.Changing = (*remote)(nil)

// Spec implements tool.Tool.
func (t *remote) Spec() tool.Spec { return t.spec }

// Now implements tool.Changing: the list is read again if the server has said that
// it is another one.
func (t *remote) Now(ctx context.Context, sessionID string) (tool.Tool, error) {
	tools, err := t.server.Tools(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	for _, now := range tools {
		if now.Spec().Name == t.spec.Name {
			return now, nil
		}
	}
	return nil, &Error{Server: t.server.config.Name, Detail: "it does not have the tool any more"}
}

// Run implements tool.Tool: the call goes to the connection of its session. A
// server that can't be started is an error; all else is a result.
func (t *remote) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	result, refused, err := t.once(ctx, call)
	if refused {
		result, _, err = t.once(ctx, call)
	}
	return result, err
}

func (t *remote) once(ctx context.Context, call tool.Call) (result tool.Result, refused bool, err error) {
	c, err := t.server.use(ctx, call.SessionID)
	if err != nil {
		return tool.Result{}, false, err
	}
	defer c.leave()
	result, refused = c.run(ctx, t.name, call)
	return result, refused, nil
}

// run makes a call. It reports whether the server has refused it because it does
// not know the connection any more: then it has not run.
func (c *connection) run(ctx context.Context, name string, call tool.Call) (result tool.Result, refused bool) {
	callCtx, f := newInflight(ctx, call, c.server.config.CallTimeout)
	c.addCall(f)
	defer c.removeCall(f)
	got, err := c.call(callCtx, name, f)
	// A server that has begun and then asks for a page may have done something.
	if pages, ok := questionsOf(err); ok && !f.hasBegun() {
		if why := c.askAll(callCtx, pages); why != "" {
			return tool.Failed(why), false
		}
		got, err = c.call(callCtx, name, f)
	}
	if err == nil {
		c.proven.Store(true)
		return c.server.result(got), false
	}
	// What was refused has not run, also where the connection was ended for it by now.
	if f.delivery.Refused() && ctx.Err() == nil {
		return tool.Failed(c.says("did not know the connection any more; the call did not run")), true
	}
	return tool.Failed(c.why(ctx, callCtx, err)), false
}

// unknown is what has to be said of a call whose answer did not come.
const unknown = "; what the call did is not known"

func (c *connection) says(what string) string {
	return "The server " + c.server.config.Name + " " + what + "."
}

// why words what has become of a call that has no answer.
func (c *connection) why(ctx, callCtx context.Context, err error) string {
	cause := context.Cause(callCtx)
	lost := c.transport.Lost()
	told, isTold := toldBy(err)
	switch {
	case ctx.Err() != nil:
		return "Cancelled: the server " + c.server.config.Name + " was told to stop" + unknown + "."
	case errors.Is(cause, errSlow):
		return c.says(fmt.Sprintf("did not answer within %s and was told to stop", c.server.config.CallTimeout) + unknown)
	case errors.Is(cause, errLong):
		return c.says(fmt.Sprintf("told of progress for %s, was not done, and was told to stop", longest(c.server.config.CallTimeout)) + unknown)
	case isTold:
		return c.says("answered with an error: " + bounded(c.transport.Hide(told.Message), c.server.config.ResultLimit))
	case errors.Is(lost, transport.ErrFlood):
		return c.says(lost.Error() + unknown)
	case lost != nil:
		return c.died(ctx)
	case errors.Is(cause, errEnded):
		return "The connection to the server " + c.server.config.Name + " was closed while the call ran" + unknown + "."
	case transport.IsUnreadable(err):
		return c.says("answered with what is no result of a call" + unknown)
	default:
		return "The call to the server " + c.server.config.Name + " failed: " + c.errorText(err) + unknown + "."
	}
}

// toldBy is the server's own word in an error. The library has an error of the
// same kind for what it could not send.
func toldBy(err error) (*jsonrpc.Error, bool) {
	var told *jsonrpc.Error
	if !errors.As(err, &told) || told.Code == notSent {
		return nil, false
	}
	return told, true
}

const notSent = -32005

// died waits until all that the server has said is read.
func (c *connection) died(ctx context.Context) string {
	c.stop() // a server on HTTP that has forgotten the connection need not have closed it
	select {
	case <-c.over:
	case <-ctx.Done():
	}
	text := c.says("ended while the call ran" + unknown)
	if words := c.log.lastWords(); len(words) > 0 {
		text += " Its last words:\n" + strings.Join(words, "\n")
	}
	return text
}

// errorText is an error in one line, without secrets.
func (c *connection) errorText(err error) string {
	return oneLine(tool.Words(errors.New(c.transport.ErrorText(err))), maxLine)
}

// progress is told by the server.
func (c *connection) progress(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
	token, ok := req.Params.ProgressToken.(string)
	if !ok {
		return
	}
	c.mu.Lock()
	f := c.running[token]
	c.mu.Unlock()
	if f == nil {
		return // the call is over, or never was
	}
	f.touch()
	if tell := c.server.options.Progress; tell != nil {
		tell(f.call, Progress{Done: req.Params.Progress, Total: req.Params.Total, Message: clean(req.Params.Message, maxLine)})
	}
}
