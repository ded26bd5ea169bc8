package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/client"
)

func TestTheAccessIsForItsOwnerAndItsDataFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	data, link := filepath.Join(dir, "data"), filepath.Join(dir, "link")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Local(data); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("before: %v", err)
	}
	if err := (client.Access{URL: "http://127.0.0.1:1", Token: "secret"}).Write(data); err != nil {
		t.Fatal(err)
	}
	path, err := client.AccessFile(link)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if _, err := client.Local(link); err != nil {
		t.Errorf("by another name of the folder: %v", err)
	}
	if _, err := client.Local(filepath.Join(dir, "other")); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("of another folder: %v", err)
	}
	if err := errors.Join(client.Forget(data), client.Forget(data)); err != nil {
		t.Error(err)
	}
	if _, err := client.Local(data); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("afterwards: %v", err)
	}
}
