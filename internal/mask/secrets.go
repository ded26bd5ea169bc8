package mask

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Mark stands where a secret was. No command or file has these brackets by
// chance, so that an edit that contains it is known to be made from a masked text.
const Mark = "⟦masked⟧"

// ErrSecretOptions is returned for options that can't be used.
var ErrSecretOptions = errors.New("mask: secret options")

// SecretKind is one kind of secret that is looked for.
type SecretKind string

// The kinds.
const (
	PrivateKeys  SecretKind = "private_keys"  // PEM blocks
	AuthHeaders  SecretKind = "auth_headers"  // Authorization, Proxy-Authorization
	Cookies      SecretKind = "cookies"       // the values in Cookie and Set-Cookie
	URLPasswords SecretKind = "url_passwords" // https://user:password@host
	VendorKeys   SecretKind = "vendor_keys"   // keys with a known shape; their public prefix stays
	Assignments  SecretKind = "assignments"   // PASSWORD=…, --password …, password: …
	Commands     SecretKind = "commands"      // mysql -p…, curl -u user:…
	Fields       SecretKind = "fields"        // JSON fields with a secret's name
)

// SecretKinds are all kinds.
func SecretKinds() []SecretKind {
	return []SecretKind{PrivateKeys, AuthHeaders, Cookies, URLPasswords, VendorKeys, Assignments, Commands, Fields}
}

// SecretOptions say what else is a secret and what is not; the zero value is
// every built-in kind.
type SecretOptions struct {
	Patterns []string     // RE2; the first group, or without one the whole match, is the secret
	Fields   []string     // further names of secrets, in any case and with any of - _ . in them
	Off      []SecretKind // kinds that are not looked for
}

// Secrets takes secrets out of what a person is shown; what runs has them. It
// masks what has the shape or the name of a secret. Text that could be run,
// such as $(…) or several words with a ; between them, is shown even where a
// secret is expected: a mask must not be a place to hide a command.
//
// Its time is linear in the length of the text. A nil *Secrets masks nothing.
// It can be used from several goroutines.
type Secrets struct {
	finders []finder
	names   names
	fields  bool
	uses    []usage
	known   []string // masked wherever they appear; see Knowing
}

// finder finds one kind of secret, in texts that contain one of its hints,
// in lower case; without hints in all.
type finder struct {
	hints []string
	find  func(text string) []span
}

// span is a part of a text.
type span struct{ start, end int }

// NewSecrets makes a Secrets. A pattern that does not compile or that takes
// nothing for a secret, an empty name, and an unknown kind are errors.
func NewSecrets(o SecretOptions) (*Secrets, error) {
	s := &Secrets{}
	for _, k := range o.Off {
		if !slices.Contains(SecretKinds(), k) {
			return nil, fmt.Errorf("%w: unknown kind %q: use one of %v", ErrSecretOptions, k, SecretKinds())
		}
	}
	for _, field := range o.Fields {
		if plainName(field) == "" {
			return nil, fmt.Errorf("%w: field %q has no letters or digits", ErrSecretOptions, field)
		}
		s.names.more = append(s.names.more, plainName(field))
	}
	on := func(k SecretKind) bool { return !slices.Contains(o.Off, k) }
	s.fields = on(Fields)
	if on(Commands) {
		s.uses = usages()
	}
	for kind, build := range map[SecretKind]func() []finder{
		PrivateKeys: privateKeys, AuthHeaders: authHeaders, Cookies: cookies, URLPasswords: urlPasswords,
		VendorKeys: vendorKeys, Assignments: s.names.assignments, Commands: func() []finder { return commands(s.uses) },
	} {
		if on(kind) {
			s.finders = append(s.finders, build()...)
		}
	}
	for _, p := range o.Patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("%w: pattern: %w", ErrSecretOptions, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("%w: pattern %q matches the empty text", ErrSecretOptions, p)
		}
		s.finders = append(s.finders, finder{find: matches(re, min(1, re.NumSubexp()), nil)})
	}
	return s, nil
}

// maxPasses bounds how often a text is gone over again because a mask has made
// something else look like a secret.
const maxPasses = 4

// Text returns text with a Mark in place of each secret, and whether there was
// one.
func (s *Secrets) Text(text string) (masked string, found bool) {
	if s == nil {
		return text, false
	}
	return s.text(text, cover)
}

func (s *Secrets) text(text string, cover func(string, []span) string) (masked string, found bool) {
	for range maxPasses {
		spans := s.spans(text)
		if len(spans) == 0 {
			break
		}
		text, found = cover(text, spans), true
	}
	return text, found
}

// Field is Text for the value of a named field, whose name may say that all of
// it is a secret.
func (s *Secrets) Field(name, value string) (masked string, found bool) {
	if s != nil && value != "" && s.secretField(name) {
		return Mark, true
	}
	return s.Text(value)
}

// spans returns the secrets in a text, in order and apart.
func (s *Secrets) spans(text string) []span {
	all := s.places(text)
	lower := strings.ToLower(text)
	hinted := func(hint string) bool { return strings.Contains(lower, hint) }
	for _, f := range s.finders {
		if len(f.hints) == 0 || slices.ContainsFunc(f.hints, hinted) {
			all = append(all, f.find(text)...)
		}
	}
	return apart(text, all)
}

// apart sorts spans, joins those that overlap, and leaves out what is masked.
func apart(text string, all []span) []span {
	slices.SortFunc(all, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var kept []span
	for _, next := range all {
		last := len(kept) - 1
		switch {
		case last >= 0 && next.start < kept[last].end:
			kept[last].end = max(kept[last].end, next.end)
		case next.start < next.end:
			kept = append(kept, next)
		}
	}
	return slices.DeleteFunc(kept, func(s span) bool { return strings.ReplaceAll(text[s.start:s.end], Mark, "") == "" })
}

func cover(text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(Mark)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// Contains reports whether a text, or a JSON text as it may be written, has a
// Mark in it.
func Contains(s string) bool {
	return strings.Contains(s, Mark) || strings.Contains(strings.ToLower(s), `\u27e6masked`)
}

// matches finds a group of a pattern where accept, if there is one, takes it.
func matches(re *regexp.Regexp, group int, accept func(secret string) bool) func(string) []span {
	return func(text string) []span {
		var all []span
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			s := span{m[2*group], m[2*group+1]}
			if s.start >= 0 && (accept == nil || accept(text[s.start:s.end])) {
				all = append(all, s)
			}
		}
		return all
	}
}
