package model_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

func TestEveryNameHasOneThatProvidersTakeAndComesBack(t *testing.T) {
	allowed := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z_.]{1,70}`), rapid.SampledFrom([]string{"", "ui.copyText", "ui_copyText", "öl", "ol", "3d", "_3d", "-x", "_-x"}))
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(name, rapid.ID[string]).Draw(t, "names")
		specs := make([]tool.Spec, len(names))
		for i, n := range names {
			specs[i].Name = n
		}
		mapped, seen := model.NewNames(specs), map[string]bool{}
		for _, n := range names {
			wire := model.WireName(n)
			if !allowed.MatchString(wire) || seen[wire] {
				t.Fatalf("%q is sent as %q, taken %v", n, wire, seen[wire])
			}
			seen[wire] = true
			if back := mapped.Own(wire); back != n {
				t.Fatalf("%q comes back as %q", n, back)
			}
		}
	})
}

func TestANameThatProvidersTakeStays(t *testing.T) {
	for _, n := range []string{"shell", "read_file", "files__read-1", strings.Repeat("a", 64)} {
		if got := model.WireName(n); got != n {
			t.Errorf("%s is sent as %s", n, got)
		}
	}
	if got := (model.Names{}).Own("no_such_tool"); got != "no_such_tool" {
		t.Errorf("a name that nobody has comes back as %s", got)
	}
}
