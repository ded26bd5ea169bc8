package policy

import (
	"net/url"
	"strings"

	"github.com/lineclear/lineclear/internal/plain"
)

// urlFiles are the files of this machine that a text names as a URL; is says
// that the text is a URL at all. A scheme that is not a plain name may become
// file: curl takes [f-f]ile for one.
func urlFiles(text string) (files []plain.Word, is bool) {
	scheme, rest, is := strings.Cut(text, "://")
	scheme = scheme[strings.LastIndexAny(scheme, "=@\"'( ")+1:]
	switch at := fileScheme(text); {
	case is && remote(scheme) && !strings.HasPrefix(rest, "/") && !strings.HasSuffix(strings.ToLower(scheme), "file"):
		return nil, true
	case at >= 0:
		return pathsOfURL(text[at:]), true
	case is:
		return pathsOfURL("//" + rest), true
	}
	return nil, false
}

// fileScheme is where a text goes on after file:, or -1.
func fileScheme(text string) int {
	const name = "file:"
	at := strings.Index(strings.ToLower(text), name)
	if at < 0 || len(strings.ToLower(text)) != len(text) {
		return -1
	}
	end := at + len(name)
	if at > 0 && isLetter(text[at-1]) && !strings.HasPrefix(text[end:], "/") {
		return -1 // profile:x
	}
	return end
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// remote reports whether a scheme is a plain name, perhaps behind the letters of
// an option.
func remote(scheme string) bool {
	return scheme != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}

// pathsOfURL are what programs take for the path behind file: some cut the query
// off, some let the host be a folder. Where the text has what only they expand,
// its beginning is known.
func pathsOfURL(rest string) []plain.Word {
	rest = strings.ReplaceAll(rest, `\`, "/")
	texts := []string{rest}
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		texts = nil
		if _, path, ok := strings.Cut(host, "/"); ok {
			texts = append(texts, "/"+path)
		}
		if !strings.HasPrefix(host, "/") {
			texts = append(texts, host)
		}
	}
	var found []plain.Word
	for _, text := range texts {
		found = append(found, decoded(text))
		if cut := text[:strings.IndexAny(text+"?", "?#")]; cut != text {
			found = append(found, decoded(cut))
		}
	}
	return found
}

// decoded is the text without percent signs, as far as it is known.
func decoded(text string) plain.Word {
	w := plain.Word{Known: true}
	if i := strings.IndexAny(text, "{[*"); i >= 0 {
		w.Known, text = false, text[:i]
	}
	decoded, err := url.PathUnescape(text)
	if err != nil {
		w.Known, decoded = false, text[:strings.IndexByte(text, '%')]
	}
	w.Text = decoded
	return w
}
