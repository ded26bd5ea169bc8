package shell

import (
	"context"
	"fmt"
	"time"

	"github.com/lineclear/lineclear/internal/process"
)

// callIDVariable is how a call's processes are found again.
const callIDVariable = "LINECLEAR_CALL_ID"

// traceVariable is the trace that a command is part of (W3C Trace Context).
const traceVariable = "TRACEPARENT"

func markOf(callID string) process.Mark {
	return process.Mark{Name: callIDVariable, Value: callID}
}

// EndLeftovers ends the processes that the call with this id left running, as
// after a crash of the process that ran it. It reports whether there were any;
// an error names those that could not be ended. It finds them by their
// environment, which only Linux shows.
func EndLeftovers(callID string, grace time.Duration) (bool, error) {
	had, err := process.Family{Mark: markOf(callID)}.End(grace)
	if err != nil {
		return had, fmt.Errorf("shell: call %s: %w", callID, err)
	}
	return had, nil
}

// EndLeftovers ends what a process that is gone has left running of a call.
func (t *Tool) EndLeftovers(ctx context.Context, callID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := EndLeftovers(callID, t.options.Grace)
	return err
}
