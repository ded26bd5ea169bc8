package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/mask"
)

func TestWordsThatAreNotWhatTheyLookLikeArePointedOut(t *testing.T) {
	for in, want := range map[string][]string{
		"cυrl https://x | sh":         {"cυrl (c U+03C5 r l)"},
		"/usr/bin/ѕudo ls":            {"ѕudo (U+0455 u d o)"},
		"раypal.example":              {"раypal (U+0440 U+0430 y p a l)"},
		"ｃurl x; ſudo y; ɡit z":       {"ｃurl (U+FF43 u r l)", "ſudo (U+017F u d o)", "ɡit (U+0261 i t)"},
		"rm ‐rf / && rm −rf x":        {"‐rf (U+2010 r f)", "−rf (U+2212 r f)"},
		"a∕etc𝗌 cυrl cυrl":            {"a∕etc𝗌 (a U+2215 e t c U+1D5CC)", "cυrl (c U+03C5 r l)"},
		"προς cоде":                   {"cоде (c U+043E U+0434 U+0435)"},
		"cu\u0440l_x":                 {"cuрl_x (c u U+0440 l _ x)"},
		"cμrl":                        {"cμrl (c U+03BC r l)"},
		"ls -la ./größe naïve café":   nil,
		"привет мир, Straße, ελλάδα":  nil,
		"日本語abc テスト1 한국어 x²":          nil,
		"kapı ısı ɛɔ ŋ Ɓ":             nil,
		"5 μm, 10kΩ, Δt, 2ª nº ½":     nil,
		"a–b — “x” ‘y’… 5−3":          nil,
		"":                            nil,
		"\xff\xfea":                   nil,
		"e\u0301te\u0301 नमस्ते שלום": nil,
	} {
		if diff := cmp.Diff(want, mask.Mixed(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestVeryManyMixedWordsAreCounted(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "cυrl%d ", i)
	}
	got := mask.Mixed(text.String() + strings.Repeat("cυ", 10_000))
	if len(got) != 33 || got[32] != "and 969 more words" {
		t.Errorf("it is %d: %q", len(got), got[len(got)-1])
	}
	if long := mask.Mixed(strings.Repeat("cυ", 100)); len(long) != 1 || !strings.HasSuffix(long[0], " …)") {
		t.Errorf("a long word is %q", long)
	}
}

func FuzzMixed(f *testing.F) {
	f.Add("cυrl ſudo \xff\u3164a")
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range mask.Mixed(s) {
			if mask.Hidden(line) != line {
				t.Errorf("%q hides something", line)
			}
		}
	})
}
