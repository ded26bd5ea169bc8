package mask

import (
	"fmt"
	"strings"
	"unicode"
)

// Hidden writes s with every character that a terminal or a page would not
// show, or would obey, replaced by its code point, such as ⟨U+202E⟩. Newlines
// and tabs stay. Invalid UTF-8 becomes ⟨U+FFFD⟩.
func Hidden(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == unicode.ReplacementChar, unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r):
		return true
	case r == '\u2028', r == '\u2029', r == '\u3164', r == '\u115F', r == '\u1160', r == '\uFFA0':
		return true
	case unicode.Is(unicode.Zs, r) && r != ' ':
		return true
	default:
		return false
	}
}
