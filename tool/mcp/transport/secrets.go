package transport

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// address matches URLs in a text.
var address = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>]+`)

// How long a word has to be to be taken for a secret: shorter ones are found in
// any text.
const (
	minSecret = 4 // of a header, a query, a login
	minWord   = 8 // of a path, or the value of a variable, which often is none
)

// secrets are what is not to be seen in a text that people or models read, the
// longest first.
type secrets []string

func newSecrets(all ...string) secrets {
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// hide is a text without them.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}

func longer(than int, all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < than })
}

// secretsOfProgram are the values that a program is given.
func secretsOfProgram(values []string) secrets {
	var all []string
	for _, value := range values {
		all = append(all, longer(minWord, value)...)
		// A text of several lines is said line by line.
		all = append(all, longer(minWord, strings.Split(value, "\n")...)...)
	}
	return newSecrets(all...)
}

// secretsOfSite are the parts of a URL and the headers in which keys are sent, in
// each form in which they may come back.
func secretsOfSite(u *url.URL, headers map[string]string) secrets {
	all := longer(minSecret, u.RawQuery, u.RawFragment, u.User.Username(), u.User.String())
	if password, ok := u.User.Password(); ok {
		all = append(all, longer(minSecret, password)...)
	}
	for name, values := range u.Query() {
		all = append(all, longer(minWord, name)...)
		for _, value := range values {
			all = append(all, longer(minSecret, value, url.QueryEscape(value))...)
		}
	}
	for _, path := range []string{u.Path, u.EscapedPath()} {
		all = append(all, longer(minWord, strings.Split(path, "/")...)...)
	}
	for _, value := range headers {
		all = append(all, longer(minSecret, value)...)
		all = append(all, longer(minWord, strings.Fields(value)...)...)
	}
	return newSecrets(all...)
}

// withoutURLs is a text in which each URL is no more than its scheme and host.
func withoutURLs(text string) string {
	return address.ReplaceAllStringFunc(text, func(raw string) string {
		// What ends a sentence is not the URL's.
		trimmed := strings.TrimRight(raw, ".,:;)]")
		u, err := url.Parse(trimmed)
		if err != nil || u.Host == "" {
			return "[a url]" + raw[len(trimmed):]
		}
		return site(u) + raw[len(trimmed):]
	})
}

// site is a URL without the parts in which keys are sent.
func site(u *url.URL) string { return u.Scheme + "://" + u.Host }
