package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives a file a text in one step: whoever reads it, also after a crash, has the old text or
// the new one. Folders that are missing are made for their owner alone.
func Write(path string, text []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(dir, ".part-*") // for its owner alone
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err = errors.Join(err, part.Chmod(mode), part.Sync(), part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return SyncFolder(dir)
}

// SyncFolder makes what a folder contains outlast a crash.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
