package policy

import (
	"slices"
	"strconv"
	"strings"
)

// patch appends the files that the patch in an argument changes. A patch that names none, or that
// creates a symbolic link, may change any.
func (c *call) patch(name string) {
	path, err := readArgPath(name)
	if err != nil {
		c.paths = append(c.paths, callPath{})
		return
	}
	values, _ := path.find(c.args)
	for _, value := range values {
		text, _ := value.(string)
		files := patched(text)
		if len(files) == 0 || strings.Contains(text, "120000") {
			c.paths = append(c.paths, callPath{write: true})
		}
		for _, file := range files {
			c.paths = append(c.paths, callPath{text: file, known: true, write: true})
		}
	}
}

// patchHeaders are the beginnings of the lines that name a file, in the formats of diff, Git and
// apply_patch.
var patchHeaders = []string{
	"*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:", "diff --git ", "rename from ", "rename to ", "copy from ", "copy to ", "Index: ", "--- ", "+++ ",
}

// patched lists the files that a patch changes. Lines are read as leniently as the programs that
// apply patches read them: indented, with quoted names, and with a date after the name.
func patched(text string) []string {
	var files []string
	add := func(file string) {
		for _, prefix := range []string{"", "a/", "b/", "i/", "w/"} {
			short, found := strings.CutPrefix(file, prefix)
			if found && short != "" && short != "/dev/null" && !slices.Contains(files, short) && (prefix != "" || !gitPrefix(file)) {
				files = append(files, short)
			}
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, header := range patchHeaders {
			rest, found := strings.CutPrefix(line, header)
			if !found {
				continue
			}
			for _, file := range namesInHeader(strings.TrimSpace(rest), header == "diff --git ") {
				add(file)
			}
		}
	}
	return files
}

// gitPrefix reports whether a name has the prefix that Git puts before names.
func gitPrefix(file string) bool {
	return strings.HasPrefix(file, "a/") || strings.HasPrefix(file, "b/") || strings.HasPrefix(file, "i/") || strings.HasPrefix(file, "w/")
}

// namesInHeader returns the names in a header line: the whole of it, and what stands before a tab or
// a blank, where a date or a second name may follow.
func namesInHeader(rest string, two bool) []string {
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		names := []string{unquoted(quoted)}
		if after := strings.TrimSpace(rest[len(quoted):]); two && after != "" {
			names = append(names, namesInHeader(after, false)...)
		}
		return names
	}
	names := []string{rest}
	if before, _, found := strings.Cut(rest, "\t"); found {
		names = []string{before}
		rest = before
	}
	for i := range len(rest) {
		if rest[i] == ' ' {
			names = append(names, rest[:i])
			if two {
				names = append(names, namesInHeader(strings.TrimSpace(rest[i:]), false)...)
			}
		}
	}
	return names
}

// unquoted reads a name in the quotes of C, in which octal escapes stand for bytes.
func unquoted(quoted string) string {
	if text, err := strconv.Unquote(quoted); err == nil {
		return text
	}
	return quoted
}
