package policy

import (
	"net/url"
	"strings"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// maxPieces is how many files a word may name.
const maxPieces = 256

// hidden are the names of files that stand inside a word: in a file: URL, in a
// list such as /etc:/m or source=/etc,target=/m. Package cmdline finds most of
// them, and those behind the letter of an option; here it is known which files
// exist, and what only its beginning is known of still counts.
func (c *call) hidden(part cmdline.Part, w cmdline.Word) []cmdline.Word {
	if strings.Count(w.Text, ",")+strings.Count(w.Text, ":")+strings.Count(w.Text, "=")+strings.Count(w.Text, "@") > maxPieces {
		return []cmdline.Word{{}} // which may be any
	}
	var found []cmdline.Word
	add := func(names ...cmdline.Word) {
		for _, n := range names {
			n.Known = n.Known && w.Known
			if n.Text != "" {
				found = append(found, n)
			}
		}
	}
	for field := range strings.SplitSeq(w.Text, ",") {
		if names, is := urlFiles(field); is {
			add(names...)
			field, _, _ = strings.Cut(field, "://") // and what stands before it
		}
		for piece := range strings.FieldsFuncSeq(field, func(r rune) bool { return r == '=' || r == ':' || r == '@' }) {
			looks := strings.HasPrefix(piece, "~") || strings.HasPrefix(piece, ".") || strings.Contains(piece, "/")
			if piece != w.Text && (looks || c.leads(part, piece)) || c.throughLink(part, piece) {
				add(cmdline.Word{Text: piece, Known: true})
			}
		}
	}
	return found
}

// leads reports whether a text is the name of a file where the part may run, or
// a path below one.
func (c *call) leads(part cmdline.Part, text string) bool {
	if c.exists(part.Bases, text) || c.throughLink(part, text) {
		return true
	}
	first, _, deeper := strings.Cut(text, "/")
	return deeper && first != "" && c.exists(part.Bases, first)
}

// urlFiles are the files of this machine that a text names as a URL; is says
// that the text is a URL at all. A scheme that is not a plain name may become
// file: curl takes [f-f]ile for one.
func urlFiles(text string) (files []cmdline.Word, is bool) {
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
func pathsOfURL(rest string) []cmdline.Word {
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
	var found []cmdline.Word
	for _, text := range texts {
		found = append(found, decoded(text))
		if cut := text[:strings.IndexAny(text+"?", "?#")]; cut != text {
			found = append(found, decoded(cut))
		}
	}
	return found
}

// decoded is the text without percent signs, as far as it is known.
func decoded(text string) cmdline.Word {
	w := cmdline.Word{Known: true}
	if i := strings.IndexAny(text, "{[*"); i >= 0 {
		w = cmdline.Word{Glob: true}
		text = text[:i]
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		w = cmdline.Word{Glob: true}
		plain = text[:strings.IndexByte(text, '%')]
	}
	w.Text = plain
	return w
}
