package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store"
)

// forgetHead removes the file, as somebody who may write the folder can.
func forgetHead(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, store.HeadName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// reopened is what opening the folder says.
func reopened(t *testing.T, dir string) error {
	t.Helper()
	s, err := store.Open(dir, keyOf(dir), bus.New(nil))
	if err == nil {
		err = s.Close()
	}
	return err
}

// wrote opens the folder, adds records, and closes it.
func wrote(t *testing.T, dir string, records int) {
	t.Helper()
	_, s, stop := running(t, dir)
	defer stop()
	for range records {
		record(t, s, audit.GatewayStarted)
	}
}

func TestADatabaseThatIsOlderThanWhatWasRecordedIsRefused(t *testing.T) {
	dir := t.TempDir()
	file, head := filepath.Join(dir, store.FileName), filepath.Join(dir, store.HeadName)
	wrote(t, dir, 3)
	older, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wrote(t, dir, 4)
	newer, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	put := func(path string, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(file, older)
	if err := reopened(t, dir); !errors.Is(err, store.ErrBehind) || !strings.Contains(err.Error(), "are missing") || !strings.Contains(err.Error(), head) {
		t.Errorf("an older copy: %v", err)
	}
	put(file, newer)
	for name, text := range map[string]string{
		"the newer one again":              string(written),
		"a file that was cut short":        string(written[:10]),
		"a file of nothing":                "",
		"a file that something else wrote": "x\n",
	} {
		put(head, []byte(text))
		if err := reopened(t, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(head, written)
	another := t.TempDir()
	wrote(t, another, 30)
	foreign, err := os.ReadFile(filepath.Join(another, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	put(file, foreign)
	if err := reopened(t, dir); !errors.Is(err, store.ErrBehind) || !strings.Contains(err.Error(), "another one") {
		t.Errorf("another folder's: %v", err)
	}
	forgetHead(t, dir)
	if err := reopened(t, dir); err != nil {
		t.Errorf("once that is meant: %v", err)
	}
}

func TestAKillBetweenTheCommitAndTheFileLosesNothing(t *testing.T) {
	dir := t.TempDir()
	wrote(t, dir, 2)
	head := filepath.Join(dir, store.HeadName)
	before, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	wrote(t, dir, 2)
	if err := os.WriteFile(head, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := reopened(t, dir); err != nil {
		t.Error(err)
	}
}

// A node that has stood by since before the log was cut has seen a record that is not there any more.
func TestARecordThatWasCutOffIsNotMissed(t *testing.T) {
	dir := t.TempDir()
	_, s, stop := running(t, dir)
	record(t, s, audit.GatewayStarted)
	stop()
	seen, err := os.ReadFile(filepath.Join(dir, store.HeadName))
	if err != nil {
		t.Fatal(err)
	}
	_, s, stop = running(t, dir)
	record(t, s, audit.GatewayStarted)
	record(t, s, audit.GatewayStarted)
	stop()
	change(t, dir, "DELETE FROM audit WHERE seq <= 2")
	if err := os.WriteFile(filepath.Join(dir, store.HeadName), seen, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, stop = running(t, dir)
	stop()
}
