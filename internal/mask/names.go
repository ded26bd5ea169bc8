package mask

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	toolName   = regexp.MustCompile(`^[A-Za-z0-9_./:-]{1,128}$`)
	key        = regexp.MustCompile(`^[!-~]{1,255}$`)
	identifier = regexp.MustCompile(`^[A-Za-z0-9_(][A-Za-z0-9 ._@:/+()-]{0,127}$`)
)

// IsToolName reports whether a tool can be named so: 1 to 128 ASCII letters, digits and
// _ . / : -, which rules, terminals and people can't be misled by.
func IsToolName(name string) bool { return toolName.MatchString(name) }

// IsIdentifier reports whether a program, token or client can be named so: up to 128 ASCII
// letters, digits, spaces and . _ @ - : / + ( ).
func IsIdentifier(name string) bool { return identifier.MatchString(name) }

// IsKey reports whether a call can have this idempotency key: 1 to 255 visible ASCII
// characters.
func IsKey(text string) bool { return key.MatchString(text) }

// likeLetters are letters of other scripts, and digits, in front of the Latin letter that
// they look like.
var likeLetters = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "i", "ј", "j", "ԁ", "d", "ԛ", "q", "ԝ", "w", "һ", "h", "ӏ", "l", "к", "k", "м", "m", "т", "t", "в", "b", "н", "h", "г", "r",
	"α", "a", "β", "b", "ε", "e", "η", "n", "ι", "i", "κ", "k", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ω", "w",
	"ա", "w", "հ", "h", "ո", "n", "օ", "o", "ս", "u", "ց", "g", "զ", "q", "ı", "i", "ɡ", "g", "ɑ", "a",
	"0", "o", "1", "l", "|", "l", "i", "l", "ı", "l", "rn", "m", "vv", "w", "cl", "d",
)

// Skeleton is what is left of a name where case and letters that look alike are not told
// apart: two names with the same one can be taken for each other.
func Skeleton(name string) string {
	name = strings.ToLower(norm.NFKC.String(name))
	for {
		next := likeLetters.Replace(name)
		if next == name {
			return name
		}
		name = next
	}
}

// Odd describes the letters of a name that no person's own alphabet has together: those of
// several scripts that look alike, and phonetic or stylised Latin ones. For most names it
// returns "".
func Odd(name string) string {
	if words := Mixed(name); len(words) > 0 {
		return strings.Join(words, ", ")
	}
	for _, r := range norm.NFD.String(name) {
		if r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) && !strings.ContainsRune("ßæøœđłþðåıħŋÆØŒĐŁÞÐĦŊ", r) {
			return spelled(string(r))
		}
	}
	return ""
}
