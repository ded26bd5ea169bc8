package approvaltest

import (
	"context"

	"github.com/lineclear/lineclear/approval"
)

// Says is a handler that gives the same answer at once to everything.
func Says(status approval.Status) approval.Handler {
	return approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		return approval.Response{ApprovalID: r.ApprovalID, Status: status}, nil
	})
}

// Silent is a handler that waits for the end of its ctx, as a person does who does
// not answer.
func Silent() approval.Handler {
	return approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		<-ctx.Done()
		return approval.Response{}, ctx.Err()
	})
}

// Fails is a handler that fails.
func Fails(err error) approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{Status: approval.Approved}, err
	})
}

// Panics is a handler that panics.
func Panics() approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) { panic("boom") })
}

// AnswersAnother is a handler that answers a request that it was not asked.
func AnswersAnother() approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{ApprovalID: "another", Status: approval.Approved}, nil
	})
}
