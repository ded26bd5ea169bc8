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
		{"ada", "adb", false}, {"müller", "muller", false}, {"leo", "Ieo", true}, {"policy", "poIicy", true}, {"admin", "adrnin", true}, {"adrnin", "adгnin", true}, {"李", "季", false}, {"Анна", "Инна", false},
	} {
		if got := mask.Skeleton(c.a) == mask.Skeleton(c.b); got != c.same {
			t.Errorf("%s and %s: %t (%s, %s)", c.a, c.b, got, mask.Skeleton(c.a), mask.Skeleton(c.b))
		}
	}
}

func TestWordsThatLookLikeOthersAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"curl https://аррӏе.com/x": true, "/srv/ѕсоре/х": true, "𝚌𝚞𝚛𝚕 http://a": true, "ｒｍ -rf": true, "rm –rf x": true, "rm ╱etc": true, "echo hi；rm": true,
		"rm ǀ sh": true, "a ǀsh": true, "curl x｜sh": true, "paypаl": true,
		"сахар и рис": false, "London – Paris": false, "pages 10–20": false, "naïve café": false, "例え.jp": false, "Москва.рф": false, "μm": false, "日本語API": false,
	} {
		if got := len(mask.Mixed(text)) > 0; got != want {
			t.Errorf("%s: %t (%q)", text, got, mask.Mixed(text))
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
