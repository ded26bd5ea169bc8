package scripted_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/scripted"
)

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	tests := []struct{ name, yaml, want string }{
		{"nothing", "", `scripted: the script is empty: begin with "steps:" and a list`},
		{"only comments", "# nothing\n", `scripted: the script is empty: begin with "steps:" and a list`},
		{"no steps", "steps: []\n", `scripted: the script has no steps: begin with "steps:" and a list`},
		{"not YAML", "steps: [\n", "scripted: line 1, column 8: sequence end token ']' not found"},
		{"an unknown name", "steps:\n  - match: a\n    says: b\n", `scripted: line 3, column 5: unknown field "says"`},
		{"a name given twice", "steps:\n  - match: a\n    say: b\n    say: c\n", `scripted: line 4, column 5: mapping key "say" already defined at [3:5]`},
		{"two documents", "steps: []\n---\nsteps: []\n", "scripted: line 3, column 1: a script is one document"},
		{"an alias", "steps:\n  - match: &a x\n    say: *a\n", "scripted: line 2, column 12: anchors and aliases can't be used in a script"},
		{
			"no match", "steps:\n  - say: b\n",
			"scripted: line 2, column 5: steps[0]: match is missing: give a part of the user's message, or /a regular expression/",
		},
		{
			"a bad expression", "steps:\n  - match: a\n    say: b\n  - match: /(/\n    say: b\n",
			"scripted: line 4, column 12: steps[1].match: error parsing regexp: missing closing ): `(`",
		},
		{"nothing to do", "steps:\n  - match: a\n", "scripted: line 2, column 5: steps[0]: nothing happens: give say, calls or both"},
		{"a call of nothing", "steps:\n  - match: a\n    calls: [{args: {b: c}}]\n", "scripted: line 3, column 13: steps[0].calls[0]: tool is missing: name the tool to call"},
		{
			"after without calls", "steps:\n  - match: a\n    say: b\n    after: c\n",
			"scripted: line 2, column 5: steps[0]: after and then come after results: give calls, or leave them out",
		},
		{
			"a round that ends the turn too early", "steps:\n  - match: a\n    calls: [{tool: t}]\n    then:\n      - say: x\n      - say: y\n",
			"scripted: line 5, column 9: steps[0].then[0]: a round without calls ends the turn: only the last one may have none",
		},
		{
			"an after that is never said", "steps:\n  - match: a\n    calls: [{tool: t}]\n    then:\n      - say: x\n    after: y\n",
			"scripted: line 6, column 12: steps[0].after: it is never said: the last round of then has no calls, so it ends the turn",
		},
		{
			"several faults at once", "steps:\n  - match: /(/\n    say: b\n  - match: /)/\n    say: b\n",
			"scripted: line 2, column 12: steps[0].match: error parsing regexp: missing closing ): `(`\n" +
				"scripted: line 4, column 12: steps[1].match: error parsing regexp: unexpected ): `)`",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scripted.Parse([]byte(tt.yaml))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseReadsNestedArguments(t *testing.T) {
	s, err := scripted.Parse([]byte("steps:\n  - match: a\n    calls:\n      - tool: t\n        args: {n: 1, f: 1.5, b: true, none: null, list: [x, {y: z}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	reply, _ := generate(t, s, model.Prompt{Messages: []model.Message{{Role: model.User, Text: "A"}}})
	if diff := cmp.Diff(`{"b":true,"f":1.5,"list":["x",{"y":"z"}],"n":1,"none":null}`, string(reply.Calls[0].Args)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte("steps: [{match: a, say: b}]"))
	f.Add([]byte("steps:\n- match: /a/\n  calls: [{tool: t, args: {1: .inf}}]\n  then: [{say: x}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.Parse(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "scripted: ") {
				t.Errorf("an error without a name: %v", err)
			}
			return
		}
		if err := s.Check(); err != nil {
			t.Errorf("Parse took what Check refuses: %v", err)
		}
		p := model.Prompt{Messages: []model.Message{{Role: model.User, Text: s.Steps[0].Match}}}
		if _, err := scripted.New(s, scripted.Options{}).Generate(t.Context(), p, nil); err != nil {
			t.Errorf("an accepted script does not answer: %v", err)
		}
	})
}
