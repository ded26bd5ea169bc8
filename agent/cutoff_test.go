package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/shell"
)

// cutOff is once, by a model that reaches its limit in the reply.
func cutOff(name, args string) modelFunc {
	says := once(name, args)
	return func(ctx context.Context, p model.Prompt, d func(model.Delta)) (model.Reply, error) {
		r, err := says(ctx, p, d)
		if len(r.Calls) > 0 {
			r.Stop = model.StopLength
		}
		return r, err
	}
}

func TestACallOfAReplyThatWasCutOffSaysSo(t *testing.T) {
	for name, m := range map[string]modelFunc{"cut off": cutOff("note", `{"text":"ok"}`), "whole": once("note", `{"text":"ok"}`)} {
		var asked []approval.Request
		k := newKit(t, agent.Config{Model: m, Handler: approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
			asked = append(asked, r)
			return approval.Response{Status: approval.Approved}, nil
		})})
		if _, err := k.Run(t.Context(), "", "go"); err != nil || len(asked) != 1 || asked[0].CutOff != (name == "cut off") {
			t.Errorf("%s: asked were %+v, %v", name, asked, err)
		}
	}
}

func TestACallThatCantBeTakenIsRefusedInTheToolsWords(t *testing.T) {
	run := agent.Tool{Tool: shell.New(shell.Options{})}
	for name, tt := range map[string]struct {
		model modelFunc
		want  string
	}{
		"without a command":          {once("shell", `{}`), "arguments: nothing to run: give command (a line for /bin/sh) or argv (a program and its arguments)"},
		"with an empty one":          {once("shell", `{"command":""}`), "arguments: nothing to run: give command"},
		"with both":                  {once("shell", `{"command":"ls","argv":["ls"]}`), "arguments: give command or argv, not both"},
		"with one of another type":   {once("shell", `{"command":1}`), "command: got number, want string"},
		"of a reply that is cut off": {cutOff("shell", `{"command": "ec`), "the reply was cut off at its limit of tokens, perhaps in the middle of them: write less at once"},
	} {
		k := newKit(t, agent.Config{Model: tt.model, Handler: silent(), Tools: []agent.Tool{run}})
		words, err := k.Run(t.Context(), "", "go")
		if err != nil || !strings.Contains(words, tt.want) || strings.Contains(words, "missing property 'argv'") {
			t.Errorf("%s: the model reads %q, %v", name, words, err)
		}
	}
	var _ tool.Explainer = shell.New(shell.Options{})
}
