package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lineclear/lineclear/internal/paths"
)

// auditKeyName is the audit log's key in a backup.
const auditKeyName = "audit.pem"

// ErrBackup is returned by Restore for input that is no backup, or a damaged one.
var ErrBackup = errors.New("store: this is no whole backup")

// Backup writes a data folder and the key of its audit log to out, as a gzipped tar. It copies the folder as it is at
// one moment, also while a gateway runs on it, and examines the copy first: if the Health has Faults, nothing is
// written.
func Backup(ctx context.Context, dir, keyFile string, out io.Writer) (h Health, err error) {
	db, err := openBeside(dir) // fails if there is no data
	if err != nil {
		return h, err
	}
	part, err := os.MkdirTemp(dir, ".backup-") // only its owner can read it
	if err != nil {
		return h, errors.Join(fmt.Errorf("store: backup: %w", err), db.Close())
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	err = db.Snapshot(ctx, filepath.Join(part, FileName))
	if err = errors.Join(err, db.Close()); err != nil {
		return h, fmt.Errorf("store: backup: %w", err)
	}
	files := map[string]string{auditKeyName: keyFile, PushKeyName: filepath.Join(dir, PushKeyName)}
	logins, err := filepath.Glob(filepath.Join(dir, LoginsName, "*.json"))
	if err != nil {
		return h, fmt.Errorf("store: backup: %w", err)
	}
	for _, file := range logins {
		files[path.Join(LoginsName, filepath.Base(file))] = file
	}
	for name, file := range files {
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) { // InspectBeside reports a missing audit key
			continue
		}
		if err != nil {
			return h, fmt.Errorf("store: backup: %w", err)
		}
		if err := paths.Write(filepath.Join(part, name), raw, 0o600); err != nil {
			return h, fmt.Errorf("store: backup: %w", err)
		}
	}
	if h, err = InspectBeside(ctx, part, filepath.Join(part, auditKeyName)); err != nil || len(h.Faults) > 0 {
		return h, err
	}
	zip := gzip.NewWriter(out)
	archive := tar.NewWriter(zip)
	if err := errors.Join(archive.AddFS(os.DirFS(part)), archive.Close(), zip.Close()); err != nil {
		return h, fmt.Errorf("store: backup: %w", err)
	}
	return h, nil
}

// Restore puts a backup into a folder without data, and the key of its audit log into keyFile, which must not exist.
// It examines the backup first: if the Health has Faults, nothing is restored.
func Restore(ctx context.Context, in io.Reader, dir, keyFile string) (h Health, err error) {
	for _, file := range []string{filepath.Join(dir, FileName), keyFile} {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return h, fmt.Errorf("store: %s is there already: move it away first, or name another place", file)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return h, fmt.Errorf("store: restore: %w", err)
	}
	part, err := os.MkdirTemp(dir, ".restore-")
	if err != nil {
		return h, fmt.Errorf("store: restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	names, err := unpack(in, part)
	if err != nil {
		return h, err
	}
	key := filepath.Join(part, auditKeyName)
	if h, err = InspectBeside(ctx, part, key); err != nil || len(h.Faults) > 0 {
		return h, err
	}
	raw, err := os.ReadFile(key)
	if err == nil {
		err = paths.Write(keyFile, raw, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing has been signed yet
		return h, fmt.Errorf("store: restore: %w", err)
	}
	for _, name := range append(names, FileName) { // the database last: with it the folder counts as one with data
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return h, fmt.Errorf("store: restore: %w", err)
		}
		if err := os.Rename(filepath.Join(part, name), filepath.Join(dir, name)); err != nil {
			return h, fmt.Errorf("store: restore: %w", err)
		}
	}
	return h, paths.SyncFolder(dir)
}

// unpack writes the files of a backup into a folder, and returns the names of all but the database and the audit
// log's key.
func unpack(in io.Reader, dir string) (names []string, err error) {
	zip, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	found := map[string]bool{}
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBackup, err)
		}
		name := head.Name
		login := path.Dir(name) == LoginsName && strings.HasSuffix(name, ".json")
		switch {
		case head.Typeflag == tar.TypeDir && strings.TrimSuffix(name, "/") == LoginsName:
			continue
		case head.Typeflag != tar.TypeReg || found[name] || !login && name != FileName && name != auditKeyName && name != PushKeyName:
			return nil, fmt.Errorf("%w: it has the file %q", ErrBackup, name)
		case login || name == PushKeyName:
			names = append(names, name)
		}
		found[name] = true
		if err := extract(archive, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if !found[FileName] {
		return nil, fmt.Errorf("%w: it has no database", ErrBackup)
	}
	return names, nil
}

func extract(in io.Reader, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("store: restore: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store: restore: %w", err)
	}
	if _, err := io.Copy(f, in); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrBackup, err), f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}
