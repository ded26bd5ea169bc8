package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lineclear/lineclear/internal/mask"
)

// plain is a tool's text as a model reads it: without escape sequences for
// terminals, and with what else is no text made visible. The journal has it as
// it was.
func plain(text string) string {
	if !strings.ContainsFunc(text, unreadable) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if n := escape(text[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\r':
			if !strings.HasPrefix(text[i+1:], "\n") { // a line that is written over
				b.WriteByte('\n')
			}
		case unicode.Is(unicode.Cf, r):
			b.WriteString(mask.Hidden(text[i : i+size]))
		case unreadable(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func unreadable(r rune) bool {
	return r == utf8.RuneError || r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf)
}

// escape is the length of the terminal's escape sequence (ECMA-48) at the
// beginning of text; 0 where there is none. One that is not ended takes no more
// than its first two characters with it, so that it can't hide a text.
func escape(text string) int {
	if len(text) < 2 || text[0] != '\x1b' {
		return 0
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			} else if c < 0x20 || c > 0x3f {
				break
			}
		}
	case ']', 'P', 'X', '^', '_': // up to BEL or ESC \
		for i := 2; i < len(text) && text[i] != '\n'; i++ {
			if text[i] == '\a' {
				return i + 1
			}
			if strings.HasPrefix(text[i:], "\x1b\\") {
				return i + 2
			}
		}
	}
	if _, size := utf8.DecodeRuneInString(text[1:]); text[1] >= 0x20 {
		return 1 + size
	}
	return 1
}

// shortened is a text of at most limit bytes and a mark: its beginning and its
// end, and how much between them is left out.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit*2/3, len(text)-limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d of %d bytes are left out here …]\n%s", text[:head], tail-head, len(text), text[tail:])
}
