package auth

import "strings"

// Page is a browser's page that logs in.
type Page struct {
	Key     string // its public key; empty: it has none
	Browser string // what it runs in, as BrowserOf has it
}

// word is a name, and what a User-Agent has in it that goes by that name.
type word struct{ mark, name string }

// browsers and systems are looked for in this order: most name others as well.
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

// BrowserOf is a User-Agent in words, such as "Firefox on Linux". They are our own: nothing of what was sent is in them.
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
