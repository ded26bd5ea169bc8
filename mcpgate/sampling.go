package mcpgate

import (
	"context"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// sampling is a server's request to have the client's model answer.
type sampling struct {
	cancel  context.CancelCauseFunc
	got     chan message
	passage // to the client
}

// answer takes the client's answer, once.
func (s *sampling) answer(m message) {
	select {
	case s.got <- m:
	default:
	}
}

func isModel(method string) bool { return strings.EqualFold(method, modelMethod) }

// wanted takes a request of the server's, and reports whether it is kept back.
func (r *Relay) wanted(ctx context.Context, m message) (kept bool) {
	if !isModel(m.method) {
		return false
	}
	r.mu.Lock()
	full := len(r.asked) >= maxCalls || r.asked[key(m.id)] != nil
	if full {
		r.mu.Unlock()
		if r.server.put(ctx, errorTo(m.id, refusedByUs, "too many requests to the client's model are open")) != nil {
			r.o.Note("left out, to the server: a refusal of the client's model; the server does not read")
		}
		return true
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &sampling{cancel: cancel, got: make(chan message, 1)}
	r.asked[key(m.id)] = s
	r.mu.Unlock()
	r.running.Go(func() {
		defer cancel(nil)
		r.sample(ctx, m, s)
	})
	return true
}

// sampled is the gated request that a client's answer is for; nil: it is for another.
func (r *Relay) sampled(id tool.JSON) *sampling {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked[key(id)]
}

// withdrawn takes a server's notice that it no longer waits for a request. What a person is
// asked about is withdrawn, and the client is not told of it.
func (r *Relay) withdrawn(m message) (kept bool) {
	s := r.sampled(member(m.params, "requestId"))
	if s == nil {
		return false
	}
	kept = s.takeBack()
	s.cancel(errTaken)
	return kept
}

// sample has the client's model answer once a person has cleared it.
func (r *Relay) sample(ctx context.Context, m message, s *sampling) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.asked, key(m.id))
	}()
	row, params, words := r.mayUseModel(ctx, m.params)
	if words != "" {
		_ = r.server.Write(ctx, errorTo(m.id, userRejected, "%s", words)) // a server that is gone has no use for it
		return
	}
	if ctx.Err() != nil || !s.send() {
		r.report(row.ApprovalID, tool.Failed("The server took the question back before the client's model was asked."))
		return
	}
	r.tell(ctx, written{ID: m.id, Method: modelMethod, Params: tool.JSON(params.Value())}.bytes())
	select {
	case answer := <-s.got:
		_ = r.server.Write(ctx, answer.raw)
		r.report(row.ApprovalID, modelSaid(answer))
	case <-ctx.Done():
		r.report(row.ApprovalID, tool.Failed("What the client's model said is not known: "+tool.Words(context.Cause(ctx))))
	}
}

// modelSaid is what a client's model has answered, to be reported.
func modelSaid(answer message) tool.Result {
	if answer.failed {
		return tool.Failed(bounded(text(answer.raw, "error", "message")))
	}
	said := text(answer.result, "content", "text")
	if said == "" {
		said = string(answer.result)
	}
	return tool.Result{Text: bounded(said)}
}
