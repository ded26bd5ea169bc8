package mask_test

import (
	"testing"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/mask"
)

func TestWhatCanNotBeSeenIsWrittenOut(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, ümläuts, 漢字, 😀":  "plain text, ümläuts, 漢字, 😀",
		"a\nb\tc":                     "a\nb\tc",
		"rm -rf \u202Egpj.x":          "rm -rf ⟨U+202E⟩gpj.x",
		"zero\u200Bwidth\u200D\uFEFF": "zero⟨U+200B⟩width⟨U+200D⟩⟨U+FEFF⟩",
		"\x1b[2Jgone\x07\r":           "⟨U+001B⟩[2Jgone⟨U+0007⟩⟨U+000D⟩",
		"no\u00A0break\u2003wide":     "no⟨U+00A0⟩break⟨U+2003⟩wide",
		"line\u2028sep\u3164":         "line⟨U+2028⟩sep⟨U+3164⟩",
		"tag\U000E0041":               "tag⟨U+E0041⟩",
		"bad\xffbyte":                 "bad⟨U+FFFD⟩byte",
		"":                            "",
	} {
		if got := mask.Hidden(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func FuzzHidden(f *testing.F) {
	f.Add("a\u202Eb\xff")
	f.Fuzz(func(t *testing.T, s string) {
		once := mask.Hidden(s)
		if !utf8.ValidString(once) || mask.Hidden(once) != once {
			t.Errorf("%q is shown as %q, and that as %q", s, once, mask.Hidden(once))
		}
	})
}
