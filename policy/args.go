package policy

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// callPath is a path among the arguments.
type callPath struct {
	text  string
	known bool // false: the argument is not a string
	maybe bool // the tool does not declare it as a path
	write bool // the tool writes, creates or deletes it
}

// pathArgs returns the paths among the arguments: those that the tool declares or, if it declares
// none, arguments with the usual names of paths and, as maybe, every other string at any depth.
func (c *call) pathArgs() []callPath {
	if c.pathsMet {
		return c.paths
	}
	c.pathsMet = true
	if c.Spec.Declared() {
		c.declared(c.Spec.Paths, callPath{})
		c.declared(c.Spec.Writes, callPath{write: true})
		for _, name := range c.Spec.Patches {
			c.patch(name)
		}
		if !c.claimed && (len(c.paths) > 0 || !c.runs()) {
			return c.paths
		}
	}
	others := false
	for name := range c.args {
		others = others || !slices.Contains(c.named, name)
	}
	if !others {
		return c.paths
	}
	for _, name := range guessedPaths {
		if value, ok := c.args[name]; ok {
			c.paths = appendPaths(c.paths, callPath{}, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.args)) {
		switch {
		case slices.Contains(guessedPaths, name) || slices.Contains(c.named, name):
		case c.runs() && (c.Spec.Declared() && !c.claimed || harmless(name)):
			c.paths = appendURLs(c.paths, c.args[name])
		default:
			c.paths = appendTexts(c.paths, c.args[name])
		}
	}
	return c.paths
}

// declared appends the values of declared arguments.
func (c *call) declared(names []string, like callPath) {
	for _, name := range names {
		path, err := readArgPath(name)
		if err != nil {
			c.paths = append(c.paths, callPath{})
			continue
		}
		values, _ := path.find(c.args)
		c.paths = appendPaths(c.paths, like, values...)
	}
}

// appendTexts appends every string and every key, at any depth, as maybe.
func appendTexts(paths []callPath, value any) []callPath {
	switch v := value.(type) {
	case string:
		paths = appendPaths(paths, callPath{maybe: true}, v)
	case []any:
		for _, inner := range v {
			paths = appendTexts(paths, inner)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			paths = appendTexts(appendTexts(paths, name), v[name])
		}
	}
	return paths
}

// appendURLs appends the files that any argument names by a file: URL.
func appendURLs(paths []callPath, value any) []callPath {
	switch v := value.(type) {
	case string:
		if fileScheme(v) == len("file:") && !strings.ContainsFunc(v, unicode.IsSpace) {
			paths = appendPaths(paths, callPath{}, v)
		}
	case []any:
		for _, inner := range v {
			paths = appendURLs(paths, inner)
		}
	case map[string]any:
		for _, inner := range v {
			paths = appendURLs(paths, inner)
		}
	}
	return paths
}

func appendPaths(paths []callPath, like callPath, values ...any) []callPath {
	for _, value := range values {
		switch v := value.(type) {
		case string:
			like.text, like.known = v, true
			paths = append(paths, like)
			if at := fileScheme(v); at == len("file:") && !strings.ContainsFunc(v, unicode.IsSpace) {
				for _, w := range pathsOfURL(v[at:]) {
					paths = append(paths, callPath{text: w.Text, known: w.Known, write: like.write})
				}
			}
		case []any:
			paths = appendPaths(paths, like, v...)
		case nil: // the same as absent
		default:
			paths = append(paths, callPath{})
		}
	}
	return paths
}

// guessedPaths are the arguments that count as paths if a tool declares none.
var guessedPaths = []string{
	"path", "paths", "file", "files", "file_path", "filePath", "filename", "directory", "dir",
	"cwd", "workdir", "working_directory", "workingDirectory", "notebook_path", "source", "destination",
}

// wellKnown declares the tools of agents that send their calls to the gateway.
var wellKnown = map[string]tool.Arguments{
	"Bash": {Command: "command"}, "Read": {Reads: []string{"file_path"}}, "Write": {Writes: []string{"file_path"}}, "Edit": {Writes: []string{"file_path"}},
	"MultiEdit": {Writes: []string{"file_path"}}, "NotebookEdit": {Writes: []string{"notebook_path"}}, "Glob": {Reads: []string{"path", "pattern"}},
	"Grep": {Reads: []string{"path"}}, "LS": {Reads: []string{"path"}}, "WebFetch": {URLs: []string{"url"}},
	"apply_patch": {Patches: []string{"input", "patch"}}, "run_shell_command": {Command: "command", Reads: []string{"directory"}},
	"read_file": {Reads: []string{"absolute_path", "path", "file_path"}}, "write_file": {Writes: []string{"file_path", "path"}}, "replace": {Writes: []string{"file_path"}},
}

// Longer texts are not searched; they count as a match.
const maxTexts = 16 << 10

// mayName reports whether an undeclared text, or one of its words, may be a path in a folder.
func (c *call) mayName(folder string, bases []string, text string) bool {
	if len(text) > maxTexts {
		return true
	}
	if decoded, err := url.PathUnescape(text); err == nil && decoded != text && c.mayName(folder, bases, decoded) {
		return true
	}
	for _, home := range []string{"$HOME", "${HOME}"} {
		text = strings.ReplaceAll(text, home, "~")
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`=,;:()[]{}<>|&", r) })
	return slices.ContainsFunc(append(words, text), func(word string) bool {
		if rest, found := strings.CutPrefix(word, "~/"); found && c.homeFolder != "" {
			word = c.homeFolder + "/" + rest
		}
		looks := strings.ContainsAny(word, "/.") || slices.ContainsFunc(from(bases, word), c.isThere)
		return looks && plainPath(word) && c.within(folder, bases, word, toForbid) == programs.Yes
	})
}

// mayRun reports whether the texts of a tool that declares nothing contain all words of a forbidden
// command, in any order.
func (r *Compiled) mayRun(c *call) bool {
	if len(r.patterns) == 0 || c.Spec.Declared() && !c.claimed || c.Spec.Hints.Trusted {
		return false
	}
	words := map[string]bool{}
	for _, p := range appendTexts(nil, c.args) {
		if len(p.text) > maxTexts {
			return true
		}
		for _, word := range programs.Tokens(p.text) {
			words[word] = true
		}
	}
	return slices.ContainsFunc(r.patterns, func(p programs.Pattern) bool { return p.AllIn(words) })
}
