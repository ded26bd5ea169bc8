package mask

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden writes s with every character that a terminal or a page would not
// show, or would obey, replaced by its code point, such as ⟨U+202E⟩. Newlines
// and tabs stay. Invalid UTF-8 becomes ⟨U+FFFD⟩.
func Hidden(s string) string {
	return escapeHidden(s, func(b *strings.Builder, r rune) { fmt.Fprintf(b, "⟨U+%04X⟩", r) })
}

// Cell is Hidden for a table's cell: no spreadsheet takes the result for a formula, not
// even one that accepts full-width signs.
func Cell(s string) string {
	shown := Hidden(s)
	if first, _ := utf8.DecodeRuneInString(shown); shown != "" && strings.ContainsRune("=+-@＝＋－＠\t\n", first) {
		return "'" + shown
	}
	return shown
}

// HiddenJSON writes the same characters of a JSON text as JSON escapes, such as
// \u202e, so that its value does not change.
func HiddenJSON(s string) string {
	return escapeHidden(s, func(b *strings.Builder, r rune) {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
			return
		}
		fmt.Fprintf(b, `\u%04x`, r)
	})
}

func escapeHidden(s string, escape func(b *strings.Builder, r rune)) string {
	if isPlain(s) || !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	before := ' '
	for _, r := range s {
		if hidden(r) && !isEmojiStyle(r, before) {
			escape(&b, r)
			before = ' '
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// HiddenChar is a character that Hidden writes out, and how often it stands in a text.
type HiddenChar struct {
	Char  rune
	Count int
}

// HiddenIn lists what Hidden writes out of a text, each character once, in order.
func HiddenIn(s string) []HiddenChar {
	var found []HiddenChar
	escapeHidden(s, func(_ *strings.Builder, r rune) {
		i := slices.IndexFunc(found, func(c HiddenChar) bool { return c.Char == r })
		if i < 0 {
			i, found = len(found), append(found, HiddenChar{Char: r})
		}
		found[i].Count++
	})
	return found
}

// isPlain reports whether a text is of visible ASCII alone, as most are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isEmojiStyle reports whether a character only selects the coloured form of the
// symbol before it.
func isEmojiStyle(r, before rune) bool { return r == '\uFE0F' && unicode.Is(unicode.So, before) }

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < unicode.MaxLatin1 && r != '\u00A0' && r != '\u00AD':
		return unicode.IsControl(r)
	case r == unicode.ReplacementChar, r == '\u2028', r == '\u2029', r == '\u2800':
		return true
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	default:
		return unicode.Is(unicode.Zs, r) && r != ' '
	}
}
