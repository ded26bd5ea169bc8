package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/lineclear/lineclear/tool"
)

// Content is what read_file has to say to programs.
type Content struct {
	Path       string `json:"path"`
	Size       int64  `json:"size"` // of the whole file, in bytes
	Content    string `json:"content,omitempty"`
	Binary     string `json:"binary,omitempty"`    // the kind of a file that is not text, such as image/png
	Offset     int    `json:"offset,omitzero"`     // number of the first line in Content
	NextOffset int    `json:"nextOffset,omitzero"` // where to read on; 0 when the end was reached
	Truncated  bool   `json:"truncated,omitzero"`  // bytes of the last line are missing
}

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// Read is the tool read_file.
func (f *Files) Read() tool.Tool {
	return act(tool.Spec{
		Name:  "read_file",
		Paths: []string{"path"}, Hints: tool.Hints{ReadOnly: true, Trusted: true},
		Description: fmt.Sprintf("Reads a text file, at most %d bytes at once; what is left out is marked, with the offset to read on from. "+
			"Binary files are described.", f.options.ReadLimit),
		Schema: tool.JSON(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
    "offset": {"type": "integer", "minimum": 1, "description": "number of the first line to read; 1 when left out"},
    "limit": {"type": "integer", "minimum": 1, "description": "how many lines to read; all when left out"}
  },
  "required": ["path"],
  "additionalProperties": false
}`),
	}, f.read)
}

func (f *Files) read(ctx context.Context, call tool.Call, a readArgs) tool.Result {
	path, err := f.locate(call, a.Path)
	if err != nil {
		return tool.Failed(tool.Words(err))
	}
	file, info, err := f.open(path)
	if err != nil {
		return f.refused(a.Path, err)
	}
	defer func() { _ = file.Close() }() // it was only read from
	reader := bufio.NewReaderSize(file, sniffed)
	c := Content{Path: a.Path, Size: info.Size(), Offset: max(1, a.Offset)}
	start, err := reader.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return f.refused(a.Path, err)
	}
	if bytes.IndexByte(start, 0) >= 0 {
		c.Binary, c.Offset = http.DetectContentType(start), 0
		return done(fmt.Sprintf("%s is a binary file (%s, %d bytes); its content is not shown", a.Path, c.Binary, c.Size), c)
	}
	text, err := c.fill(ctx, reader, a.Limit, f.options.ReadLimit)
	if err != nil {
		return f.refused(a.Path, err)
	}
	return done(text, c)
}

// sniffed is how much of a file decides whether it is text.
const sniffed = 8 << 10

// open opens a regular file to read. O_NONBLOCK keeps a named pipe that
// nobody writes to from blocking the call for ever.
func (f *Files) open(path string) (*os.File, fs.FileInfo, error) {
	file, err := f.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = notRegular(path, info.Mode())
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// fill reads the wanted lines, up to limit bytes, and returns them with a mark
// where something is missing.
func (c *Content) fill(ctx context.Context, r *bufio.Reader, lines, limit int) (string, error) {
	var kept []byte
	lineStart := 0 // where in kept the current line begins
	for number := 1; ; {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		// A piece is a line, or a part of one that is longer than the buffer.
		piece, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return "", err
		}
		if number >= c.Offset && len(piece) > 0 {
			if lines > 0 && number-c.Offset >= lines {
				c.NextOffset = number
				return c.text(kept), nil
			}
			kept = append(kept, piece...)
			if len(kept) > limit {
				return c.text(c.cut(kept, lineStart, limit, number)), nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return c.text(kept), nil
		case err == nil:
			number++
			lineStart = len(kept)
		}
	}
}

// cut leaves out the line that is too much and notes where to read on. A line
// that alone is too long is cut itself, so that reading on never stands still.
func (c *Content) cut(kept []byte, lineStart, limit, number int) []byte {
	if lineStart > 0 {
		c.NextOffset = number
		return kept[:lineStart]
	}
	c.Truncated, c.NextOffset = true, number+1
	end := limit
	for end > 0 && limit-end < utf8.UTFMax && !utf8.RuneStart(kept[end]) {
		end-- // not through a character
	}
	return kept[:end]
}

// text is the content as a model reads it.
func (c *Content) text(kept []byte) string {
	c.Content = strings.ToValidUTF8(string(kept), "\uFFFD")
	var notes []string
	if !utf8.Valid(kept) {
		notes = append(notes, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	if c.Truncated {
		notes = append(notes, fmt.Sprintf("the rest of line %d is left out", c.NextOffset-1))
	}
	if c.NextOffset > 0 {
		notes = append(notes, fmt.Sprintf("the file has %d bytes; read on with offset %d", c.Size, c.NextOffset))
	}
	switch {
	case len(notes) > 0:
		return strings.TrimSuffix(c.Content, "\n") + "\n[… " + strings.Join(notes, "; ") + " …]"
	case c.Content == "" && c.Offset > 1:
		return fmt.Sprintf("[%s has fewer than %d lines]", c.Path, c.Offset)
	case c.Content == "":
		return fmt.Sprintf("[%s is empty]", c.Path)
	default:
		return c.Content
	}
}
