package mask

import (
	"regexp"
	"slices"
	"strings"
)

// privateKeys finds the inside of PEM blocks, with line breaks as they are or
// written as \n. Of one that is cut off it finds the long lines only: a short
// word after it may be anything.
func privateKeys() []finder {
	const (
		begin = `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`
		space = `(?:\s|\\[nr])`
		long  = `(?:` + space + `+(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\s\\]+))`
		short = `(?:` + space + `+[A-Za-z0-9+/=]{1,15})`
	)
	hints := []string{"private key"}
	return []finder{
		{hints, matches(regexp.MustCompile(begin+`(`+long+`*`+short+`*)`+space+`*-----END`), 1, nil)},
		{hints, matches(regexp.MustCompile(begin+`(`+long+`+)`), 1, nil)},
	}
}

// notPlain are the characters that a secret outside of quotes can't have,
// because they end it or could run.
const notPlain = "\\s\"'\\\\,;|&<>()`$⟦⟧"

// authHeaders finds what follows the scheme in Authorization headers, and what
// follows Bearer anywhere.
func authHeaders() []finder {
	schemes := []string{"bearer", "basic", "token", "digest", "negotiate", "apikey", "bot", "aws4-hmac-sha256"}
	header := regexp.MustCompile(`(?i)authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:` + strings.Join(schemes, "|") + `)\s+)?([^` + notPlain + `{%]+)`)
	bearer := regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{12,})`)
	return []finder{
		{[]string{"authorization"}, matches(header, 1, func(s string) bool {
			return !slices.Contains(schemes, strings.ToLower(s))
		})},
		{[]string{"bearer"}, matches(bearer, 1, func(s string) bool { return strings.ContainsAny(s, "0123456789") })},
	}
}

// cookies finds the values of a cookie header, each by itself: what comes after
// the header in an unquoted command stays in sight.
func cookies() []finder {
	header := regexp.MustCompile(`(?i)cookie\\?["']?(?:\s*[:=]\s*|["'],\s*|[ \t]+)\\?["']?`)
	pair := regexp.MustCompile(`^[^=` + notPlain + `]+=([^` + notPlain + `]*)(?:;[ \t]*)?`)
	return []finder{{[]string{"cookie"}, func(text string) []span {
		var all []span
		for _, m := range header.FindAllStringIndex(text, -1) {
			all = append(all, pairs(text, m[1], pair)...)
		}
		return all
	}}}
}

func pairs(text string, at int, pair *regexp.Regexp) []span {
	var all []span
	for {
		m := pair.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all
		}
		all = append(all, span{at + m[2], at + m[3]})
		at += m[1]
	}
}

// urlPasswords finds the password before the host of a URL. The host, which
// comes after the last @ before the path, stays in sight.
func urlPasswords() []finder {
	re := regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s/?#:@\"'<>()`\\\\]*:([^\\s/?#\"'<>()`;|\\\\⟦⟧]+)@")
	return []finder{{[]string{"://"}, matches(re, 1, func(s string) bool { return !refers(s) })}}
}

// vendorKeys finds keys that are known by their shape. What precedes the group
// is public: it says whose key it is.
func vendorKeys() []finder {
	digit := func(s string) bool { return strings.ContainsAny(s, "0123456789") }
	var all []finder
	for _, k := range []struct {
		hint, pattern string
		accept        func(string) bool
	}{
		{"akia", `AKIA([A-Z0-9]{16,})`, nil}, // AWS, and the next
		{"asia", `ASIA([A-Z0-9]{16,})`, digit},
		{"gh", `gh[pousr]_([A-Za-z0-9_]{16,})`, nil},
		{"github_pat_", `github_pat_([A-Za-z0-9_]{16,})`, nil},
		{"glpat-", `glpat-([A-Za-z0-9_.-]{16,})`, nil},
		{"xox", `xox[a-z]-([A-Za-z0-9-]{10,})`, nil},
		{"xapp-", `xapp-([A-Za-z0-9-]{10,})`, nil},
		{"hooks.slack.com", `hooks\.slack\.com/services/([A-Za-z0-9/_-]{16,})`, nil},
		{"sk-", `\bsk-(?:ant-|proj-|svcacct-|admin-|or-)?([A-Za-z0-9_-]{20,})`, digit}, // OpenAI, Anthropic
		{"aiza", `AIza([A-Za-z0-9_-]{30,})`, nil},                                      // Google, and the next
		{"ya29.", `ya29\.([A-Za-z0-9_.-]{20,})`, nil},
		{"k_live_", `[srp]k_live_([A-Za-z0-9]{10,})`, nil}, // Stripe, and the next two
		{"k_test_", `[srp]k_test_([A-Za-z0-9]{10,})`, nil},
		{"whsec_", `whsec_([A-Za-z0-9+/=]{16,})`, nil},
		{"npm_", `\bnpm_([A-Za-z0-9]{30,})`, nil},
		{"pypi-", `\bpypi-([A-Za-z0-9_-]{40,})`, nil},
		{"lct_", `\blct_([A-Za-z0-9_-]{40,})`, nil}, // our own tokens
		{"#login=", `#login=([A-Za-z0-9_-]{40,})`, nil},
		{"hf_", `\bhf_([A-Za-z0-9]{30,})`, nil},
		{"dop_v1_", `dop_v1_([a-f0-9]{32,})`, nil},
		{"sg.", `\bSG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`, nil},
		{"age-secret-key-1", `AGE-SECRET-KEY-1([A-Z0-9]{40,})`, nil},
		{"eyj", `eyJ([A-Za-z0-9_=-]{8,}\.[A-Za-z0-9_=-]{8,}(?:\.[A-Za-z0-9_=.-]*)?)`, nil}, // a JWT
	} {
		all = append(all, finder{[]string{k.hint}, matches(regexp.MustCompile(k.pattern), 1, k.accept)})
	}
	return all
}
