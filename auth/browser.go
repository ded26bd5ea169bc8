package auth

import "strings"

// Page is the browser page that logs in.
type Page struct {
	Key     string // its public key; empty if it has none
	Browser string // its browser, as BrowserOf names it
}

// word pairs a mark in a User-Agent with the name that we show for it.
type word struct{ mark, name string }

// browsers and systems are tried in this order, since most User-Agents name others as well.
var (
	browsers = []word{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"}, {"FxiOS/", "Firefox"},
		{"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Chromium/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []word{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"}, {"FreeBSD", "FreeBSD"}, {"Linux", "Linux"},
	}
)

// BrowserOf describes a User-Agent in our own words, such as "Firefox on Linux". It never returns text from the
// User-Agent itself.
func BrowserOf(userAgent string) string {
	browser, system := "A browser", ""
	for _, w := range browsers {
		if strings.Contains(userAgent, w.mark) {
			browser = w.name
			break
		}
	}
	for _, w := range systems {
		if strings.Contains(userAgent, w.mark) {
			system = " on " + w.name
			break
		}
	}
	return browser + system
}
