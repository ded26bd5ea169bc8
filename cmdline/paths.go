package cmdline

import "strings"

// Paths returns the words of the command, or pieces of them, that look like
// paths: with a slash, a leading dot or tilde, or the ending of a file's name.
// An unknown word may be any path and is returned as it is. What redirections
// open is in Files.
func (p Part) Paths() []Word {
	var paths []Word
	for i, w := range p.Words {
		if i == 0 && !strings.Contains(w.Text, "/") {
			continue
		}
		paths = append(paths, pathsIn(w)...)
	}
	return paths
}

func pathsIn(w Word) []Word {
	if !w.Known {
		if strings.HasPrefix(w.Text, "-") {
			w.Text = w.Text[strings.IndexByte(w.Text, '=')+1:]
		}
		return []Word{w}
	}
	var found []Word
	for _, piece := range pieces(w.Text) {
		if looksLikePath(piece) {
			found = append(found, known(piece))
		}
	}
	return found
}

// pieces are the parts of a word that may be a path: --file=path, if=path,
// @path, -Ipath.
func pieces(text string) []string {
	switch {
	case strings.HasPrefix(text, "-") && !strings.Contains(text, "=") && !strings.HasPrefix(text, "--"):
		if i := strings.IndexAny(text, "/.~"); i > 0 {
			return []string{text[i:]}
		}
		return nil
	case strings.Contains(text, "://"):
		return nil
	case strings.HasPrefix(text, "@"):
		return []string{text[1:]}
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return []string{text}
	}
	value = strings.TrimPrefix(value, "@")
	if strings.Contains(name, "/") {
		return []string{text, value}
	}
	return []string{value}
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
