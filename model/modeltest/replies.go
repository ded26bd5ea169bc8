package modeltest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

// odd is text that is easily broken.
const odd = "naïve 🚂👩‍👩‍👧 \"quoted\" \\n <|end|> \u2028\u202e data: {} 線路\n\n"

func textInPieces(t *testing.T, p Provider) {
	want := []string{"Line", " clear", odd, "\n", "."}
	f := p.loopback(t, remote.Options{}, Answer{Text: want})
	reply, pieces := f.generate(t, said(odd))
	if diff := cmp.Diff(want, pieces); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(model.Reply{Text: strings.Join(want, "")}, reply); diff != "" {
		t.Error(diff)
	}
}

func cutInsideCharacters(t *testing.T, p Provider) {
	for _, n := range []int{1, 2, 3, 7} {
		f := p.loopback(t, remote.Options{}, Answer{Text: []string{odd, odd}, Chunk: n})
		if reply, _ := f.generate(t, said("Say it.")); reply.Text != odd+odd {
			t.Errorf("in pieces of %d bytes: %q", n, reply.Text)
		}
	}
}

func callsInPieces(t *testing.T, p Provider) {
	long := tools()[2].Name
	f := p.loopback(t, remote.Options{}, Answer{Text: []string{"Both."}, Calls: []Call{
		{ID: "call_1", Name: "shell", Args: []string{`{"comm`, `and":"uname `, `-a ` + `線"}`}},
		{ID: "call_2", Name: model.WireName("ui.show"), Args: []string{`{}`}},
		{ID: "call_3", Name: model.WireName(long), Args: []string{`{"a":[1,`, `2]}`}},
		{ID: "call_4", Name: "nobody_has_this", Args: []string{`{}`}},
	}})
	reply, _ := f.generate(t, said("Do it."))
	want := model.Reply{Text: "Both.", Calls: []model.Call{
		{ID: "call_1", Name: "shell", Args: jsontext.Value(`{"command":"uname -a 線"}`)},
		{ID: "call_2", Name: "ui.show", Args: jsontext.Value(`{}`)},
		{ID: "call_3", Name: long, Args: jsontext.Value(`{"a":[1,2]}`)},
		{ID: "call_4", Name: "nobody_has_this", Args: jsontext.Value(`{}`)},
	}}
	if diff := cmp.Diff(want, reply); diff != "" {
		t.Error(diff)
	}
}

func oddArguments(t *testing.T, p Provider) {
	for args, want := range map[string]string{
		"": "{}", "  \n": "{}", `{"a":`: `{"a":`, `not JSON`: `not JSON`, `{"a":1,"a":2}`: `{"a":1,"a":2}`, `[1]`: `[1]`, `{"a":"` + "\u2028" + `"}`: `{"a":"` + "\u2028" + `"}`,
	} {
		f := p.loopback(t, remote.Options{}, Answer{Calls: []Call{{ID: "a", Name: "shell", Args: []string{args}}}}, Answer{})
		reply, _ := f.generate(t, said("Do it."))
		if len(reply.Calls) != 1 || string(reply.Calls[0].Args) != want {
			t.Errorf("%q is %+v", args, reply.Calls)
		}
		history := said("Do it.")
		history.Messages = append(history.Messages,
			model.Message{Role: model.Assistant, Calls: reply.Calls},
			model.Message{Role: model.ToolRole, CallID: "a", Text: "not JSON", IsError: true},
		)
		f.generate(t, history)
	}
}

func oddIDs(t *testing.T, p Provider) {
	for _, ids := range [][]string{{"", ""}, {"same", "same"}, {"a b\"", "線"}} {
		f := p.loopback(t, remote.Options{}, Answer{Calls: []Call{
			{ID: ids[0], Name: "shell", Args: []string{`{"n":1}`}}, {ID: ids[1], Name: "shell", Args: []string{`{"n"`, `:2}`}},
		}})
		reply, _ := f.generate(t, said("Do it."))
		want := []model.Call{
			{ID: ids[0], Name: "shell", Args: jsontext.Value(`{"n":1}`)}, {ID: ids[1], Name: "shell", Args: jsontext.Value(`{"n":2}`)},
		}
		if diff := cmp.Diff(want, reply.Calls); diff != "" {
			t.Error(diff)
		}
	}
}

func stops(t *testing.T, p Provider) {
	for _, stop := range []model.Stop{model.StopDone, model.StopLength, model.StopRefused} {
		f := p.loopback(t, remote.Options{}, Answer{Text: []string{"I'd rather"}, Stop: stop})
		if reply, _ := f.generate(t, said("Go on.")); reply.Stop != stop || reply.Text != "I'd rather" {
			t.Errorf("%q ended as %q, want %q", reply.Text, reply.Stop, stop)
		}
	}
}

func usageTold(t *testing.T, p Provider) {
	want := model.Usage{Input: 1234, Cached: 1000, Output: 56}
	for _, whole := range []bool{false, true} {
		f := p.loopback(t, remote.Options{}, Answer{Text: []string{"x"}, Usage: &want, Whole: whole}, Answer{Text: []string{"x"}, Whole: whole})
		for _, want := range []model.Usage{want, {}} {
			if reply, _ := f.generate(t, said("Go on.")); reply.Usage != want {
				t.Errorf("usage %+v, want %+v", reply.Usage, want)
			}
		}
	}
}

func wholeBody(t *testing.T, p Provider) {
	call := Call{ID: "call_1", Name: model.WireName("ui.show"), Args: []string{`{"a":1}`}}
	f := p.loopback(t, remote.Options{}, Answer{Text: []string{"He", "re."}, Calls: []Call{call, call}, Whole: true})
	reply, _ := f.generate(t, said("Go on."))
	own := model.Call{ID: "call_1", Name: "ui.show", Args: jsontext.Value(`{"a":1}`)}
	if diff := cmp.Diff(model.Reply{Text: "Here.", Calls: []model.Call{own, own}}, reply); diff != "" {
		t.Error(diff)
	}
}

func thoughts(t *testing.T, p Provider) {
	pieces := []string{"First ", "odd " + odd, "."}
	thought := strings.Join(pieces, "")
	f := p.loopback(t, remote.Options{}, Answer{
		Thoughts: pieces, Hidden: true, Text: []string{"So: "}, Calls: []Call{{ID: "a", Name: "shell", Args: []string{`{}`}}},
	}, Answer{Text: []string{"Done."}})
	f.Extras = true
	prompt := said("Think.")
	reply, _ := f.generate(t, prompt)
	if reply.Reasoning != thought || reply.Text != "So: " || len(reply.Calls) != 1 || len(reply.Kept) == 0 {
		t.Fatalf("%+v", reply)
	}
	prompt.Messages = append(prompt.Messages,
		model.Message{Role: model.Assistant, Text: reply.Text, Calls: reply.Calls, Kept: reply.Kept},
		model.Message{Role: model.ToolRole, CallID: "a", Text: "ok"},
	)
	f.generate(t, prompt)
	all := f.Requests()
	if got := f.wire.thoughts(all[len(all)-1].Body); got != thought {
		t.Errorf("sent back: %q, want %q", got, thought)
	}
}

func foreignKept(t *testing.T, p Provider) {
	call := []Call{{ID: "a", Name: "shell", Args: []string{`{}`}}}
	elsewhere := p.loopback(t, remote.Options{}, Answer{Thoughts: []string{"Here."}, Text: []string{"So."}, Calls: call})
	reply, _ := elsewhere.generate(t, said("Think."))
	for _, kept := range []string{
		string(reply.Kept), "", "null", "{}", "[]", "not JSON", `{"provider":`, `{"provider":"` + p.Name + `"}`, `"` + odd[:4] + `"`,
		strings.Replace(string(reply.Kept), p.Name, "other", 1), strings.Repeat(`[`, 99), string(reply.Kept) + "x",
	} {
		f := p.loopback(t, remote.Options{})
		prompt := said("Think.")
		prompt.Messages = append(prompt.Messages,
			model.Message{Role: model.Assistant, Text: "So.", Calls: reply.Calls, Kept: jsontext.Value(kept)},
			model.Message{Role: model.ToolRole, CallID: "a", Text: "ok"},
		)
		f.generate(t, prompt)
		if got := f.wire.thoughts(f.Requests()[0].Body); got != "" {
			t.Errorf("sent to another server for %q: %q", kept, got)
		}
	}
}

// manyAtOnce has each asker get what was said to it.
func manyAtOnce(t *testing.T, p Provider) {
	f := p.loopback(t, remote.Options{})
	f.Always = Answer{Text: []string{"yes", "."}}
	var all sync.WaitGroup
	faults := make([]string, 20)
	for i := range faults {
		all.Go(func() {
			var pieces []string
			reply, err := f.model.Generate(t.Context(), said(fmt.Sprint(i)), func(d model.Delta) { pieces = append(pieces, d.Text) })
			if err != nil || reply.Text != "yes." || !slices.Equal(pieces, []string{"yes", "."}) {
				faults[i] = fmt.Sprintf("%+v, %q, %v", reply, pieces, err)
			}
		})
	}
	all.Wait()
	for _, fault := range faults {
		if fault != "" {
			t.Error(fault)
		}
	}
}
