package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Disk is how much the database takes up and how much is free, in bytes.
type Disk struct {
	Database int64
	Log      int64 // the write-ahead log
	Free     int64 // on the data folder's file system, for the gateway's user
}

// Disk measures the data folder.
func (s *Store) Disk() (d Disk, err error) {
	if s.others != nil {
		d.Database, err = s.others.Size(context.Background())
	} else {
		d.Database, d.Log, err = fileSizes(s.dir())
	}
	if err != nil {
		return d, err
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(s.dir(), &fs); err != nil {
		return d, fmt.Errorf("store: disk: %w", err)
	}
	d.Free = int64(uint64(fs.Bavail) * uint64(fs.Bsize)) // their types differ between systems
	return d, nil
}

func fileSizes(dir string) (database, log int64, err error) {
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil {
		return 0, 0, fmt.Errorf("store: size: %w", err)
	}
	beside, err := os.Stat(filepath.Join(dir, FileName+"-wal"))
	switch {
	case err == nil:
		log = beside.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return 0, 0, fmt.Errorf("store: size: %w", err)
	}
	return info.Size(), log, nil
}
