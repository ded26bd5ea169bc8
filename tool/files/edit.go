package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// Edited is what edit_file has to say to programs.
type Edited struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	Line         int    `json:"line"` // number of the line in which the first one begins
	Bytes        int    `json:"bytes"`
}

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
	All  bool   `json:"all"`
}

// Edit is the tool edit_file.
func (f *Files) Edit() tool.Tool {
	return change(tool.Spec{
		Name:  "edit_file",
		Paths: []string{"path"}, Hints: tool.Hints{Destructive: true, Trusted: true},
		Description: "Replaces a text in a file. The old text has to stand there exactly once, unless all is set.",
		Schema: tool.JSON(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
    "old": {"type": "string", "minLength": 1, "description": "the text to replace, exactly as it stands in the file"},
    "new": {"type": "string", "description": "what to put there"},
    "all": {"type": "boolean", "description": "replace every occurrence"}
  },
  "required": ["path", "old", "new"],
  "additionalProperties": false
}`),
	}, f.edit, f.previewEdit)
}

func (f *Files) edit(ctx context.Context, call tool.Call, a editArgs) tool.Result {
	path, err := f.locate(call, a.Path)
	if err != nil {
		return tool.Failed(tool.Words(err))
	}
	release, err := f.alone(ctx)
	if err != nil {
		return f.refused(a.Path, err)
	}
	defer release()
	before, err := f.whole(path)
	if errors.Is(err, errTooLarge) {
		return tool.Failed(fmt.Sprintf("%s was not edited: it has more than the %d bytes allowed", a.Path, f.options.FileLimit))
	} else if err != nil {
		return f.refused(a.Path, err)
	}
	count, err := a.count(before)
	if err != nil {
		return tool.Failed(tool.Words(err))
	}
	if size := a.size(before, count); size > f.options.FileLimit {
		return tool.Failed(fmt.Sprintf("%s was not edited: it would have %d bytes, more than the %d allowed", a.Path, size, f.options.FileLimit))
	}
	after := bytes.ReplaceAll(before, []byte(a.Old), []byte(a.New))
	if _, err := f.replace(path, after); err != nil {
		return f.refused(a.Path, err)
	}
	line := 1 + bytes.Count(before[:bytes.Index(before, []byte(a.Old))], []byte("\n"))
	text := fmt.Sprintf("edited %s in line %d", a.Path, line)
	if count > 1 {
		text = fmt.Sprintf("edited %s in %d places, the first in line %d", a.Path, count, line)
	}
	return done(text, Edited{Path: a.Path, Replacements: count, Line: line, Bytes: len(after)})
}

// count is how often the old text stands in a file, an error if that is not
// what was meant.
func (a editArgs) count(content []byte) (int, error) {
	if a.Old == "" {
		return 0, fmt.Errorf("%s was not edited: old is empty; write_file writes a whole file", a.Path)
	}
	if a.Old == a.New {
		return 0, fmt.Errorf("%s was not edited: old and new are the same", a.Path)
	}
	count := bytes.Count(content, []byte(a.Old))
	switch {
	case count == 0 && strings.Contains(a.Old, "\n") && bytes.Contains(content, []byte("\r\n")):
		return 0, fmt.Errorf("%s was not edited: old does not stand in it; the file ends its lines with \\r\\n, so old has to as well", a.Path)
	case count == 0:
		return 0, fmt.Errorf("%s was not edited: old does not stand in it; read_file shows the exact text, spaces included", a.Path)
	case count > 1 && !a.All:
		return 0, fmt.Errorf("%s was not edited: old stands in it %d times; add some of the text around it, or set all", a.Path, count)
	default:
		return count, nil
	}
}

// size returns how many bytes the file would have after count replacements.
func (a editArgs) size(content []byte, count int) int {
	return len(content) + count*(len(a.New)-len(a.Old))
}

var errTooLarge = errors.New("files: more bytes than allowed")

func (f *Files) whole(path string) ([]byte, error) {
	file, _, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read from
	content, err := io.ReadAll(io.LimitReader(file, int64(f.options.FileLimit)+1))
	if err == nil && len(content) > f.options.FileLimit {
		err = errTooLarge
	}
	return content, err
}
