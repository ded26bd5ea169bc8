package cmdline

import (
	"net/url"
	"strings"
)

// urls takes the URLs out of a text. Those of files are paths; one that goes up
// may be a path after all, since a directory can be named http: too.
func (f *pathFinder) urls(text string) string {
	rest := text
	for from := 0; ; {
		at := strings.Index(rest[from:], "://")
		if at < 0 {
			break
		}
		at += from
		start := at
		for start > 0 && schemeLetter(rest[start-1]) {
			start--
		}
		end := len(rest)
		if stop := strings.IndexAny(rest[at:], " \t\n,;'\"<>"); stop >= 0 {
			end = at + stop
		}
		scheme := rest[start:at]
		switch {
		case scheme == "" || strings.EqualFold(scheme, "file") && strings.ContainsAny(rest[at:end], "{["):
			f.add(Word{}) // curl puts URLs together from what is in brackets
		case climbs(rest[at:end]):
			f.add(known(rest[start:end]))
		}
		if scheme == "" {
			from = at + len("://")
			continue
		}
		if strings.EqualFold(scheme, "file") {
			f.file(rest[at+1 : end])
		}
		rest = rest[:start] + rest[end:]
		from = start
	}
	const short = "file:"
	if at := strings.LastIndex(strings.ToLower(rest), short); at >= 0 && len(strings.ToLower(rest)) == len(rest) && (at == 0 || !schemeLetter(rest[at-1])) {
		f.file(rest[at+len(short):])
		if !climbs(rest[at:]) {
			rest = rest[:at]
		}
	}
	return rest
}

// file adds the path of a file: URL, of which the scheme is left out already.
func (f *pathFinder) file(path string) {
	if host, ok := strings.CutPrefix(path, "//"); ok {
		slash := strings.IndexByte(host, '/')
		if slash < 0 {
			return
		}
		path = host[slash:]
	}
	short := path
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		short = path[:end]
	}
	for _, text := range []string{path, short} {
		if decoded, err := url.PathUnescape(text); err == nil {
			text = decoded
		}
		if text != "" {
			f.add(known(text))
		}
	}
}

func schemeLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '.' || c == '-'
}
