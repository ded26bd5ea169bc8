package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// reading is a command of a call: the argument that it stands in, and how it is read.
type reading struct {
	name string
	text string
	*lineRead

	unknown string // why it is unknown what runs; empty: it is known
}

// read reads a line where the call would run. A line that is not plain is not known.
func (c *call) read(name, text string) {
	read := c.known.read(plain.Shell{Home: c.homeFolder, Dir: c.oneDirectory()}, text)
	c.readings = append(c.readings, reading{name, text, read, c.whyUnknown(read.line)})
}

// readArgv reads a program that runs without a shell.
func (c *call) readArgv(name string, words []string) {
	line := plain.Argv(words)
	for _, p := range line.Parts {
		if dir := c.oneDirectory(); dir != "" {
			p.Dir = plain.Join(dir, p.Dir)
		}
	}
	c.readings = append(c.readings, reading{name, "", lineOf(line), c.whyUnknown(line)})
}

// whyUnknown says what of a line can't be known.
func (c *call) whyUnknown(line *plain.Line) string {
	if line.Unread != "" {
		return "the line " + line.Unread
	}
	return c.unplaced(line.Parts)
}

// oneDirectory is where the call runs; empty where that is not known.
func (c *call) oneDirectory() string {
	if starts := c.bases(); len(starts) == 1 {
		return starts[0]
	}
	return ""
}

// ours reports whether the call runs on this machine, as we have it run.
func (c *call) ours() bool { return c.Spec.Hints.Trusted && c.path != "" }

// unplaced says which program of a call can't be told where it is.
func (c *call) unplaced(parts []*plain.Part) string {
	if !c.ours() {
		return ""
	}
	for _, p := range parts {
		if len(p.Words) == 0 || p.Builtin {
			continue
		}
		if _, err := c.place(p.Program().Text); err != nil {
			return err.Error()
		}
	}
	return ""
}

// place finds the file that a program's name stands for. One that the agent's own work may
// have put there is none that a rule has in mind.
func (c *call) place(name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	if found, ok := c.placed[name]; ok {
		return found, nil
	}
	for _, dir := range filepath.SplitList(c.path) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s is found by the PATH in a folder that is not absolute", name)
		}
		for _, own := range []string{c.home, c.directory, os.TempDir()} {
			if own != "" && own != "/" && within(own, file) {
				return "", fmt.Errorf("%s is found in %s, where the agent works", name, dir)
			}
		}
		if c.placed == nil {
			c.placed = map[string]string{}
		}
		c.placed[name] = file
		return file, nil
	}
	return "", fmt.Errorf("%s is not found: it is in none of the folders of the PATH", name)
}

// within reports whether a file is in a folder, also by where links lead.
func within(folder, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	at, failed := filepath.EvalSymlinks(folder)
	return paths.Within(folder, file) || err == nil && failed == nil && paths.Within(at, real)
}

// reprint gives the arguments with which the call runs where no person has seen it, as a JSON
// merge patch: each plain line printed again, with the programs by their places.
func (c *call) reprint() (tool.JSON, error) {
	if !c.ours() {
		return nil, nil
	}
	c.lines()
	patch := map[string]any{}
	for _, r := range c.readings {
		if r.line.Unread != "" || r.text == "" {
			continue // a mode clears it as it is
		}
		printed := r.line.Print(func(name string) string {
			if at, err := c.place(name); err == nil {
				return at
			}
			return name
		})
		if printed != r.text {
			patch[r.name] = printed
		}
	}
	if len(patch) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	edit, err := strictjson.Canonicalize(data)
	return edit.Value(), err
}
