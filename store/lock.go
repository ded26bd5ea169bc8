package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrLocked is returned by Open for a folder that another process uses.
var ErrLocked = errors.New("store: the data folder is in use by another gateway")

// lockFolder takes the folder for this process. The kernel gives it free when
// the process ends, however it ends.
func lockFolder(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: the data folder can't be written: %w: make it writable, or name another one with --data", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(path) // for the message only
		return nil, errors.Join(fmt.Errorf("%w (process %s): stop that one, or name another folder with --data",
			ErrLocked, strings.TrimSpace(string(holder))), f.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: lock %s: %w", path, err), f.Close())
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(fmt.Errorf("store: lock %s: %w", path, err), f.Close())
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("store: lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
