package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/mask"
)

// How long texts of a server may be, in bytes.
const (
	maxLine        = 2 << 10
	maxDescription = 4 << 10
	maxMessageText = 16 << 10 // of a question
	maxLevel       = 32
)

// clean is a text of a server's as people and models are shown it: hidden
// characters written out, and no longer than limit.
func clean(text string, limit int) string {
	cut, n := head(text, limit)
	if n > 0 {
		return mask.Hidden(cut) + " […]"
	}
	return mask.Hidden(cut)
}

// oneLine is clean for what stands in a line of its own: its breaks are written
// out too, so that it can't be taken for several.
func oneLine(text string, limit int) string {
	return strings.NewReplacer("\n", "⟨U+000A⟩", "\t", "⟨U+0009⟩").Replace(clean(text, limit))
}

// head is the beginning of a text, cut between characters, and how many bytes
// are left out.
func head(text string, limit int) (string, int) {
	if len(text) <= limit {
		return text, 0
	}
	at := limit
	for at > 0 && at > limit-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at], len(text) - at
}

// bounded is a text of at most limit bytes, with a mark that says what is
// missing.
func bounded(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	cut, n := head(text, limit)
	if n == 0 {
		return text
	}
	return fmt.Sprintf("%s\n[… %d of %d bytes left out]", cut, n, len(text))
}
