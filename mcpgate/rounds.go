package mcpgate

import (
	"context"
	"fmt"
	"strings"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// wantsModel are the params with which a result, or the params of a notification, asks for the
// client's model. What two readers could take for two things is an error.
func wantsModel(said tool.JSON) (wanted []tool.JSON, err error) {
	var requests tool.JSON
	for name, value := range object(said) {
		switch {
		case value == nil || !strings.EqualFold(name, inputRequests):
			continue
		case name != inputRequests || requests != nil:
			return nil, fmt.Errorf("%w: %s", errMessage, name)
		}
		requests = tool.JSON(value)
	}
	if requests == nil {
		return nil, nil
	}
	whole, err := strictjson.Object(requests)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errMessage, inputRequests, err)
	}
	for _, request := range object(whole) {
		for name := range object(request) {
			if strings.EqualFold(name, "method") && name != "method" || strings.EqualFold(name, "params") && name != "params" {
				return nil, fmt.Errorf("%w: %s: names are case-sensitive", errMessage, name)
			}
		}
		if isModel(text(request, "method")) {
			wanted = append(wanted, member(request, "params"))
		}
	}
	return wanted, nil
}

const inputRequests = "inputRequests"

// asksModel reports whether something asks for the client's model, or may.
func asksModel(said tool.JSON) bool {
	wanted, err := wantsModel(said)
	return err != nil || len(wanted) > 0
}

// lend passes on a result that asks for the client's model, if that is cleared, and the client
// still waits for it.
func (r *Relay) lend(q *request, m message) {
	defer r.release(m.id, q)
	r.passOn(q.ctx, m, func(words string) []byte { return errorTo(m.id, refusedByUs, "%s", words) })
}

// passOn passes on an answer of the server's, once each use of the client's model that it wants is
// cleared, and reports what came of these. words say why it was not passed on; the client hears them
// as refused makes them.
func (r *Relay) passOn(ctx context.Context, answer message, refused func(words string) []byte) (words string) {
	cleared, words := r.lent(ctx, answer)
	came := tool.Result{Text: "The question was passed on to the client's model."}
	switch {
	case ctx.Err() != nil:
		came = tool.Failed("The client took its request back before the question was passed on to its model.")
	case words != "":
		r.tell(ctx, refused(words))
		came = tool.Failed("The question was not passed on: " + words)
	default:
		r.tell(ctx, answer.raw)
	}
	for _, approvalID := range cleared {
		r.report(approvalID, came)
	}
	return words
}

// lent asks about each use of the client's model that a result wants, and returns the requests that
// were cleared. words say why it may not be used.
func (r *Relay) lent(ctx context.Context, m message) (cleared []string, words string) {
	wanted, err := wantsModel(m.result)
	if err != nil {
		return nil, "The server's answer can't be read in one way only: " + tool.Words(err)
	}
	for _, params := range wanted {
		row, _, words := r.mayUseModel(ctx, params)
		if words != "" {
			return cleared, words
		}
		cleared = append(cleared, row.ApprovalID)
	}
	return cleared, ""
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
		return row, cleared, "Nobody waits any more for what the client's model was to answer."
	}
	if d.err != nil {
		return row, cleared, remedy(d.err)
	}
	d.take(ctx)
	if cleared, words = r.claim(ctx, d.row); words != "" {
		return row, cleared, words
	}
	return d.row, cleared, ""
}
