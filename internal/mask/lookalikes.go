package mask

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxMixed bounds how many words Mixed lists.
const maxMixed = 32

// Mixed returns the words of s that are not what they look like, each with its
// code points, such as "cυrl (c U+03C5 r l)": words with letters of several of
// the scripts whose letters look alike, and words in ASCII but for a letter or
// a dash that looks like an ASCII one. Words of one script are not among them.
// When there are very many, the last entry says how many more.
func Mixed(s string) []string {
	var found []string
	seen, more := map[string]bool{}, 0
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) }) {
		if !mixed(word) || seen[word] {
			continue
		}
		if len(found) == maxMixed {
			more++
			continue
		}
		seen[word] = true
		found = append(found, spelled(word))
	}
	if more > 0 {
		found = append(found, fmt.Sprintf("and %d more words", more))
	}
	return found
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(likePunctuation, r)
}

// likePunctuation looks like - / . ; : * ! where a command has them.
const likePunctuation = "\u2010\u2011\u2012\u2212\u2044\u2215\u29F8\u2024\u037E\u0589\uA789\u2236\u2217\u01C3"

// likeLatin are Latin letters of other alphabets that look like ASCII ones;
// what only has another width or style is found by its normal form.
const likeLatin = "ɡɑɩƖᴄᴏᴠᴡᴢꜱ"

func mixed(word string) bool {
	if unit := strings.TrimLeft(word, "0123456789"); strings.HasPrefix(unit, "μ") && len(unit) <= len("μm") {
		return false
	}
	var scripts []string // that can be taken for each other
	ascii, likeASCII, other := false, false, false
	for _, r := range word {
		name := ""
		switch {
		case strings.ContainsRune(likePunctuation, r), looksASCII(r):
			likeASCII = true
			continue
		case r <= unicode.MaxASCII:
			ascii = ascii || unicode.IsLetter(r)
		default:
			other = true
		}
		if name = script(r); name != "" && !slices.Contains(scripts, name) {
			scripts = append(scripts, name)
		}
	}
	return len(scripts) > 1 || ascii && likeASCII && !other
}

// script names the script of a letter, if it has letters that look like those
// of another. A Latin letter in a word of Chinese deceives nobody, and neither
// does a Δ.
func script(r rune) string {
	if !unicode.IsLetter(r) || strings.ContainsRune("ΓΔΘΛΞΠΣΦΨΩ\u2126δζθλξπσφψ", r) {
		return ""
	}
	for name, table := range map[string]*unicode.RangeTable{
		"Latin": unicode.Latin, "Greek": unicode.Greek, "Cyrillic": unicode.Cyrillic, "Armenian": unicode.Armenian,
		"Cherokee": unicode.Cherokee, "Coptic": unicode.Coptic, "Lisu": unicode.Lisu,
	} {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}

// looksASCII reports whether r is an ASCII letter in another width or style, or
// a letter that looks like one.
func looksASCII(r rune) bool {
	if r <= unicode.MaxASCII {
		return false
	}
	if strings.ContainsRune(likeLatin, r) {
		return true
	}
	if !unicode.IsLetter(r) || r == 'ª' || r == 'º' {
		return false
	}
	plain := norm.NFKC.String(string(r))
	return strings.TrimLeft(plain, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// spelled writes a word with its code points; a very long one to its 64th.
func spelled(word string) string {
	var points []string
	for _, r := range word {
		if len(points) == 64 {
			points = append(points, "…")
			break
		}
		if r <= unicode.MaxASCII {
			points = append(points, string(r))
			continue
		}
		points = append(points, fmt.Sprintf("U+%04X", r))
	}
	return Hidden(word) + " (" + strings.Join(points, " ") + ")"
}
