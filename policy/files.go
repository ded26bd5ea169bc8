package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// partPaths are the words of a part that name files: those that look like paths,
// and bare words that are the name of a file or stand where a program takes
// files.
func (c *call) partPaths(part cmdline.Part) []cmdline.Word {
	if len(part.Words) == 0 {
		return nil
	}
	paths, ok := c.files[&part.Words[0]]
	if !ok {
		paths = c.findPaths(part)
		if c.files == nil {
			c.files = map[*cmdline.Word][]cmdline.Word{}
		}
		c.files[&part.Words[0]] = paths
	}
	return slices.Clip(paths)
}

func (c *call) findPaths(part cmdline.Part) []cmdline.Word {
	paths := part.Paths()
	seen := map[string]bool{}
	for _, w := range paths {
		seen[w.Text] = w.Known
	}
	takes := takesFiles(part.Words[0].Text)
	for _, w := range part.Words[1:] {
		text, isFile := w.Text, takes
		if strings.HasPrefix(text, "-") {
			_, text, _ = strings.Cut(text, "=")
			isFile = false
		}
		if !w.Known || text == "" || seen[text] {
			continue
		}
		if isFile && strings.Trim(text, "0123456789") != "" || c.exists(part.Bases, text) {
			seen[text] = true
			paths = append(paths, cmdline.Word{Text: text, Known: true})
		}
	}
	for _, w := range part.Words[1:] {
		for _, hidden := range c.hidden(part, w) {
			if at, ok := seen[hidden.Text]; !ok || hidden.Known && !at {
				seen[hidden.Text] = hidden.Known
				paths = append(paths, hidden)
			}
		}
	}
	return paths
}

// exists reports whether a word is the name of a file where the part may run.
func (c *call) exists(b cmdline.Bases, text string) bool {
	if strings.ContainsRune(text, 0) || len(text) > 255 {
		return false
	}
	for _, base := range c.bases(b) {
		if _, err := os.Lstat(join(base, text)); err == nil {
			return true
		}
	}
	return false
}

// takesFiles reports whether all bare arguments of a program are files.
func takesFiles(program string) bool {
	switch path.Base(program) {
	case "cat", "tac", "nl", "head", "tail", "less", "more", "bat", "wc", "sort", "uniq", "cut", "od", "xxd", "hexdump",
		"strings", "file", "stat", "readlink", "realpath", "ls", "du", "diff", "cmp", "comm", "paste", "join", "split",
		"md5sum", "sha1sum", "sha256sum", "base64", "gzip", "gunzip", "xz", "unxz", "zcat",
		"touch", "rm", "rmdir", "unlink", "cp", "mv", "ln", "mkdir", "tee", "truncate", "shred", "install",
		"cd", "pushd", "source", ".", "rsync", "scp", "tree":
		return true
	}
	return false
}

// touches asks, to forbid, whether a part has to do with what is in the folders:
// the answer, and what makes it a doubt.
func (c *call) touches(folders []string, part cmdline.Part) (cmdline.Answer, string) {
	best, why := cmdline.No, ""
	bases := c.bases(part.Bases)
	ask := func(w cmdline.Word) {
		for _, folder := range folders {
			answer := c.wordWithin(folder, bases, w, part)
			if answer > best {
				best, why = answer, wordDoubt(w)
			}
		}
	}
	for _, w := range c.partPaths(part) {
		ask(w)
	}
	for _, f := range part.Files {
		ask(f.Path)
	}
	if searchesHere(part) {
		ask(cmdline.Word{Text: ".", Known: true})
	}
	if best == cmdline.No && len(part.Opaque) > 0 {
		return cmdline.Maybe, part.Opaque[0]
	}
	return best, why
}

func wordDoubt(w cmdline.Word) string {
	if w.Known {
		return "where " + w.Text + " leads is not known"
	}
	return "a path is not known before it runs"
}

// wordWithin is within, to forbid, for a word of which perhaps only the
// beginning is known.
func (c *call) wordWithin(folder string, bases []string, w cmdline.Word, part cmdline.Part) cmdline.Answer {
	switch {
	case w.Known:
		answer := c.within(folder, bases, w.Text, toForbid)
		if answer == cmdline.No && (c.mayLead(part, w.Text) || (sweeps(part) || gathers(part)) && c.around(folder, bases, w.Text)) {
			return cmdline.Maybe
		}
		return answer
	case w.Home:
		return c.nearHome(folder)
	case w.Glob:
		answer := c.globWithin(folder, bases, w.Text)
		if answer == cmdline.No && c.mayLead(part, w.Text) {
			return cmdline.Maybe
		}
		return answer
	}
	return cmdline.Maybe
}

// around reports whether a path is a folder in which the folder lies.
func (c *call) around(folderText string, bases []string, path string) bool {
	folder, ok := c.folder(folderText)
	if !ok || strings.ContainsRune(path, 0) {
		return false
	}
	if filepath.IsAbs(path) {
		bases = []string{"/"}
	}
	for _, base := range bases {
		if p := c.places.at(join(base, path)); below(p.lexical, folder.lexical) || below(p.resolved, folder.resolved) {
			return true
		}
	}
	return false
}

// nearHome asks whether a path below somebody's home may be in a folder.
func (c *call) nearHome(folderText string) cmdline.Answer {
	folder, ok := c.folder(folderText)
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return cmdline.Maybe
	}
	homes := filepath.Dir(filepath.Clean(home)) // other people's are beside it
	if below(homes, folder.lexical) || below(folder.lexical, homes) || below(homes, folder.resolved) || below(folder.resolved, homes) {
		return cmdline.Maybe
	}
	return cmdline.No
}

// globWithin asks whether names that begin with a text may be in a folder. A
// name that begins with a dot may also lead upwards.
func (c *call) globWithin(folderText string, bases []string, text string) cmdline.Answer {
	dir, start := ".", text
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		dir, start = text[:i+1], text[i+1:]
	}
	if start != "" && strings.Trim(start, ".") == "" {
		return cmdline.Maybe
	}
	answer := c.within(folderText, bases, dir, toForbid)
	folder, ok := c.folder(folderText)
	if answer != cmdline.No || !ok {
		return answer
	}
	if filepath.IsAbs(dir) {
		bases = []string{"/"}
	}
	for _, base := range bases {
		p := c.places.at(join(base, dir))
		if rest, in := strings.CutPrefix(folder.lexical, strings.TrimSuffix(p.lexical, "/")+"/"); in && strings.HasPrefix(rest, start) {
			return cmdline.Maybe
		}
		if rest, in := strings.CutPrefix(folder.resolved, strings.TrimSuffix(p.resolved, "/")+"/"); in && strings.HasPrefix(rest, start) {
			return cmdline.Maybe
		}
	}
	return cmdline.No
}

// confined reports whether all files that a part names or reads are in the
// folders.
func (c *call) confined(folders []string, part cmdline.Part) bool {
	bases := c.bases(part.Bases)
	inside := func(w cmdline.Word, s side) bool {
		return w.Known && !c.mayLead(part, w.Text) && c.withinAny(folders, bases, w.Text, s) == cmdline.Yes
	}
	side := wordSide(part)
	for _, w := range c.partPaths(part) {
		if !inside(w, side) {
			return false
		}
	}
	for _, f := range part.Files {
		if !f.Write && !inside(f.Path, toAllow) {
			return false
		}
	}
	return true
}

// writes reports whether a part writes a file by redirection or option.
func writes(part cmdline.Part) bool { return len(writtenFiles(part)) > 0 }

// writtenFiles names the files that a part writes, for people.
func writtenFiles(part cmdline.Part) []string {
	var names []string
	for _, f := range part.Files {
		switch {
		case !f.Write:
		case f.Path.Known:
			names = append(names, f.Path.Text)
		default:
			names = append(names, f.Path.Text+"…")
		}
	}
	return names
}
