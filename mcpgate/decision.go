package mcpgate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// errUntaken is why a decision ends that nobody has taken.
var errUntaken = errors.New("mcpgate: the client did not call again")

// decision is one request at the gateway. It outlives the call that it was made for if the
// client can't wait so long: a repetition of the call takes it, once.
type decision struct {
	key    string
	cancel context.CancelCauseFunc // withdraws it, unless it was taken
	done   chan struct{}           // closed once it is answered
	row    client.Approval         // then
	err    error

	once  sync.Once
	taken chan struct{}
	taker context.Context // of the call that has taken it
	kept  *time.Timer     // ends it if nobody takes it; nil: it is not kept
}

// take takes the decision for a call whose ctx ends with it, and reports whether this was the first
// to do so.
func (d *decision) take(ctx context.Context) (first bool) {
	d.once.Do(func() {
		first, d.taker = true, ctx
		close(d.taken)
	})
	return first
}

// decision is the request for a call: the one that a repetition is to take, or a new one.
func (r *Relay) decision(ctx context.Context, p toolCall, d definition) *decision {
	about := p.digest() + d.digest
	r.mu.Lock()
	found := r.kept[about]
	delete(r.kept, about)
	r.mu.Unlock()
	if found != nil && found.kept.Stop() {
		return found
	}
	return r.ask(ctx, d.runOf(p), r.question(p, d))
}

// runOf names the run in which a call is asked about: one of its own if its tool has changed, or if
// more than arguments goes to the server. No approval of another call holds there.
func (d definition) runOf(p toolCall) string {
	if !d.changed && p.bound == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.name + "\x00" + d.digest + "\x00" + p.bound))
	return p.name[:min(len(p.name), 20)] + " " + hex.EncodeToString(sum[:8])
}

// question is what is asked about a call.
func (r *Relay) question(p toolCall, d definition) client.Question {
	q := client.Question{
		ToolName: r.toolName(p.name), Args: p.args.Value(), WorkingDirectory: r.o.Folder, Schema: d.schema, Editable: true,
		Arguments: r.o.Arguments[p.name], Type: approval.ToolConfirmation, Traceparent: p.trace,
		Metadata: map[string]string{"asked by": "the MCP gate", "MCP server": r.o.Server},
	}
	for name, said := range map[string]string{"description": d.description, "hints of the server": d.hints} {
		if said != "" {
			q.Metadata[name] = said
		}
	}
	if p.beside != "" {
		q.Metadata["beside the arguments"] = p.beside
	}
	switch {
	case d.unknown:
		q.Metadata["definition"] = "not known: the server's list of tools could not be read"
	case d.digest == "":
		q.Metadata["definition"] = "the server does not list this tool"
	case d.twice:
		q.Metadata["definition"] = "the server lists this tool in more than one way: approvals of another one do not hold"
	case d.changed:
		q.Metadata["definition"] = "changed since the client first saw this tool: approvals of the earlier one do not hold"
	}
	return q
}

// ask makes a request, and waits for its answer in the background.
func (r *Relay) ask(ctx context.Context, run string, q client.Question) *decision {
	wait, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	q.Key = "mcp/" + uuid.NewString()
	if r.o.Expires > 0 {
		q.ExpiresIn = r.o.Expires.String()
	}
	d := &decision{key: q.Key, cancel: cancel, done: make(chan struct{}), taken: make(chan struct{})}
	in := r.runs.use(run)
	r.running.Go(func() {
		defer r.left(in)
		defer cancel(nil)
		d.row, d.err = r.askIn(wait, run, q)
		close(d.done)
		if d.err != nil || d.row.Status != approval.Approved {
			return
		}
		select {
		case <-d.taken:
			<-d.taker.Done()
			return
		case <-wait.Done():
		}
		ctx, stop := context.WithTimeout(context.WithoutCancel(wait), endWithin)
		defer stop()
		_, _ = r.o.Gateway.Retract(ctx, d.row.ApprovalID) // what nobody takes is not run either way
	})
	return d
}

// askIn asks in a run. One that the gateway has ended is begun again.
func (r *Relay) askIn(ctx context.Context, run string, q client.Question) (client.Approval, error) {
	for again := false; ; again = true {
		id, err := r.run(ctx, run)
		if err != nil {
			return client.Approval{}, err
		}
		q.SessionID = id
		row, err := r.o.Gateway.AskAndWait(ctx, q)
		if p, told := errors.AsType[*client.Problem](err); again || !told || p.Code != "session_ended" {
			return row, err
		}
		r.forget(id)
	}
}

// wait waits for the answer as long as the client waits, and reports whether that was too
// short. A client that has asked for progress is told that it has to wait.
func (d *decision) wait(ctx context.Context, r *Relay, p toolCall) (late bool) {
	tick := time.NewTicker(r.o.ProgressEvery)
	defer tick.Stop()
	var limit <-chan time.Time
	if p.token == nil {
		timer := time.NewTimer(r.o.AnswerWithin)
		defer timer.Stop()
		limit = timer.C
	}
	for n := 1; ; n++ {
		select {
		case <-d.done:
			return false
		case <-ctx.Done():
			return false
		case <-limit:
			return true
		case <-tick.C:
			if p.token != nil {
				soon, stop := context.WithTimeout(ctx, r.o.ProgressEvery) // a client that does not read holds up nothing
				r.tellOf(soon, p.id, progress(p.token, n))
				stop()
			}
		}
	}
}

// tellOf sends a notice about one of the client's requests, where that is answered: another
// request may have the same token.
func (r *Relay) tellOf(ctx context.Context, id tool.JSON, notice []byte) {
	if c, has := r.client.(interface {
		writeOf(ctx context.Context, id tool.JSON, message []byte) error
	}); has {
		_ = c.writeOf(ctx, id, notice) // if it has gone, nobody is to be told
		return
	}
	r.tell(ctx, notice)
}

// progress tells a client that its call waits. The server's own numbers begin at zero or
// one, and have to be greater.
func progress(token tool.JSON, n int) []byte {
	return written{Method: "notifications/progress", Params: map[string]any{
		"progressToken": token, "progress": float64(n) / 1e6, "message": "Waiting for a person to clear this call.",
	}}.bytes()
}

// keep keeps a decision for a repetition of the call, and says so in words.
func (r *Relay) keep(ctx context.Context, p toolCall, about definition, d *decision) string {
	r.mu.Lock()
	name := p.digest() + about.digest
	if r.kept == nil || len(r.kept) >= maxKept || r.kept[name] != nil {
		r.mu.Unlock()
		d.cancel(errUntaken)
		return "Nobody has answered yet, and too many calls wait for a repetition: this request was withdrawn. Call again later."
	}
	d.kept = time.AfterFunc(r.o.KeepFor, func() {
		r.mu.Lock()
		if r.kept[name] == d {
			delete(r.kept, name)
		}
		r.mu.Unlock()
		d.cancel(errUntaken)
	})
	r.kept[name] = d
	r.mu.Unlock()
	return fmt.Sprintf("Pending approval %s: nobody has answered yet, and the call has not run. Call %s again with the same arguments to get the answer. "+
		"It is kept for %s; after that the request is withdrawn.", r.idOf(ctx, d), p.name, r.o.KeepFor)
}

// idOf is the id of a request that waits, which may only just be on its way.
func (r *Relay) idOf(ctx context.Context, d *decision) string {
	ctx, stop := context.WithTimeout(ctx, endWithin)
	defer stop()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if rows, err := r.o.Gateway.Asked(ctx, d.key); err == nil && len(rows) > 0 {
			return rows[0].ApprovalID
		}
		select {
		case <-tick.C:
		case <-d.done:
			return d.row.ApprovalID
		case <-ctx.Done():
			return "of this call"
		}
	}
}
