package mask

import (
	"regexp"
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
	named := regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_.-]*)(\\?["']?)[ \t]*(:=|=>|\+=|==?|:)([ \t]*)`)
	flag := regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])--?([A-Za-z][A-Za-z0-9_-]*)(?:[ \t]+(?:\\\r?\n[ \t]*)?|["'],[ \t]*)`)
	return []finder{
		{hints, func(text string) []span { return n.assigned(text, named) }},
		{hints, func(text string) []span { return n.flagged(text, flag) }},
	}
}

func (n names) assigned(text string, re *regexp.Regexp) []span {
	var all []span
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		if !n.secret(text[m[2]:m[3]]) || len(all) > 0 && m[2] < all[len(all)-1].end {
			continue
		}
		colon, spaced, at := text[m[6]:m[7]] == ":", m[8] < m[9], m[1]
		if colon && (!keyed(text, m[2], m[4] < m[5], at) || strings.HasPrefix(text[at:], "//") || headerName(text[m[2]:m[3]])) {
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

func (n names) flagged(text string, re *regexp.Regexp) []span {
	var all []span
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		if name := text[m[2]:m[3]]; !n.secret(name) || asks(name) || plainName(name) == "cookie" {
			continue
		}
		if s, ok := valueAt(text, m[1], ""); ok && !notAValue(text[s.start:s.end]) {
			all = append(all, s)
		}
	}
	return all
}

// notAValue reports whether what follows a flag is another flag, or says where
// the secret is (docker build --secret id=…).
func notAValue(s string) bool {
	return strings.HasPrefix(s, "-") || strings.HasPrefix(s, "id=") || strings.HasPrefix(s, "source=") ||
		strings.HasPrefix(s, "src=") || strings.HasPrefix(s, "type=")
}
