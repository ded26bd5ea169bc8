package mask_test

import (
	"testing"

	"github.com/lineclear/lineclear/internal/mask"
)

func TestNamesThatCanBeTakenForEachOtherHaveOneSkeleton(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"both", "Both", true}, {"owner", "оwner", true}, {"ada", "аdа", true}, {"paypal", "раураl", true}, {"ADA", "ａｄａ", true},
		{"bob1", "bobl", true}, {"burn", "bum", true}, {"Ρav", "pav", true}, {"owner", "0wner", true},
		{"ada", "adb", false}, {"müller", "muller", false}, {"李", "季", false}, {"Анна", "Инна", false},
	} {
		if got := mask.Skeleton(c.a) == mask.Skeleton(c.b); got != c.same {
			t.Errorf("%s and %s: %t (%s, %s)", c.a, c.b, got, mask.Skeleton(c.a), mask.Skeleton(c.b))
		}
	}
}

func TestIdentifiersKeepOneAlphabet(t *testing.T) {
	for name, want := range map[string][2]bool{
		"deploy": {true, true}, "mcp__files__read": {true, true}, "files/read:all": {true, true}, "Claude Code (2.1)": {false, true}, "ci@host:1": {false, true},
		"": {false, false}, "дерloy": {false, false}, "t\u001b[2J": {false, false}, "a\u202eb": {false, false}, " a": {false, false}, "a\nb": {false, false}, "a;b": {false, false},
	} {
		if got := [2]bool{mask.IsToolName(name), mask.IsIdentifier(name)}; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
