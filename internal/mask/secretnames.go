package mask

import (
	"slices"
	"strings"
	"unicode"
)

// names knows what secrets are called.
type names struct{ more []string }

// secret reports whether what has this name is a secret: DB_PASSWORD, apiKey,
// x-auth-token.
func (n names) secret(name string) bool {
	plain := plainName(name)
	if plain == "" {
		return false
	}
	if slices.Contains(n.more, plain) || slices.Contains(bareNames(), lastWord(name)) {
		return true
	}
	endsIn := func(end string) bool { return strings.HasSuffix(plain, end) }
	return slices.ContainsFunc(secretEnds, endsIn) && !slices.ContainsFunc(harmlessEnds, endsIn)
}

// bareNames are secrets where they are a word of their own, as in DB_PASS, and
// not where they end one, as in bypass.
func bareNames() []string { return []string{"pass", "pwd", "pw"} }

var secretEnds = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "secretkey",
	"privatekey", "authkey", "signingkey", "encryptionkey", "authorization", "cookie", "credential", "credentials",
}

// harmlessEnds are names of places in a list or of a model's words.
var harmlessEnds = []string{
	"pagetoken", "nexttoken", "continuationtoken", "synctoken", "cursortoken", "eostoken", "bostoken",
	"padtoken", "unktoken", "septoken", "stoptoken", "starttoken", "endtoken",
}

// plainName is a name in lower case without what stands between its words.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// lastWord is the last of the words in db_pass, db-pass or dbPass, in lower case.
func lastWord(name string) string {
	i := strings.LastIndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
	word := name[i+1:]
	if hump := strings.LastIndexFunc(word, unicode.IsUpper); hump > 0 && strings.ToUpper(word) != word {
		word = word[hump:]
	}
	return strings.ToLower(word)
}

// asks reports whether a flag with a secret's name takes no secret: --no-password.
func asks(flag string) bool {
	first, _, several := strings.Cut(strings.ToLower(flag), "-")
	return several && slices.Contains([]string{"no", "ask", "show", "prompt", "without", "disable", "skip", "require", "generate"}, first)
}

// assignments finds PASSWORD=…, password: …, "password": "…", --password … .
func (n names) assignments() []finder {
	hints := []string{"pass", "pwd", "pw", "secret", "token", "key", "credential", "authorization", "cookie"}
	if len(n.more) > 0 {
		hints = nil
	}
	return []finder{{hints, n.assigned}, {hints, n.flagged}}
}

// assigned finds the values of NAME=…, also with ==, +=, :=, => or a colon, and with the
// name in quotes. A regular expression takes a hundred times as long on long texts.
func (n names) assigned(text string) []span {
	var all []span
	free := 0 // names begin here or later
	for i := 0; i < len(text); i++ {
		op := operator(text[i:])
		if op == "" {
			continue
		}
		name, quoted := nameBefore(text, free, i)
		if name.start == name.end {
			i += len(op) - 1
			continue
		}
		end := i + len(op)
		at := end + leading(text[end:], " \t")
		free, i = at, end-1
		called := text[name.start:name.end]
		if !n.secret(called) || len(all) > 0 && name.start < all[len(all)-1].end {
			continue
		}
		colon, spaced := op == ":", end < at
		if colon && (!keyed(text, name.start, quoted, at) || strings.HasPrefix(text[at:], "//") || headerName(called)) {
			continue
		}
		stops := ""
		if colon {
			stops = ",}]"
		}
		if s, ok := valueAt(text, at, stops); ok && !(spaced && codeReference(text[s.start:s.end])) {
			all = append(all, s)
		}
	}
	return all
}

// operator is the assignment operator that a text begins with, or "".
func operator(text string) string {
	if strings.IndexByte(":=+", text[0]) < 0 {
		return ""
	}
	for _, op := range []string{":=", "=>", "+=", "==", "=", ":"} {
		if strings.HasPrefix(text, op) {
			return op
		}
	}
	return ""
}

// nameBefore is the name that ends at a place, and whether it is in quotes. It begins with
// a letter, at from or later.
func nameBefore(text string, from, before int) (name span, quoted bool) {
	head := strings.TrimRight(text[from:before], " \t")
	bare := strings.TrimSuffix(strings.TrimSuffix(head, `"`), `\`)
	if bare == head {
		bare = strings.TrimSuffix(strings.TrimSuffix(head, `'`), `\`)
	}
	start := len(bare)
	for start > 0 && nameByte(bare[start-1]) {
		start--
	}
	for start < len(bare) && !nameStart(bare[start]) {
		start++
	}
	return span{from + start, from + len(bare)}, bare != head
}

func nameStart(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

func nameByte(c byte) bool {
	return nameStart(c) || '0' <= c && c <= '9' || c == '.' || c == '-'
}

// leading is how many bytes at the beginning of a text are among those given.
func leading(text, bytes string) int { return len(text) - len(strings.TrimLeft(text, bytes)) }

// keyed reports whether a colon makes a key of the name before it, rather than
// being part of a sentence.
func keyed(text string, name int, nameQuoted bool, value int) bool {
	if nameQuoted || value < len(text) && strings.IndexByte(`"'\`, text[value]) >= 0 {
		return true
	}
	before := strings.TrimRight(text[:name], " \t-+>")
	return before == "" || strings.IndexByte("\n\"'{,", before[len(before)-1]) >= 0
}

// headerName reports whether finders of their own look at what follows.
func headerName(name string) bool {
	plain := plainName(name)
	return strings.HasSuffix(plain, "authorization") || strings.HasSuffix(plain, "cookie")
}

// flagged finds the values of --name VALUE, also as elements of a list in quotes.
func (n names) flagged(text string) []span {
	var all []span
	for i := 0; i < len(text); i++ {
		if text[i] != '-' || i > 0 && flagByte(text[i-1]) {
			continue
		}
		start := i + 1 + leading(text[i+1:min(i+2, len(text))], "-")
		end := start
		for end < len(text) && flagByte(text[end]) {
			end++
		}
		i = max(i, end-1)
		at, ok := afterFlag(text, end)
		name := text[start:end]
		if !ok || name == "" || !nameStart(name[0]) || !n.secret(name) || asks(name) || plainName(name) == "cookie" {
			continue
		}
		if s, ok := valueAt(text, at, ""); ok && !notAValue(text[s.start:s.end]) {
			all = append(all, s)
		}
	}
	return all
}

func flagByte(c byte) bool { return nameByte(c) && c != '.' }

// afterFlag is where the value of a flag begins: after blanks, on the next line, or in the
// next element of a list.
func afterFlag(text string, end int) (at int, ok bool) {
	const blanks = " \t"
	if blank := leading(text[end:], blanks); blank > 0 {
		at = end + blank
		for _, next := range []string{"\\\n", "\\\r\n"} {
			if strings.HasPrefix(text[at:], next) {
				return at + len(next) + leading(text[at+len(next):], blanks), true
			}
		}
		return at, true
	}
	if rest := text[end:]; strings.HasPrefix(rest, `",`) || strings.HasPrefix(rest, `',`) {
		return end + 2 + leading(rest[2:], blanks), true
	}
	return 0, false
}

// notAValue reports whether what follows a flag is another flag, or says where
// the secret is (docker build --secret id=…).
func notAValue(s string) bool {
	return strings.HasPrefix(s, "-") || strings.HasPrefix(s, "id=") || strings.HasPrefix(s, "source=") ||
		strings.HasPrefix(s, "src=") || strings.HasPrefix(s, "type=")
}
