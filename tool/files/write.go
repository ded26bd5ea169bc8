package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/lineclear/lineclear/tool"
)

// Written is what write_file has to say to programs.
type Written struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	New   bool   `json:"new"` // there was no such file before
}

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

// Write is the tool write_file.
func (f *Files) Write() tool.Tool {
	return change(tool.Spec{
		Name:  "write_file",
		Paths: []string{"path"}, Hints: tool.Hints{Destructive: true, Trusted: true},
		Description: "Writes a whole text file, and the directories above it where they are missing. A file of that name is replaced.",
		Schema: tool.JSON(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
    "content": {"type": "string", "description": "the whole new content"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`),
	}, f.write, f.previewWrite)
}

func (f *Files) write(ctx context.Context, call tool.Call, a writeArgs) tool.Result {
	if a.Content == nil {
		return tool.Failed("arguments: content is missing: give the whole content, \"\" for an empty file")
	}
	if len(*a.Content) > f.options.FileLimit {
		return tool.Failed(fmt.Sprintf("%s was not written: %d bytes are more than the %d allowed; write it in parts", a.Path, len(*a.Content), f.options.FileLimit))
	}
	path, err := f.locate(call, a.Path)
	if err != nil {
		return tool.Failed(tool.Words(err))
	}
	release, err := f.alone(ctx)
	if err != nil {
		return f.refused(a.Path, err)
	}
	defer release()
	if err := f.root.MkdirAll(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return f.refused(a.Path, err)
	}
	isNew, err := f.replace(path, []byte(*a.Content))
	if err != nil {
		return f.refused(a.Path, err)
	}
	w := Written{Path: a.Path, Bytes: len(*a.Content), New: isNew}
	if isNew {
		return done(fmt.Sprintf("wrote %d bytes to the new file %s", w.Bytes, w.Path), w)
	}
	return done(fmt.Sprintf("wrote %d bytes to %s, replacing what was there", w.Bytes, w.Path), w)
}

// replace gives a file a new content and reports whether it is new.
func (f *Files) replace(path string, content []byte) (bool, error) {
	info, err := f.root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, f.rename(path, content, 0o644, false)
	}
	if err != nil {
		return false, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		// Renaming over it would turn the link into a file.
		return false, f.inPlace(path, content)
	}
	if err := notRegular(path, info.Mode()); err != nil {
		return false, err
	}
	err = f.rename(path, content, info.Mode().Perm(), true)
	if errors.Is(err, fs.ErrPermission) {
		return false, f.inPlace(path, content) // the file may be writable where its folder is not
	}
	return false, err
}

// rename writes a file of another name and moves it into its place.
func (f *Files) rename(path string, content []byte, mode fs.FileMode, keepMode bool) (err error) {
	temporary := filepath.Join(filepath.Dir(path), ".lineclear-"+rand.Text())
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.root.Remove(temporary))
		}
	}()
	_, err = file.Write(content)
	if err == nil && keepMode {
		err = file.Chmod(mode) // whatever the umask took away
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.root.Rename(temporary, path)
}

// inPlace writes into the file that is there, over links that stay inside.
func (f *Files) inPlace(path string, content []byte) error {
	file, err := f.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		err = notRegular(path, info.Mode())
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.Write(content)
	}
	return errors.Join(err, file.Close())
}
