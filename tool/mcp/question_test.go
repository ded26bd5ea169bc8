package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// asker answers each question with what is next, and keeps it.
type asker struct {
	*journal
	questions chan mcp.Question
	answers   chan mcp.Answer // none: it waits for ctx
}

func newAsker() *asker {
	return &asker{journal: newJournal(), questions: make(chan mcp.Question, 9), answers: make(chan mcp.Answer, 9)}
}

func (a *asker) options() mcp.Options {
	o := a.journal.options()
	o.Ask = a.ask
	return o
}

func (a *asker) ask(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
	a.questions <- q
	select {
	case answer := <-a.answers:
		return answer, nil
	case <-ctx.Done():
		a.add("the question is over")
		return mcp.Answer{Action: mcp.Accept}, nil // which is too late
	}
}

func TestAQuestionIsAskedWithItsCallAndAnswered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, tool string
		answer           mcp.Answer
		want             string
	}{
		{"accepted", "new", "ask", mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`{"name":"Ada","age":9007199254740991}`)}, `{"action":"accept","content":{"age":9007199254740991,"name":"Ada"}}`},
		{"accepted, as older servers ask", "old", "ask", mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`{"name":"Ada"}`)}, `{"action":"accept","content":{"name":"Ada"}}`},
		{"accepted, aside", "old", "ask-aside", mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`{"name":"Ada"}`)}, `{"action":"accept","content":{"name":"Ada"}}`},
		{"declined", "old", "ask-aside", mcp.Answer{Action: mcp.Decline}, `{"action":"decline"}`},
		{"declined within the call", "new", "ask", mcp.Answer{Action: mcp.Decline}, `{"action":"decline"}`},
		{"cancelled", "old", "ask-aside", mcp.Answer{Action: mcp.Cancel}, `{"action":"cancel"}`},
		{"of no meaning", "old", "ask-aside", mcp.Answer{}, `{"action":"cancel"}`},
		{"with content that is not valid", "old", "ask-aside", mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`[1]`)}, `{"action":"cancel"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAsker()
			s := newServer(t, program(t, tt.kind), a.options())
			a.answers <- tt.answer
			r := run(t, s, tt.tool, "{}")
			if got := r.Text; got != tt.want {
				t.Errorf("the server is told %s, want %s", got, tt.want)
			}
			want := mcp.Question{
				SessionID: "one", AgentID: "demo", ToolCallID: "call-" + tt.tool, WorkingDirectory: "/srv/one",
				Server: "files", Message: "Who are you?", Schema: tool.JSON(form),
			}
			if diff := cmp.Diff(want, <-a.questions); diff != "" {
				t.Errorf("the question (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnErrorOfAskIsCancelled(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "old"), mcp.Options{Ask: func(context.Context, mcp.Question) (mcp.Answer, error) {
		return mcp.Answer{Action: mcp.Accept}, errors.New("nobody is there")
	}})
	wantText(t, run(t, s, "ask-aside", "{}"), false, `{"action":"cancel"}`)
}

func TestAnAnswerThatDoesNotFitIsNotAccepted(t *testing.T) {
	t.Parallel()
	a := newAsker()
	s := newServer(t, program(t, "old"), a.options())
	a.answers <- mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`{"age":"old"}`)}
	wantText(t, run(t, s, "ask-aside", "{}"), true, "does not match requested schema")
}

// answerTo is our answer to a question of a server's, as it is written.
func answerTo(t *testing.T, a *asker, params string) string {
	t.Helper()
	heard := make(chan string, 1)
	raw := newRaw()
	raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
		openStream(w)
		sendEvent(w, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":`+params+`}`)
		sendEvent(w, m.says(<-heard))
	}
	raw.reply = func(w http.ResponseWriter, m said) {
		heard <- string(m.Whole)
		w.WriteHeader(http.StatusAccepted)
	}
	return run(t, newServer(t, served(t, raw), a.options()), "pay", "{}").Text
}

func TestAnAnswerLeavesAsItWasGiven(t *testing.T) {
	t.Parallel()
	a := newAsker()
	a.answers <- mcp.Answer{Action: mcp.Accept, Content: tool.JSON(`{"n":1.50}`)}
	got := answerTo(t, a, `{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"number"},"wipe":{"type":"boolean","default":true}}}}`)
	if want := `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.50}}}`; got != want {
		t.Errorf("the server hears %s, want %s", got, want)
	}
}

func TestAQuestionOfNoKnownModeIsNotAsked(t *testing.T) {
	t.Parallel()
	a := newAsker()
	for _, params := range []string{
		`{"mode":"voice","message":"m"}`, `{"mode":"url","message":"m"}`,
		`{"mode":"form","message":"m","url":"https://example.com/","requestedSchema":{"type":"object"}}`,
	} {
		if got := answerTo(t, a, params); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s: the server hears %s", params, got)
		}
	}
	if len(a.questions) > 0 {
		t.Errorf("asked was %+v", <-a.questions)
	}
}

func TestAQuestionIsOverWhenItsCallIsCancelled(t *testing.T) {
	t.Parallel()
	for kind, name := range map[string]string{"new": "ask", "old": "ask-stubborn"} {
		t.Run(kind, func(t *testing.T) {
			a := newAsker()
			s := newServer(t, program(t, kind), a.options())
			which := find(t, s, "one", name)
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan tool.Result, 1)
			go func() {
				r, err := which.Run(ctx, call("one", "c", "{}"))
				if err != nil {
					r = tool.Failed(err.Error())
				}
				result <- r
			}()
			<-a.questions
			cancel()
			wantText(t, <-result, true, "Cancelled:")
			a.await(t, "the question is over")
			if kind == "old" {
				a.await(t, "stubborn was answered: cancel")
			}
		})
	}
}

func TestAPageIsAskedForAndOnlyOneOfTheWeb(t *testing.T) {
	t.Parallel()
	a := newAsker()
	s := newServer(t, program(t, "old"), a.options())
	a.answers <- mcp.Answer{Action: mcp.Accept}
	wantText(t, run(t, s, "ask-page", "{}"), false, `{"action":"accept"}`)
	if q := <-a.questions; q.URL != "https://example.com/login" || q.Schema != nil || q.Message != "Log in" {
		t.Errorf("the question is %+v", q)
	}
	wantText(t, run(t, s, "ask-script", "{}"), true, "has to be one of http:// or https://")
	if len(a.questions) > 0 {
		t.Error("a script was asked for")
	}
}

func TestACallThatNeedsAPageIsMadeAgainWhenThePageIsDone(t *testing.T) {
	t.Parallel()
	a := newAsker()
	s := newServer(t, program(t, "old"), a.options())
	a.answers <- mcp.Answer{Action: mcp.Accept}
	wantText(t, run(t, s, "needs-page", "{}"), false, "logged in")
	if q := <-a.questions; q.URL != "https://example.com/first" || q.ToolCallID != "call-needs-page" {
		t.Errorf("the question is %+v", q)
	}

	declines := newServer(t, program(t, "old"), a.options())
	a.answers <- mcp.Answer{Action: mcp.Decline}
	wantText(t, run(t, declines, "needs-page", "{}"), true, "was not accepted; the call did not run")
	nobody := newServer(t, program(t, "old"), mcp.Options{})
	wantText(t, run(t, nobody, "needs-page", "{}"), true, "https://example.com/first, and nobody can be asked")
}

func TestWithoutAskTheServerKnowsThatNobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "old"), mcp.Options{})
	wantText(t, run(t, s, "ask-aside", "{}"), true, "client does not support elicitation")
}

func TestAQuestionOfOneAmongSeveralCallsNamesNoCall(t *testing.T) {
	t.Parallel()
	a := newAsker()
	s := newServer(t, program(t, "old"), a.options())
	hanging := hangIn(t, t.Context(), s, a.journal)
	a.answers <- mcp.Answer{Action: mcp.Decline}
	wantText(t, run(t, s, "ask-aside", "{}"), false, "decline")
	if q := <-a.questions; q.ToolCallID != "" || q.AgentID != "demo" || q.WorkingDirectory != "/srv/one" {
		t.Errorf("the question is %+v", q)
	}
	_ = s.Close()
	<-hanging
}
