package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/store"
)

// backedUp is a backup of a folder while it is written to.
func backedUp(t *testing.T) (whole []byte, records int64) {
	t.Helper()
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	defer stop()
	if _, err := s.PushKey(); err != nil {
		t.Fatal(err)
	}
	login := filepath.Join(dir, store.LoginsName, "bank.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(login), 0o700), os.WriteFile(login, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	record(t, s, audit.GatewayStarted)
	over := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				record(t, s, audit.GatewayStarted)
			}
		}
	})
	var out bytes.Buffer
	h, err := store.Backup(t.Context(), dir, keyOf(dir), &out)
	close(over)
	writing.Wait()
	if err != nil || len(h.Faults) > 0 || h.AuditRecords == 0 {
		t.Fatalf("the backup has %+v, %v", h, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".backup-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	return out.Bytes(), h.AuditRecords
}

func TestABackupOfARunningGatewayIsRestoredWhole(t *testing.T) {
	whole, records := backedUp(t)
	dir := filepath.Join(t.TempDir(), "new")
	h, err := store.Restore(t.Context(), bytes.NewReader(whole), dir, keyOf(dir))
	if err != nil || len(h.Faults) > 0 || h.AuditRecords != records {
		t.Fatalf("restored is %+v, %v", h, err)
	}
	for _, name := range []string{store.PushKeyName, filepath.Join(store.LoginsName, "bank.json")} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, s, stop := running(t, dir) // it goes on from there
	defer stop()
	record(t, s, audit.GatewayStarted)
	if h, err := s.Examine(t.Context()); err != nil || len(h.Faults) > 0 || h.AuditRecords <= records {
		t.Errorf("it goes on with %+v, %v", h, err)
	}
}

func TestARestoreReplacesNothing(t *testing.T) {
	whole, _ := backedUp(t)
	dir := t.TempDir()
	wrote(t, dir, 1)
	before, err := os.ReadFile(keyOf(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{dir, filepath.Join(t.TempDir(), "new")} {
		if _, err := store.Restore(t.Context(), bytes.NewReader(whole), to, keyOf(dir)); err == nil || !strings.Contains(err.Error(), "is there already") {
			t.Errorf("into %s: %v", to, err)
		}
	}
	if after, err := os.ReadFile(keyOf(dir)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key is another one: %v", err)
	}
}

// packed is a backup with other files.
func packed(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, name := range names {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWhatIsNoWholeBackupRestoresNothing(t *testing.T) {
	whole, _ := backedUp(t)
	bad := map[string][]byte{
		"nothing":            nil,
		"no archive":         []byte("a text"),
		"a file outside":     packed(t, "../lineclear.db", "audit.pem"),
		"a hidden file":      packed(t, "logins/../../x.json", "audit.pem", "lineclear.db"),
		"a file twice":       packed(t, "lineclear.db", "lineclear.db", "audit.pem"),
		"no database":        packed(t, "audit.pem"),
		"a damaged database": packed(t, "lineclear.db", "audit.pem"),
	}
	for part := range 20 {
		bad["cut off after "+string(rune('a'+part))] = whole[:len(whole)*part/20]
	}
	for name, raw := range bad {
		dir := filepath.Join(t.TempDir(), "new")
		h, err := store.Restore(t.Context(), bytes.NewReader(raw), dir, keyOf(dir))
		if err == nil && len(h.Faults) == 0 {
			t.Errorf("%s is restored", name)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
		if _, err := os.Stat(keyOf(dir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s leaves a key: %v", name, err)
		}
	}
}

func TestADatabaseOfANewerVersionIsRefusedAndLeftAsItIs(t *testing.T) {
	dir := t.TempDir()
	_, _, stop := running(t, dir)
	stop()
	change(t, dir, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	if err := reopened(t, dir); !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "schema 9999") || strings.Contains(err.Error(), "disk") {
		t.Errorf("it says %v", err)
	}
	change(t, dir, "DELETE FROM goose_db_version WHERE version_id = 9999")
	if err := reopened(t, dir); err != nil {
		t.Errorf("as it was, it says %v", err)
	}
}

func TestACopyIsKeptBeforeADatabaseIsBroughtUpToDate(t *testing.T) {
	dir := asBefore(t)
	wrote(t, dir, 1)
	kept := filepath.Join(dir, "lineclear-schema-2.db")
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy: %v", err)
	}
	old := t.TempDir()
	if err := os.Rename(kept, filepath.Join(old, store.FileName)); err != nil {
		t.Fatal(err)
	}
	l, err := store.OpenAuditLog(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if r, err := audit.Verify(l.Records(t.Context(), time.Time{})); err != nil || r.Records != 2 {
		t.Errorf("the copy has %d records, %v", r.Records, err)
	}
	wrote(t, dir, 1)
	if copies, _ := filepath.Glob(filepath.Join(dir, "lineclear-schema-*")); len(copies) > 0 {
		t.Errorf("a start that changes nothing keeps %v", copies)
	}
}
