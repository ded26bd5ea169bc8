package mask

import (
	"slices"
	"strings"
)

// valueAt finds the value that begins at i, as shells, programs and
// configuration files write it: bare up to a space or what ends a command, or
// in quotes. stops are further characters that end a bare one. What refers to a
// secret ($TOKEN) or could run ($(…)) is none.
func valueAt(text string, i int, stops string) (span, bool) {
	rest := text[i:]
	quote := quoteAt(rest)
	inner := rest[len(quote):]
	if refers(inner) {
		return span{}, false
	}
	i += len(quote)
	end := 0
	if quote != "" {
		end = closing(inner, quote)
		if end > 0 && couldRun(inner[:end]) || end == 0 {
			return span{}, false
		}
	}
	if end <= 0 || quote == "" { // not in quotes, or in quotes that don't end
		end = bare(inner, stops)
	} else if after := inner[end+len(quote):]; after != "" && wordByte(after[0]) {
		end += len(quote) + bare(after, stops) // "a"b is one word for a shell
	}
	value := inner[:end]
	if value == "" || value == Mark || quote == "" && notSecret(value, inner[end:]) {
		return span{}, false
	}
	return span{i, i + end}, true
}

// quoteAt is the quote that a text begins with, also one within a JSON string.
func quoteAt(s string) string {
	for _, quote := range []string{`\"`, `\'`, `"`, `'`} {
		if strings.HasPrefix(s, quote) {
			return quote
		}
	}
	return ""
}

// closing is where the quote ends a value, -1 if it does not.
func closing(s, quote string) int {
	if quote != `"` {
		return strings.Index(s, quote)
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// bare is the length of a value without quotes.
func bare(s, stops string) int {
	for i := 0; i < len(s); i++ {
		rest := s[i+1:]
		switch c := s[i]; {
		case strings.IndexByte(" \t\r\n;|&<>()`"+stops, c) >= 0, strings.HasPrefix(s[i:], Mark):
			return i
		case c == '$' && rest != "" && (rest[0] == '(' || rest[0] == '{'):
			return i
		case (c == '"' || c == '\'') && (rest == "" || !wordByte(rest[0])):
			return i // closes what stands around the whole
		case c != '\\':
		case rest == "" || strings.IndexByte("nrt\r\n\"'", rest[0]) >= 0:
			return i // the end of a line, in some notation
		default:
			i++ // the backslash takes the next character's meaning away
		}
	}
	return len(s)
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// refers reports whether a value only says where the secret comes from.
func refers(s string) bool {
	if s == "" || strings.IndexByte("$`<%{*", s[0]) < 0 {
		return false
	}
	switch s[0] {
	case '*':
		return strings.HasPrefix(s, "**")
	case '%':
		return strings.IndexByte(s[1:min(len(s), 65)], '%') > 0 || len(s) > 1 && strings.IndexByte("svq", s[1]) >= 0
	case '$':
		return len(s) > 1 && (s[1] == '(' || s[1] == '{' || s[1] == '_' || s[1] >= 'A' && s[1] <= 'Z' || s[1] >= 'a' && s[1] <= 'z')
	default:
		return true
	}
}

// couldRun reports whether a value in quotes could be a command, which a person
// has to see.
func couldRun(s string) bool {
	if strings.Contains(s, "$(") || strings.Contains(s, "${") || strings.ContainsAny(s, "`\n") {
		return true
	}
	if !strings.ContainsAny(s, " \t") {
		return false
	}
	return strings.ContainsAny(s, ";|&<>$/") || strings.Contains(s, " -")
}

// notSecret reports whether a bare value is a word of a language, or a call.
func notSecret(value, after string) bool {
	return strings.HasPrefix(after, "(") ||
		slices.Contains([]string{"null", "none", "nil", "true", "false", "undefined"}, strings.ToLower(value))
}

// codeReference reports whether a value reads like a.b.c, a variable of a program.
func codeReference(value string) bool {
	return strings.Contains(value, ".") && strings.Trim(value, ".") == value && !strings.Contains(value, "..") &&
		strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == ""
}
