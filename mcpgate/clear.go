package mcpgate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// errTaken is why a request is withdrawn whose client has taken its call back.
var errTaken = errors.New("mcpgate: the client has cancelled the call")

// call is one tools/call of the client's.
type call struct {
	m      message
	cancel context.CancelCauseFunc
	got    chan message // the server's answer

	passage
}

// passage is whether a request goes over to the other side, or is taken back first.
type passage struct {
	mu   sync.Mutex
	sent bool // it has gone, or is about to
	over bool // it is not to go any more
}

func newCall(m message, cancel context.CancelCauseFunc) *call {
	return &call{m: m, cancel: cancel, got: make(chan message, 1)}
}

// takeBack has a request not sent that has not been sent yet, and reports whether it could.
func (p *passage) takeBack() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = !p.sent
	return p.over
}

// send reports whether the request may be sent now.
func (p *passage) send() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = !p.over
	return p.sent
}

// gone reports whether the request has been sent, or is about to be.
func (p *passage) gone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// withdraw cancels a call that has not been sent, and reports whether it could.
func (c *call) withdraw(why error) bool {
	if !c.takeBack() {
		return false
	}
	c.cancel(why)
	return true
}

// answer takes the server's answer, once. One to a call that was not sent is left out.
func (c *call) answer(m message) {
	if !c.gone() {
		return
	}
	select {
	case c.got <- m:
	default:
	}
}

// cancelled takes a client's notice that it no longer waits for a request. kept: the server
// has not heard of that.
func (r *Relay) cancelled(m message) (kept bool) {
	r.mu.Lock()
	q := r.open[key(member(m.params, "requestId"))]
	r.mu.Unlock()
	if q == nil {
		return false
	}
	if q.call == nil {
		q.cancel(errTaken)
		r.release(member(m.params, "requestId"), q) // a late answer is for nobody
		return false
	}
	if q.call.withdraw(errTaken) {
		return true
	}
	q.call.cancel(errTaken)
	return false
}

// clear asks about a call, waits, has it run and passes its result on. Every error is a
// refusal.
func (r *Relay) clear(ctx context.Context, c *call) {
	p, err := readCall(c.m.params)
	p.id = c.m.id
	if err != nil {
		r.tell(ctx, errorTo(c.m.id, badParams, "%s", err))
		return
	}
	if !mask.IsToolName(r.toolName(p.name)) || r.o.Takes != nil && !r.o.Takes(p.name) {
		r.tell(ctx, refusal(c.m, fmt.Sprintf("The gateway does not offer a tool %q of this server.", label(p.name))))
		return
	}
	row, args, words := r.cleared(ctx, c, p)
	switch {
	case ctx.Err() != nil && row.ApprovalID == "": // nobody waits for an answer
	case words != "":
		r.tell(ctx, refusal(c.m, words))
	default:
		r.forward(ctx, c, p, row.ApprovalID, args)
	}
}

// toolName is a server's tool as it is asked about.
func (r *Relay) toolName(name string) string { return r.o.Server + "__" + name }

// cleared asks about a call until there is an answer to it as it is now, and takes the right
// to run it. words say why it does not run.
func (r *Relay) cleared(ctx context.Context, c *call, p toolCall) (row client.Approval, args strictjson.Canonical, words string) {
	d := r.define(ctx, c.m, p.name)
	for range maxRounds {
		asked := r.decision(ctx, p, d)
		late := asked.wait(ctx, r, p)
		if ctx.Err() != nil {
			asked.cancel(context.Cause(ctx))
			return row, args, ""
		}
		if late {
			return row, args, r.keep(ctx, p, d, asked)
		}
		if asked.err != nil {
			return row, args, remedy(asked.err)
		}
		if asked.row.Status != approval.Approved {
			return row, args, (&client.Refused{Approval: asked.row}).Error()
		}
		now := r.define(ctx, c.m, p.name)
		if now.digest != d.digest {
			asked.cancel(errChanged)
			now.changed, d = true, now
			continue
		}
		if !asked.take(ctx) {
			continue
		}
		if args, words = r.claim(ctx, asked.row); words != "" {
			return row, args, words
		}
		return asked.row, args, ""
	}
	return row, args, "The tool's definition changes again and again, so nobody can clear this call."
}

// maxRounds is how often a call is asked about whose tool changes, and how often a list is read
// that changes meanwhile.
const maxRounds = 5

// errChanged is why a request is withdrawn whose tool has changed.
var errChanged = errors.New("mcpgate: the tool's definition has changed")

// claim takes the right to run what was approved. words say why there is none; what was claimed
// all the same is reported as not run.
func (r *Relay) claim(ctx context.Context, row client.Approval) (args strictjson.Canonical, words string) {
	ran, err := r.o.Gateway.ClaimAnswered(ctx, row)
	if err != nil {
		words = notClaimed(err)
		if errors.Is(err, client.ErrUnclear) {
			r.running.Go(func() { r.unrun(ctx, row.ApprovalID, words) })
		}
		return args, words
	}
	if args, err = strictjson.Canonicalize(ran); err != nil {
		words = remedy(err)
		r.report(row.ApprovalID, tool.Failed(words))
	}
	return args, words
}

// unrun withdraws an approval of which is not known whether it was claimed, or reports that
// nothing was run.
func (r *Relay) unrun(ctx context.Context, approvalID, words string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer stop()
	if _, err := r.o.Gateway.Retract(ctx, approvalID); err != nil {
		r.report(approvalID, tool.Failed(words))
	}
}

// notClaimed says why a call does not run that was asked about.
func notClaimed(err error) string {
	if refused, is := errors.AsType[*client.Refused](err); is {
		return refused.Error()
	}
	if errors.Is(err, client.ErrUnclear) {
		return "The gateway's answer was lost, so the call was not run. Call it again."
	}
	return remedy(err)
}

// forward has the server run what was cleared, passes the result on and reports it.
func (r *Relay) forward(ctx context.Context, c *call, p toolCall, approvalID string, args strictjson.Canonical) {
	params, err := p.with(args)
	if err == nil {
		err = r.server.writeIf(ctx, written{ID: c.m.id, Method: callMethod, Params: params}.bytes(), c.send)
	}
	if err != nil && c.withdraw(err) {
		r.report(approvalID, tool.Failed("The client took the call back before it was run."))
		return
	}
	var answer message
	if err == nil {
		select {
		case answer = <-c.got:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		r.report(approvalID, tool.Failed("What the call did is not known: "+tool.Words(err)))
		return
	}
	result := resultOf(answer)
	if words := r.passOn(ctx, answer, func(words string) []byte { return refusal(c.m, words) }); words != "" {
		result = tool.Failed(words)
	}
	r.report(approvalID, result)
}

// tell sends a message to the client. If it has gone, nobody is to be told.
func (r *Relay) tell(ctx context.Context, message []byte) { _ = r.client.Write(ctx, message) }

// report tells the gateway what came of a call. It has run, whoever still waits.
func (r *Relay) report(approvalID string, result tool.Result) {
	ctx, stop := context.WithTimeout(context.Background(), reportWithin)
	defer stop()
	for {
		_, err := r.o.Gateway.Report(ctx, approvalID, result)
		if _, told := errors.AsType[*client.Problem](err); err == nil || told {
			return
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			r.o.Note("the result of request " + approvalID + " could not be reported: " + err.Error())
			return
		}
	}
}

// reportWithin is how long the gateway may be away when a result is to be reported.
const reportWithin = 30 * time.Second

// define is a tool's definition as the server has it now.
func (r *Relay) define(ctx context.Context, m message, name string) definition {
	d, known := r.catalog.of(name)
	if known {
		return d
	}
	ctx, stop := context.WithTimeout(ctx, listWithin)
	defer stop()
	for range maxRounds { // a list may change while it is read
		read := r.list(ctx, m)
		if d, known = r.catalog.of(name); known || !read {
			break
		}
	}
	return d
}

// list reads the server's list of tools, with the words that a request of the client's was
// made in, and reports whether it has come.
func (r *Relay) list(ctx context.Context, m message) bool {
	var cursor tool.JSON
	var listed []tool.JSON
	changes := r.catalog.count()
	for range 1000 {
		params := map[string]any{}
		if meta := listMeta(m.params); meta != nil {
			params["_meta"] = meta
		}
		if cursor != nil {
			params["cursor"] = cursor
		}
		answer, ok := r.call(ctx, "tools/list", params)
		if !ok || answer.failed {
			return false
		}
		listed = append(listed, blocks(member(answer.result, "tools"))...)
		if cursor = nextPage(answer.result); cursor == nil {
			r.catalog.take(listed, changes)
			return true
		}
	}
	return false
}

// listMeta is what a newer client says of itself in each request.
func listMeta(params tool.JSON) map[string]tool.JSON {
	if text(params, "_meta", versionKey) == "" {
		return nil
	}
	meta := map[string]tool.JSON{}
	for name, value := range object(member(params, "_meta")) {
		if name != "progressToken" && value != nil {
			meta[name] = tool.JSON(value)
		}
	}
	return meta
}

// call makes a request of the relay's own.
func (r *Relay) call(ctx context.Context, method string, params any) (answer message, ok bool) {
	got := make(chan message, 1)
	r.mu.Lock()
	r.last++
	id := tool.JSON(strconv.Quote(r.own + strconv.Itoa(r.last)))
	r.lists[key(id)] = got
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.lists, key(id))
	}()
	if err := r.server.Write(ctx, written{ID: id, Method: method, Params: params}.bytes()); err != nil {
		return answer, false
	}
	select {
	case answer = <-got:
		return answer, true
	case <-ctx.Done():
		return answer, false
	}
}
