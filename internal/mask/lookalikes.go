package mask

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	for word := range likeWords(s) {
		if seen[word] {
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

// likeWords yields the words that are not what they look like.
func likeWords(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if isPlain(s) {
			return
		}
		for at := 0; at < len(s); {
			rest := s[at:]
			from := strings.IndexFunc(rest, inWord)
			if from < 0 {
				return
			}
			end := strings.IndexFunc(rest[from:], func(r rune) bool { return !inWord(r) })
			if end < 0 {
				end = len(rest) - from
			}
			word := rest[from : from+end]
			beside := besideASCII(s, at+from, at+from+end)
			dash := strings.HasSuffix(s[:at+from], "\u2013") || strings.HasSuffix(s[:at+from], "\u2014") // in place of an option's -
			if mixed(word) || beside && wholly(word) || dash && word[0] < utf8.RuneSelf && optionLike(s[:at+from]) {
				if !yield(word) {
					return
				}
			}
			at += from + end
		}
	}
}

// optionLike reports whether a text ends with a blank and a dash, as before an option.
func optionLike(before string) bool {
	head := strings.TrimRight(before, "\u2013\u2014")
	return head == "" || strings.HasSuffix(head, " ") || strings.HasSuffix(head, "\n")
}

// besideASCII reports whether a word touches the punctuation of a path or an address that
// has ASCII on its other side, such as a name before .com.
func besideASCII(s string, from, to int) bool {
	letter := func(text string, last bool) bool {
		if len(text) < 2 {
			return false
		}
		mark, other := text[0], text[1]
		if last {
			mark, other = text[len(text)-1], text[len(text)-2]
		}
		return strings.IndexByte("./:@-_", mark) >= 0 && (other >= '0' && other <= '9' || other|0x20 >= 'a' && other|0x20 <= 'z')
	}
	return letter(s[:from], true) || letter(s[to:], false)
}

// wholly reports whether every letter of a word looks like a Latin one.
func wholly(word string) bool {
	for _, r := range word {
		if r <= unicode.MaxASCII || !strings.ContainsRune(likeWhole, unicode.ToLower(r)) {
			return false
		}
	}
	return true
}

// likeWhole are Cyrillic and Greek letters that look Latin even in a word of their own.
const likeWhole = "аеорсухѕіјԁԛԝһӏкмтвнгαεικνορτυχω"

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(likePunctuation, r)
}

// likePunctuation looks like - / . ; : * ! where a command has them.
const likePunctuation = "\u2010\u2011\u2012\u2212\u2044\u2215\u29F8\u2024\u037E\u0589\uA789\u2236\u2217\u01C3\u01C0\uFF0D\u2571\uFF1B\uFF5C\uFF0F"

// likeLatin are Latin letters of other alphabets that look like ASCII ones;
// what only has another width or style is found by its normal form.
const likeLatin = "ɡɑɩƖᴄᴏᴠᴡᴢꜱ"

func mixed(word string) bool {
	if !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII }) {
		return false
	}
	if unit := strings.TrimLeft(word, "0123456789"); strings.HasPrefix(unit, "μ") && len(unit) <= len("μm") {
		return false
	}
	var scripts []string // that can be taken for each other
	ascii, styled, likeASCII, other := false, false, false, false
	for _, r := range word {
		name := ""
		switch {
		case strings.ContainsRune(likePunctuation, r), looksASCII(r):
			likeASCII = true
			styled = styled || unicode.IsLetter(r)
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
	return len(scripts) > 1 || (ascii || styled) && likeASCII && !other
}

// likeScripts are the scripts with letters that look like those of another.
var likeScripts = []struct {
	name    string
	letters *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Greek", unicode.Greek}, {"Cyrillic", unicode.Cyrillic}, {"Armenian", unicode.Armenian},
	{"Cherokee", unicode.Cherokee}, {"Coptic", unicode.Coptic}, {"Lisu", unicode.Lisu},
}

// script names the script of a letter, if it has letters that look like those
// of another. A Latin letter in a word of Chinese deceives nobody, and neither
// does a Δ.
func script(r rune) string {
	if !unicode.IsLetter(r) || strings.ContainsRune("ΓΔΘΛΞΠΣΦΨΩ\u2126δζθλξπσφψ", r) {
		return ""
	}
	for _, s := range likeScripts {
		if unicode.Is(s.letters, r) {
			return s.name
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
