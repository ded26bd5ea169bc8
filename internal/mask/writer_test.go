package mask_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
)

// poison is a character of each kind that a terminal obeys or does not show.
const poison = "\x00\x1b[2J\x07\x7f\r\u0085\u009b\u00a0\u00ad\u034f\u061c\u115f\u180b\u200b\u200d\u202e\u2066\u2028\u2800\u3164\ufe00\ufe0f\ufeff\ufff9\U0001D173\U000E0001\U000E0041\U000E0101"

func TestAWriterWritesOutWhatCanNotBeSeenWhereverItsTextIsCut(t *testing.T) {
	for name, text := range map[string]string{
		"hidden": "a" + poison + "b", "raw bytes": "a\x9b2J\xff\xc2", "text": "größe 漢字 😀 ❤\ufe0f\n\tend",
	} {
		t.Run(name, func(t *testing.T) {
			want := mask.Hidden(text)
			for size := 1; size <= len(text); size++ {
				var got bytes.Buffer
				w := mask.NewWriter(&got)
				for rest := text; rest != ""; {
					piece := rest[:min(size, len(rest))]
					if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
						t.Fatalf("%d bytes written of %d, %v", n, len(piece), err)
					}
					rest = rest[len(piece):]
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				// What belongs to the character before is told only where both come at once.
				if shown := strings.ReplaceAll(got.String(), "⟨U+FE0F⟩", "\ufe0f"); shown != strings.ReplaceAll(want, "⟨U+FE0F⟩", "\ufe0f") {
					t.Errorf("in pieces of %d: %q, want %q", size, got.String(), want)
				}
			}
		})
	}
}

func TestNoCharacterThatIsObeyedOrUnseenComesOut(t *testing.T) {
	for _, r := range poison {
		if r < ' ' && r != 0x1b || strings.ContainsRune("[2J", r) {
			continue
		}
		if shown := mask.Hidden("x" + string(r)); strings.ContainsRune(shown, r) {
			t.Errorf("U+%04X comes out", r)
		}
	}
	if got := mask.Hidden("⚠\ufe0f a\ufe0f"); got != "⚠\ufe0f a⟨U+FE0F⟩" {
		t.Errorf("the selector of a symbol is %q", got)
	}
}

func TestJSONWithEscapesMeansWhatItMeant(t *testing.T) {
	raw, err := json.Marshal(map[string]string{"k" + poison: "v" + poison + "\n\t漢"}, jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := mask.NewJSONWriter(&out).Write(raw); err != nil {
		t.Fatal(err)
	}
	if mask.Hidden(out.String()) != out.String() {
		t.Errorf("it has hidden characters: %q", out.String())
	}
	var before, after map[string]string
	if err := errors.Join(json.Unmarshal(raw, &before), json.Unmarshal(out.Bytes(), &after)); err != nil {
		t.Fatal(err)
	}
	if len(after) != 1 || after["k"+poison] != before["k"+poison] {
		t.Errorf("%q has become %q", before, after)
	}
}

func FuzzAWriterHidesEverything(f *testing.F) {
	f.Add([]byte("a"+poison), 3)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = max(0, min(at, len(text)))
		var out bytes.Buffer
		w := mask.NewWriter(&out)
		for _, piece := range [][]byte{text[:at], text[at:]} {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil || !utf8.Valid(out.Bytes()) || mask.Hidden(out.String()) != out.String() {
			t.Errorf("%q comes out as %q, %v", text, out.Bytes(), err)
		}
	})
}
