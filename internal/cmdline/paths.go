package cmdline

import "strings"

// Paths returns the words of the command, or pieces of them, that look like
// paths: with a slash, a leading dot or tilde, or the ending of a file's name.
// Among them are the path of a file: URL, the pieces of a list with colons or
// commas, and values that stand in the same word as their option, whatever they
// look like. An unknown word may be any path and is returned as it is. What
// redirections open is in Files.
func (p Part) Paths() []Word {
	var paths []Word
	for i, w := range p.Words {
		if i == 0 && !strings.Contains(w.Text, "/") {
			continue
		}
		paths = append(paths, pathsIn(base(p.Words[0].Text), w)...)
	}
	return paths
}

func pathsIn(program string, w Word) []Word {
	if !w.Known {
		if strings.HasPrefix(w.Text, "-") {
			w.Text = w.Text[strings.IndexByte(w.Text, '=')+1:]
		}
		if strings.HasPrefix(w.Text, "-") || strings.ContainsAny(w.Text, "=:@,") {
			w.Glob, w.Home = false, false // where the path in it begins is not known
		}
		return []Word{w}
	}
	f := &pathFinder{}
	text := w.Text
	switch {
	case strings.HasPrefix(text, "--"):
		_, text, _ = strings.Cut(text, "=")
	case strings.HasPrefix(text, "-"):
		for _, value := range attached(program, text) {
			f.add(known(value))
		}
		if at := strings.IndexAny(text, "/.~"); at > 0 {
			f.value(text[at:])
		}
		_, text, _ = strings.Cut(text, "=")
	}
	f.value(text)
	return f.found
}

// pathFinder collects the pieces of a word that may be paths.
type pathFinder struct {
	found []Word
}

func (f *pathFinder) add(w Word) {
	for _, had := range f.found {
		if had == w {
			return
		}
	}
	f.found = append(f.found, w)
}

func (f *pathFinder) maybe(text string) {
	if looksLikePath(text) {
		f.add(known(text))
	}
}

// value looks for paths in an argument, or in the value of an option: in
// a=path, @path, a:path, a=b,c=path and in URLs.
func (f *pathFinder) value(text string) {
	text = f.urls(text)
	whole := strings.TrimPrefix(text, "@")
	if _, value, ok := strings.Cut(whole, "="); ok {
		f.maybe(strings.TrimLeft(value, "@<"))
		whole = strings.TrimSuffix(whole, "=")
	}
	if name, _, ok := strings.Cut(whole, "="); !ok || strings.Contains(name, "/") {
		f.maybe(whole)
	}
	const between = "=:,;@<"
	if !strings.ContainsAny(whole, between) {
		return
	}
	for piece := range strings.FieldsFuncSeq(whole, func(c rune) bool { return strings.ContainsRune(between, c) }) {
		if strings.ContainsAny(piece, "/~") || piece[0] == '.' {
			f.maybe(piece)
		}
	}
}

func looksLikePath(text string) bool {
	if text == "" || strings.ContainsAny(text, "\n") {
		return false
	}
	return strings.Contains(text, "/") || text[0] == '.' || text[0] == '~' || hasEnding(text)
}

// hasEnding says whether a text ends like the name of a file: .go, .txt.
func hasEnding(text string) bool {
	i := strings.LastIndexByte(text, '.')
	if i < 0 || i == len(text)-1 || len(text)-i > 9 || strings.ContainsAny(text, " \t'\"$") {
		return false
	}
	letter := false
	for _, c := range text[i+1:] {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter = true
		case c < '0' || c > '9':
			return false
		}
	}
	return letter
}
