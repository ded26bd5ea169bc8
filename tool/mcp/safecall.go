package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errNonsense is what has become of a message that the library stumbles over.
var errNonsense = errors.New("what the server says makes no sense")

// safeCall has the library work on what a server says. Some of its ways through a
// message trust that nothing in it is missing.
func safeCall(work func() error) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("%w: %v", errNonsense, what)
		}
	}()
	return work()
}

// guardHandlers stands before all handlers of a server's messages, the library's own and
// ours. They run in goroutines of the library, where a panic would end us.
func (c *connection) guardHandlers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		if lacksParams(req) {
			// Not left to recover: the library panics while it holds a lock.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this message makes no sense: it has no params"}
		}
		err = safeCall(func() (err error) {
			result, err = next(ctx, method, req)
			return err
		})
		if errors.Is(err, errNonsense) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this message makes no sense"}
		}
		return result, err
	}
}

// lacksParams reports whether a message has no params though what takes it needs them.
// Of the other methods, the library refuses it itself or needs none.
func lacksParams(req mcp.Request) bool {
	switch r := req.(type) {
	case *mcp.ElicitRequest:
		return r.Params == nil
	case *mcp.ElicitationCompleteNotificationRequest:
		return r.Params == nil
	default:
		return false
	}
}
