package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// A newer server that needs to know something says so instead of a result, and
// the call is sent again with the answers. Package transport says why the library
// does not do it.

// maxRounds is how often a call is sent with answers, and maxBusy how often
// because the server has said that it is busy.
const (
	maxRounds = 10
	maxBusy   = 3
)

var (
	errRounds     = fmt.Errorf("the server asked for more in each of %d rounds", maxRounds)
	errBusy       = errors.New("the server was busy")
	errQuestions  = fmt.Errorf("the server asked more than %d questions at once", maxQuestions)
	errNoQuestion = errors.New("the server asked for something that is not done here")
	errNobody     = errors.New("the server has a question, and nobody can be asked")
)

// call sends a call, and again with answers while the server asks for them.
func (c *connection) call(ctx context.Context, name string, f *inflight) (*mcp.CallToolResult, error) {
	args := f.call.Args
	if len(args) == 0 {
		args = tool.JSON("{}")
	}
	params := &mcp.CallToolParams{Name: name, Arguments: args, Meta: mcp.Meta{}}
	if c.isNew() && c.server.options.Log != nil {
		params.Meta[mcp.MetaKeyLogLevel] = logLevel
	}
	if f.call.Traceparent != "" {
		params.Meta["traceparent"] = f.call.Traceparent
	}
	params.SetProgressToken(f.token)
	busy := 0
	for range maxRounds {
		got, err := transport.SafeCall(func() (*mcp.CallToolResult, error) { return c.session.CallTool(ctx, params) })
		if err != nil || !asks(got) {
			return got, err
		}
		if len(got.InputRequests) == 0 {
			if busy++; busy == maxBusy {
				return nil, errBusy
			}
		}
		answers, err := c.answers(ctx, got.InputRequests)
		if err != nil {
			return nil, err
		}
		next := *params
		next.InputResponses, next.RequestState = answers, got.RequestState
		params = &next
	}
	return nil, errRounds
}

// asks reports whether a result says, in so many words, that the call waits for
// answers. One that has content beside is a result: the call has run.
func asks(r *mcp.CallToolResult) bool {
	return r.NeedsInput() && len(r.Content) == 0 && r.StructuredContent == nil
}

// answers puts the questions of a result to a person, one after the other.
func (c *connection) answers(ctx context.Context, asked mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	if len(asked) > maxQuestions {
		return nil, errQuestions
	}
	all := mcp.InputResponseMap{}
	for _, id := range slices.Sorted(maps.Keys(asked)) {
		switch q := asked[id].(type) {
		case *mcp.ElicitParams:
			if c.server.options.Ask == nil {
				return nil, errNobody
			}
			a, err := c.ask(ctx, &mcp.ElicitRequest{Session: c.session, Params: q})
			if err != nil {
				return nil, err
			}
			all[id] = a
		case *mcp.ListRootsParams:
			all[id] = &mcp.ListRootsResult{Roots: c.server.roots()}
		default:
			return nil, errNoQuestion
		}
	}
	return all, nil
}
