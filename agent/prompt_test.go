package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// reader is a model that keeps what it was given, and says so.
type reader struct{ prompts []model.Prompt }

func (r *reader) Generate(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
	r.prompts = append(r.prompts, p)
	return model.Reply{Text: "read"}, nil
}

func (r *reader) last() model.Prompt { return r.prompts[len(r.prompts)-1] }

// past is a conversation that stands in the journal already.
func (k *kit) past(t testing.TB, bodies ...session.Body) string {
	t.Helper()
	s, err := k.NewSession(t.Context(), ada(), "")
	if err != nil {
		t.Fatal(err)
	}
	heard, seq := int64(0), s.Seq
	for _, body := range bodies {
		switch b := body.(type) {
		case session.TurnFinished:
			b.Heard = heard
			body = b
		case session.AssistantMessage:
			b.Seen = seq
			body = b
		}
		e, err := k.log.Append(t.Context(), s.ID, body)
		if err != nil {
			t.Fatal(err)
		}
		if seq = e.Seq; e.Type == session.TypeUserMessage {
			heard = seq
		}
	}
	return s.ID
}

// goOn has a session's open turn gone on with, to its end.
func (k *kit) goOn(t testing.TB, id string) {
	t.Helper()
	events := k.bus.Subscribe(64, session.Events)
	defer events.Close()
	if err := k.Resume(id); err != nil {
		t.Fatal(err)
	}
	for {
		next, err := events.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e, _ := session.Events.From(next); e.Type == session.TypeTurnFinished {
			return
		}
	}
}

// exchange is what somebody said, a call, its result and the last words.
func exchange(n int, result tool.Result) []session.Body {
	id := fmt.Sprint("call-", n)
	return []session.Body{
		session.UserMessage{Text: fmt.Sprint("question ", n)},
		session.AssistantMessage{MessageID: id, Model: "m", Kept: tool.JSON(`"thoughts"`), ToolCalls: []session.ToolCall{{ID: id, Name: "note", Args: tool.JSON(`{}`)}}},
		session.ToolResult{CallID: id, ToolName: "note", Result: result},
		session.AssistantMessage{MessageID: id + "b", Text: fmt.Sprint("answer ", n)},
		session.TurnFinished{Outcome: session.Completed},
	}
}

// wantValid checks what every provider wants of a prompt.
func wantValid(t *rapid.T, p model.Prompt) {
	if len(p.Messages) == 0 || p.Messages[0].Role != model.User {
		t.Fatalf("it does not begin with what somebody said: %+v", p.Messages)
	}
	var open []string
	for i, m := range p.Messages {
		switch {
		case m.Role == model.ToolRole && (len(open) == 0 || open[0] != m.CallID):
			t.Fatalf("message %d is a result of %s, and open are %v", i, m.CallID, open)
		case m.Role == model.ToolRole:
			open = open[1:]
		case len(open) > 0:
			t.Fatalf("before message %d there is no result of %v", i, open)
		case m.Role == model.Assistant && m.Text == "" && len(m.Calls) == 0:
			t.Fatalf("message %d says nothing", i)
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
}

func size(p model.Prompt) int {
	total := len(p.System)
	for _, s := range p.Tools {
		total += len(s.Name) + len(s.Description) + len(s.Schema)
	}
	for _, m := range p.Messages {
		total += len(m.Text)
		for _, c := range m.Calls {
			total += len(c.Args)
		}
	}
	return total
}

func TestALongConversationStaysWithinItsBudgetAndValid(t *testing.T) {
	var many []agent.Tool
	for i := range 100 {
		many = append(many, agent.Tool{Tool: named{fmt.Sprint("server__tool", i)}})
	}
	const budget = 20_000
	rapid.Check(t, func(rt *rapid.T) {
		m := &reader{}
		k := newKit(t, agent.Config{Model: m, Handler: silent(), Tools: many, ContextTokens: budget})
		var bodies []session.Body
		for n := range rapid.IntRange(0, 100).Draw(rt, "turns") {
			bodies = append(bodies, exchange(n, tool.Result{Text: strings.Repeat("x", rapid.SampledFrom([]int{0, 10, 3000, 40000}).Draw(rt, "bytes"))})...)
		}
		if _, err := k.Run(t.Context(), k.past(t, bodies...), "and now?"); err != nil {
			rt.Fatal(err)
		}
		p := m.last()
		wantValid(rt, p)
		if got := size(p); got > 3*budget {
			rt.Fatalf("%d bytes are more than %d tokens", got, budget)
		}
		if newest := p.Messages[len(p.Messages)-1]; newest.Text != "and now?" {
			rt.Fatalf("the newest message is %q", newest.Text)
		}
		if dropped := len(p.Messages) < len(bodies)/5*4; dropped != strings.Contains(p.System, "is left out here") {
			rt.Fatalf("%d messages of %d turns: %q", len(p.Messages), len(bodies)/5, p.System)
		}
	})
}

// named is a tool of which only the name matters.
type named struct{ name string }

func (n named) Spec() tool.Spec {
	return tool.Spec{Name: n.name, Description: strings.Repeat("d", 200), Schema: tool.JSON(`{"type":"object"}`)}
}

func (named) Run(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil }

func TestTheBeginningOfAPromptStaysTheSameForAWhile(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), ContextTokens: 10_000})
	id := k.past(t)
	starts := map[string]bool{}
	for range 200 {
		if _, err := k.Run(t.Context(), id, fmt.Sprint(len(m.prompts), strings.Repeat(" word", 100))); err != nil {
			t.Fatal(err)
		}
		starts[m.last().Messages[0].Text] = true
	}
	if len(starts) > 20 {
		t.Errorf("200 prompts of one conversation begin in %d ways", len(starts))
	}
}

func TestResultsOfTheNewestTurnGiveWayBeforeItsWords(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), ContextTokens: 2000})
	bodies := exchange(1, tool.Result{Text: strings.Repeat("old ", 2000)})[:3] // its turn is still open
	bodies = append(bodies, session.AssistantMessage{MessageID: "2", ToolCalls: []session.ToolCall{{ID: "2", Name: "note", Args: tool.JSON(`{}`)}}},
		session.ToolResult{CallID: "2", ToolName: "note", Result: tool.Result{Text: "new"}})
	k.goOn(t, k.past(t, bodies...))
	var got []string
	for _, msg := range m.last().Messages {
		got = append(got, string(msg.Role)+": "+msg.Text)
	}
	want := []string{"user: question 1", "assistant: ", "tool: [a result of 8000 bytes is left out here]", "assistant: ", "tool: new"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAModelThatFindsAConversationTooLongIsGivenLess(t *testing.T) {
	var sizes []int
	k := newKit(t, agent.Config{Handler: silent(), ContextTokens: 12_000, Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			if sizes = append(sizes, size(p)); size(p) > 18_000 {
				return model.Reply{}, &model.Error{Kind: model.TooLong, Provider: "test"}
			}
			return model.Reply{Text: "read"}, nil
		})})
	var bodies []session.Body
	for n := range 100 {
		bodies = append(bodies, exchange(n, tool.Result{Text: strings.Repeat("x", 900)})...)
	}
	if words, err := k.Run(t.Context(), k.past(t, bodies...), "and now?"); err != nil || words != "read" {
		t.Errorf("it said %q, %v, given %v", words, err, sizes)
	}
	endless := newKit(t, agent.Config{Handler: silent(), Model: modelFunc(
		func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
			return model.Reply{}, &model.Error{Kind: model.TooLong, Provider: "test"}
		})})
	if _, err := endless.Run(t.Context(), "", "go"); model.KindOf(err) != model.TooLong || strings.HasPrefix(err.Error(), "agent") {
		t.Errorf("one for whom everything is too long ends with %v", err)
	}
}

// pictures are turns of one call each, with a picture of a size.
func pictures(n, bytes int) (bodies []session.Body) {
	for i := range n {
		bodies = append(bodies, exchange(i, tool.Result{Text: fmt.Sprint("picture ", i), Images: []tool.Image{{MIME: "image/png", Data: make([]byte, bytes)}}})...)
	}
	return bodies
}

// picturesOf says of each result of a prompt whether its picture is there.
func picturesOf(p model.Prompt) (there []bool) {
	for _, m := range p.Messages {
		if m.Role == model.ToolRole {
			there = append(there, len(m.Images) > 0)
		}
	}
	return there
}

func TestTheOldestPicturesGiveWayToABudgetOfBytes(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), ContextBytes: 1 << 20})
	if _, err := k.Run(t.Context(), k.past(t, pictures(10, 150_000)...), "and now?"); err != nil { // 200,000 each in base64
		t.Fatal(err)
	}
	p := m.last()
	want := []bool{false, false, false, false, false, false, true, true, true, true}
	if diff := cmp.Diff(want, picturesOf(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.Messages[2].Text; got != "picture 0\n[a picture, image/png of 150000 bytes, is left out here: the request would be too large]" {
		t.Errorf("in its place stands %q", got)
	}
}

func TestAPictureThatIsTooMuchAloneGivesWayToo(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), ContextBytes: 1 << 20})
	k.goOn(t, k.past(t, pictures(1, 1<<20)[:3]...)) // its turn is still open
	if diff := cmp.Diff([]bool{false}, picturesOf(m.last())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPromptThatWasRefusedIsTriedWithFewerBytes(t *testing.T) {
	var sizes []int
	k := newKit(t, agent.Config{Handler: silent(), Model: modelFunc(
		func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
			total := size(p)
			for _, m := range p.Messages {
				for _, image := range m.Images {
					total += len(image.Data) * 4 / 3
				}
			}
			if sizes = append(sizes, total); total > 1_000_000 {
				return model.Reply{}, &model.Error{Kind: model.TooLong, Provider: "test"}
			}
			return model.Reply{Text: "seen"}, nil
		})})
	if words, err := k.Run(t.Context(), k.past(t, pictures(8, 150_000)...), "and now?"); err != nil || words != "seen" || len(sizes) != 2 || sizes[1] >= sizes[0]*3/4 {
		t.Errorf("it said %q, %v, given %v bytes", words, err, sizes)
	}
}

func TestToolsTextsAreCleanedForTheModelAndKeptInTheJournal(t *testing.T) {
	const raw = "\x1b[31mred\x1b[0m\r\n50%\r100%\x1b]0;title\a\x00 \x1b[2Jdone \u009b31m caf\u00e9 \x1b"
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), ResultBytes: 1000})
	id := k.past(t, append(exchange(1, tool.Result{Text: raw}), exchange(2, tool.Result{Text: strings.Repeat("ä", 2000), IsError: true})...)...)
	if _, err := k.Run(t.Context(), id, "go"); err != nil {
		t.Fatal(err)
	}
	read := m.last().Messages
	if want := "red\n50%\n100%\uFFFD done \uFFFD31m café \uFFFD"; read[2].Text != want {
		t.Errorf("the model reads %q, want %q", read[2].Text, want)
	}
	if long := read[6]; !long.IsError || len(long.Text) > 1100 || !strings.Contains(long.Text, "of 4000 bytes are left out here") || !strings.HasPrefix(long.Text, "ää") || !strings.HasSuffix(long.Text, "ää") {
		t.Errorf("the model reads %q", long.Text)
	}
	if texts := k.results(t, id); texts[0] != raw || len(texts[1]) != 4000 {
		t.Errorf("the journal has %q", texts)
	}
}

func FuzzNoEscapeReachesTheModel(f *testing.F) {
	for _, s := range []string{"\x1b[31mred", "\x1b]8;;x\x1b\\y", "\x1b\x1b[", "a\rb", "\xff\x1b", "\x1bP\n"} {
		f.Add(s)
	}
	m := &reader{}
	k := newKit(f, agent.Config{Model: m, Handler: silent()})
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := k.Run(t.Context(), k.past(t, exchange(1, tool.Result{Text: strings.ToValidUTF8(text, "\uFFFD")})...), "go"); err != nil {
			t.Fatal(err)
		}
		got := m.last().Messages[2].Text
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q reaches the model as %q", text, got)
			}
		}
		if plain := strings.Trim(text, " abcdefghijklmnopqrstuvwxyzäöü\n") == ""; plain && got != text {
			t.Fatalf("%q has nothing to clean, and reaches the model as %q", text, got)
		}
	})
}

func TestAModelWithToolsIsToldWhatTheirAnswersMean(t *testing.T) {
	m := &reader{}
	k := newKit(t, agent.Config{Model: m, Handler: silent(), Instructions: "Be kind."})
	if _, err := k.Run(t.Context(), "", "go"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Be kind.\n\n", "denied is a no", "nobody answered", "outcome is unknown"} {
		if !strings.Contains(m.last().System, want) {
			t.Errorf("%q is not in %q", want, m.last().System)
		}
	}
}

func TestWhatAProviderWantsBackItGetsForTheNewestExchangeOnly(t *testing.T) {
	for name, want := range map[string]string{"m": `"thoughts"`, "another": ""} {
		m := &reader{}
		k := newKit(t, agent.Config{Model: m, ModelName: name, Handler: silent()})
		open := exchange(2, tool.Result{Text: "so"})[:3]
		k.goOn(t, k.past(t, append(exchange(1, tool.Result{}), open...)...))
		if got := m.last().Messages; string(got[1].Kept) != "" || string(got[5].Kept) != want {
			t.Errorf("%s is given %q and %q", name, got[1].Kept, got[5].Kept)
		}
	}
}
