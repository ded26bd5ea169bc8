package store_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// dice are those for a text: they fall in the same way in every process.
func (r *simulation) dice(text string) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, text)
	return rand.New(rand.NewPCG(r.seed, h.Sum64()))
}

// simModel asks for one or two calls, or none, and is content with whatever comes of them.
type simModel struct{ g *simGateway }

// Generate implements model.Model.
func (m simModel) Generate(ctx context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
	last := p.Messages[len(p.Messages)-1]
	dice := m.g.run.dice(fmt.Sprint("model ", last.Text, len(p.Messages)))
	if err := m.g.run.rest(ctx, time.Duration(dice.Int64N(int64(2*time.Second)))); err != nil {
		return model.Reply{}, context.Cause(ctx)
	}
	if last.Role != model.User && dice.IntN(3) > 0 {
		return model.Reply{Text: "done"}, nil
	}
	reply := model.Reply{Text: "let me see"}
	for i := range 1 + dice.IntN(2) {
		name := []string{simToolName(tool.ResumeNever), simToolName(tool.ResumeReenter)}[dice.IntN(2)]
		reply.Calls = append(reply.Calls, model.Call{ID: "call", Name: name, Args: tool.JSON(fmt.Sprintf(`{"n":%d}`, i))})
	}
	return reply, nil
}

// simTool takes its time, and notes when it does what.
type simTool struct {
	g      *simGateway
	resume tool.Resume
}

func simToolName(r tool.Resume) string {
	if r == tool.ResumeReenter {
		return "again"
	}
	return "once"
}

// Spec implements tool.Tool.
func (t simTool) Spec() tool.Spec { return tool.Spec{Name: simToolName(t.resume), Resume: t.resume} }

// Run implements tool.Tool.
func (t simTool) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	if t.g.dead.Load() {
		return tool.Result{}, context.Canceled // the process is not there any more
	}
	started := t.g.run.started(t.g, call)
	dice := t.g.run.dice(fmt.Sprint("tool ", started.number))
	_ = t.g.run.rest(ctx, time.Duration(dice.ExpFloat64()*float64(time.Second)))
	t.g.run.ended(t.g, started)
	return tool.Result{Text: "it ran"}, nil
}
