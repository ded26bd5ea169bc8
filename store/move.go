package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Move moves the data folder of a stopped gateway and the key of its audit log. The targets must not
// exist. Either both are moved or neither.
func Move(from, to, fromKey, toKey string) error {
	if _, err := os.Stat(filepath.Join(from, FileName)); err != nil {
		return fmt.Errorf("there is no gateway's data in %s: %w", from, err)
	}
	for _, place := range []string{to, toKey} {
		if _, err := os.Lstat(place); !errors.Is(err, fs.ErrNotExist) && (place != toKey || fromKey != toKey) {
			return fmt.Errorf("there is something at %s already: name another place", place)
		}
	}
	lock, err := lockFolder(from)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	for _, place := range []string{to, toKey} {
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	if err := rename(from, to); err != nil {
		return err
	}
	if _, err := os.Stat(fromKey); err != nil || fromKey == toKey {
		return nil // there is no key yet, or it stays where it is
	}
	if err := rename(fromKey, toKey); err != nil {
		return errors.Join(err, os.Rename(to, from))
	}
	return nil
}

func rename(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, syscall.EXDEV) {
		return fmt.Errorf("%s is on another disk than %s: copy it there with cp -a, start the gateway with the copy, and delete it then", from, to)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
