package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// Listing is what list_files has to say to programs.
type Listing struct {
	Path    string  `json:"path"`
	Entries []Entry `json:"entries"`
	Omitted int     `json:"omitted,omitzero"` // entries that are missing here
}

// Entry is one thing in a directory.
type Entry struct {
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Size   int64  `json:"size,omitzero"`    // of a file, in bytes
	Target string `json:"target,omitempty"` // of a link
}

// Kind says what an Entry is.
type Kind string

// The kinds of entries.
const (
	File      Kind = "file"
	Directory Kind = "directory"
	Link      Kind = "link"
	Other     Kind = "other" // a device, pipe or socket
)

type listArgs struct {
	Path string `json:"path"`
}

// List is the tool list_files.
func (f *Files) List() tool.Tool {
	return act(tool.Spec{
		Name:  "list_files",
		Paths: []string{"path"}, Hints: tool.Hints{ReadOnly: true, Trusted: true},
		Description: fmt.Sprintf("Lists a directory: names in order, directories with a slash, files with their size in bytes. At most %d entries.",
			f.options.ListLimit),
		Schema: tool.JSON(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the directory, relative to the working directory, which is listed when it is left out"}
  },
  "additionalProperties": false
}`),
	}, f.list)
}

func (f *Files) list(_ context.Context, call tool.Call, a listArgs) tool.Result {
	a.Path = cmp.Or(a.Path, ".")
	path, err := f.locate(call, a.Path)
	if err != nil {
		return tool.Failed(tool.Words(err))
	}
	entries, err := f.entries(path)
	if errors.Is(err, errNotDirectory) {
		return tool.Failed(a.Path + " is a file, not a directory: use read_file for it")
	} else if err != nil {
		return f.refused(a.Path, err)
	}
	l := Listing{Path: a.Path, Entries: []Entry{}}
	for i, e := range entries {
		if i == f.options.ListLimit {
			l.Omitted = len(entries) - i
			break
		}
		l.Entries = append(l.Entries, f.entry(path, e))
	}
	return done(l.text(), l)
}

var errNotDirectory = errors.New("files: not a directory")

// entries reads a directory in the order of its names.
func (f *Files) entries(path string) ([]fs.DirEntry, error) {
	info, err := f.root.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errNotDirectory
	}
	dir, err := f.root.Open(path)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, dir.Close())
}

// entry looks at one thing. One that has gone meanwhile is listed by its name.
func (f *Files) entry(dir string, e fs.DirEntry) Entry {
	entry := Entry{Name: e.Name(), Kind: Other}
	switch {
	case e.IsDir():
		entry.Kind = Directory
	case e.Type()&fs.ModeSymlink != 0:
		entry.Kind = Link
		if target, err := f.root.Readlink(filepath.Join(dir, e.Name())); err == nil {
			entry.Target = target
		}
	case e.Type().IsRegular():
		entry.Kind = File
		if info, err := f.root.Lstat(filepath.Join(dir, e.Name())); err == nil {
			entry.Size = info.Size()
		}
	}
	return entry
}

// text is the listing as a model reads it.
func (l Listing) text() string {
	if len(l.Entries) == 0 {
		return fmt.Sprintf("[%s is empty]", l.Path)
	}
	lines := make([]string, 0, len(l.Entries)+1)
	for _, e := range l.Entries {
		lines = append(lines, e.text())
	}
	if l.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("[… %d more entries left out …]", l.Omitted))
	}
	return strings.Join(lines, "\n")
}

// text quotes names that would look like something else.
func (e Entry) text() string {
	name := e.Name
	if quoted := fmt.Sprintf("%q", name); quoted != `"`+name+`"` {
		name = quoted
	}
	switch e.Kind {
	case Directory:
		return name + "/"
	case File:
		return fmt.Sprintf("%s  %d bytes", name, e.Size)
	case Link:
		return fmt.Sprintf("%s -> %q", name, e.Target)
	case Other:
		return name + "  (a device, pipe or socket)"
	default:
		return name
	}
}
