package mcpgate

import (
	"context"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// continuation is a call for which the server wanted more (input_required) before it gives
// its result. It was cleared: the client's next round is not asked about.
type continuation struct {
	approvalID string
	args       strictjson.Canonical
}

// round names the next round of a call: the same call, with what the server gave along.
func (c toolCall) round(state string) string { return c.digest() + state }

// resumed is the continuation that a call is, once; nil: it is a new call.
func (r *Relay) resumed(p toolCall) *continuation {
	if !p.input && p.state == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.goes[p.round(p.state)]
	delete(r.goes, p.round(p.state))
	return c
}

// goesOn takes an answer that wants more of the client.
func (r *Relay) goesOn(ctx context.Context, c *call, p toolCall, approvalID string, args strictjson.Canonical, answer message) bool {
	if text(answer.result, "resultType") != "input_required" {
		return false
	}
	if words := r.lent(ctx, answer); words != "" {
		r.tell(ctx, refusal(c.m, words))
		r.report(approvalID, tool.Failed(words))
		return true
	}
	r.mu.Lock()
	name := p.round(string(member(answer.result, "requestState")))
	room := len(r.goes) < maxKept && r.goes[name] == nil
	if room {
		r.goes[name] = &continuation{approvalID, args}
	}
	r.mu.Unlock()
	if !room {
		r.report(approvalID, tool.Failed("The server wanted more of the client; its next round is asked about again."))
	}
	r.tell(ctx, answer.raw)
	return true
}

// wantsModel are the params with which a result asks for the client's model.
func wantsModel(m message) (wanted []tool.JSON) {
	for _, request := range object(member(m.result, "inputRequests")) {
		if request != nil && isModel(text(request, "method")) {
			wanted = append(wanted, member(request, "params"))
		}
	}
	return wanted
}

// lend passes on a result that asks for the client's model, if that is cleared.
func (r *Relay) lend(ctx context.Context, m message) {
	if words := r.lent(ctx, m); words != "" {
		r.tell(ctx, errorTo(m.id, refusedByUs, "%s", words))
		return
	}
	r.tell(ctx, m.raw)
}

// lent asks about each use of the client's model that a result wants. words say why it may
// not be used.
func (r *Relay) lent(ctx context.Context, m message) (words string) {
	for _, params := range wantsModel(m) {
		row, _, words := r.mayUseModel(ctx, params)
		if words != "" {
			return words
		}
		r.report(row.ApprovalID, tool.Result{Text: "The question was passed on to the client's model."})
	}
	return ""
}

// mayUseModel asks whether a server may have the client's model answer.
func (r *Relay) mayUseModel(ctx context.Context, params tool.JSON) (row client.Approval, cleared strictjson.Canonical, words string) {
	cleared, err := strictjson.Canonicalize(strictjson.OrEmptyObject(params))
	if err != nil || strictjson.Kind(cleared.Value()) != '{' {
		return row, cleared, "The server's question to the model can't be shown to a person."
	}
	d := r.ask(ctx, "", client.Question{
		ToolName: r.o.Server + ":sampling", Args: cleared.Value(), WorkingDirectory: r.o.Folder,
		Message:  "The MCP server " + r.o.Server + " wants the client's model to answer this.",
		Metadata: map[string]string{"asked by": "the MCP gate", "MCP server": r.o.Server},
	})
	select {
	case <-d.done:
	case <-ctx.Done():
		d.cancel(context.Cause(ctx))
		return row, cleared, "withdrawn"
	}
	if d.err != nil {
		return row, cleared, remedy(d.err)
	}
	d.take()
	ran, err := r.o.Gateway.ClaimAnswered(ctx, d.row)
	if err == nil {
		cleared, err = strictjson.Canonicalize(ran)
	}
	if err != nil {
		return row, cleared, notClaimed(err)
	}
	return d.row, cleared, ""
}
