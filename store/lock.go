package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrLocked is returned by Open for a folder that another process uses.
var ErrLocked = errors.New("store: the data folder is in use by another gateway")

// ErrExposed is returned by Open for data that other users can read or change.
var ErrExposed = errors.New("store: the data is open to other users")

// Check returns the errors that Open would return for a data folder and its key file. It works beside a running
// gateway, and creates nothing.
func Check(dir, keyFile string) error {
	_, err := readKey(keyFile)
	if errors.Is(err, ErrNoKey) {
		err = nil // Open moves an older key there; else one is made when it is first needed
	}
	err = errors.Join(err, checkKeyMode(keyFile))
	if _, missing := os.Stat(dir); !errors.Is(missing, fs.ErrNotExist) {
		return errors.Join(err, private(dir))
	}
	parent := filepath.Dir(dir)
	for _, missing := os.Stat(parent); errors.Is(missing, fs.ErrNotExist); _, missing = os.Stat(parent) {
		parent = filepath.Dir(parent)
	}
	if denied := unix.Access(parent, unix.W_OK|unix.X_OK); denied != nil {
		err = errors.Join(err, fmt.Errorf("store: data folder: %s can't be made in %s: %w: name another one with --data", dir, parent, denied))
	}
	return err
}

// private refuses a folder that other users can write to, and files in it that they can read or change.
func private(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("store: data folder: %w", err)
	}
	errs := []error{checkMode(dir, 0o022)}
	for _, e := range entries {
		if e.Type().IsRegular() {
			errs = append(errs, checkMode(filepath.Join(dir, e.Name()), 0o077))
		}
	}
	return errors.Join(errs...)
}

// checkKeyMode refuses a signing key that other users can read or replace.
func checkKeyMode(file string) error {
	return errors.Join(checkMode(filepath.Dir(file), 0o022), checkMode(file, 0o077))
}

// checkMode refuses an existing file with one of the forbidden mode bits.
func checkMode(path string, forbidden fs.FileMode) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Errorf("%w: %s has the mode %#o: chmod go-rwx %s", ErrExposed, path, mode, path)
	}
	return nil
}

// lockFolder locks the folder for this process. The kernel releases the lock when the process ends, however it ends.
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
