package cmdline

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the text within $'…'. It stops with false at what it does not
// know, and at NUL, where bash cuts the text off.
func ansiC(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i >= len(text) {
			return b.String(), false
		}
		switch c := text[i]; c {
		case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v', '\\', '\'', '"', '?':
			b.WriteByte(simpleEscape(c))
		case 'x', 'u', 'U', '0', '1', '2', '3', '4', '5', '6', '7':
			out, used, ok := numberEscape(text[i:])
			if !ok {
				return b.String(), false
			}
			b.WriteString(out)
			i += used - 1
		default:
			return b.String(), false
		}
	}
	return b.String(), true
}

func simpleEscape(c byte) byte {
	switch c {
	case 'a':
		return '\a'
	case 'b':
		return '\b'
	case 'e', 'E':
		return 0x1b
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	}
	return c
}

// numberEscape decodes an escape by number, which text begins with, and returns
// how many bytes it is long.
func numberEscape(text string) (out string, used int, ok bool) {
	start, most, base := 1, 2, 16
	switch text[0] {
	case 'x':
	case 'u':
		most = 4
	case 'U':
		most = 8
	default:
		start, most, base = 0, 3, 8
	}
	end := start
	for end < len(text) && end-start < most && isDigit(text[end], base) {
		end++
	}
	n, err := strconv.ParseUint(text[start:end], base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune {
		return "", 0, false
	}
	if text[0] == 'u' || text[0] == 'U' {
		return string(rune(n)), end, true
	}
	if n > 0xff {
		return "", 0, false
	}
	return string([]byte{byte(n)}), end, true
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '7':
		return true
	case base == 8:
		return false
	}
	return c == '8' || c == '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
