package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lineclear/lineclear/tool"
)

// locate turns a path as a model gives it into one below the root. A relative
// path starts at the call's working directory, since that is what the person
// who cleared the call was shown.
func (f *Files) locate(call tool.Call, path string) (string, error) {
	base := "."
	if call.WorkingDirectory != "" {
		below, ok := f.below(call.WorkingDirectory)
		if !ok {
			return "", fmt.Errorf("the call's working directory %s is outside of %s, and files there can't be touched", call.WorkingDirectory, f.names[0])
		}
		base = below
	}
	if filepath.IsAbs(path) {
		below, ok := f.below(path)
		if !ok {
			return "", f.outside(path)
		}
		return below, nil
	}
	joined := filepath.Join(base, path)
	if !filepath.IsLocal(joined) {
		return "", f.outside(path)
	}
	return joined, nil
}

// below makes an absolute path relative to the root, if it is within.
func (f *Files) below(path string) (string, bool) {
	for _, name := range f.names {
		if rel, err := filepath.Rel(name, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

func (f *Files) outside(path string) error {
	return fmt.Errorf("%s is outside of %s: use a path below it", path, f.names[0])
}

// refused words an error for the model: the path, what is wrong, what would do.
func (f *Files) refused(path string, err error) tool.Result {
	var why string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "does not exist: list_files shows what is there"
	case errors.Is(err, fs.ErrPermission):
		why = "is not accessible: the gateway's user lacks the permission"
	case errors.Is(err, syscall.EISDIR):
		why = "is a directory: use list_files for it, or name a file"
	case errors.Is(err, syscall.ENOTDIR):
		why = "can't be: a part of it is a file, not a directory"
	case errors.Is(err, syscall.ENAMETOOLONG):
		why = "is too long a name: use a shorter one"
	case escapes(err):
		return tool.Failed(fmt.Sprintf("%s leads outside of %s (over a symbolic link): use a path that stays below it", path, f.names[0]))
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return tool.Failed("cancelled before " + path + " was done")
	default:
		var number syscall.Errno
		if errors.As(err, &number) {
			err = number // what is around it may name a temporary file
		}
		why = "can't be used: " + tool.Words(err)
	}
	return tool.Failed(path + " " + why)
}

// escapes reports whether os.Root refused a path. The error has no name to
// compare with, only these words.
func escapes(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }

// notRegular says what a thing is that has no content to read or replace.
func notRegular(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return syscall.EISDIR
	default:
		return fmt.Errorf("%s is a device, pipe or socket, not a file", path)
	}
}
