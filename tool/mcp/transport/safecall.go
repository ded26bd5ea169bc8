package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errNonsense is what has become of a message that the library stumbles over.
var errNonsense = errors.New("what the server says makes no sense")

// SafeCall has the library work on what a server says. A panic of its is an error.
func SafeCall[T any](work func() (T, error)) (result T, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("%w: %v", errNonsense, what)
		}
	}()
	return work()
}

// SafeHandlers stands before all handlers of a server's messages, the library's own
// and ours. They run in goroutines of the library, where a panic would end us.
func SafeHandlers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if lacksParams(req) {
			// Not left to recover: the library panics while it holds a lock.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this message makes no sense: it has no params"}
		}
		result, err := SafeCall(func() (mcp.Result, error) { return next(ctx, method, req) })
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
