package programs

import (
	"slices"
	"strings"
	"testing"
)

func TestTheTableIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(table) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if strings.Count(line, "|") < 1 || strings.Count(line, "|") > 2 {
			t.Errorf("not names | operands | options: %s", line)
		}
		names, _, _ := strings.Cut(line, "|")
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			if seen[name] || name == "" || strings.Contains(name, "  ") {
				t.Errorf("%q is there twice, or is no name", name)
			}
			seen[name] = true
			checkRow(t, name, rows()[name])
		}
	}
	if len(seen) < 200 {
		t.Errorf("only %d programs", len(seen))
	}
}

func checkRow(t *testing.T, name string, made row) {
	many := 0
	for _, o := range made.operands {
		if o.kind == Unknown || o.check != "" && !slices.Contains([]string{"plus", "remote", "target", "local"}, o.check) {
			t.Errorf("%s: an operand of no kind: %+v", name, o)
		}
		if o.many {
			many++
		}
	}
	if many > 1 {
		t.Errorf("%s: more than one operand of any number", name)
	}
	for option, o := range made.options {
		_, known := kinds[o.becomes]
		switch {
		case !strings.HasPrefix(option, "-") || len(option) < 2 || strings.ContainsAny(option, ":=>!"):
			t.Errorf("%s: %q is no option", name, option)
		case o.value != 0 && o.kind == Unknown, !known:
			t.Errorf("%s: %q has a value of no kind: %+v", name, option, o)
		case o.check != "" && !slices.Contains([]string{"header", "data", "format"}, o.check):
			t.Errorf("%s: %q has a value that nobody checks: %s", name, option, o.check)
		case !made.single && len(option) > 2 && option[1] != '-' && option != "-#" && strings.Trim(option, "-v") != "" && option != "-nv" && option != "-ws":
			t.Errorf("%s: %q has one dash and many letters", name, option)
		}
	}
}
