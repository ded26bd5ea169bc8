package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
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
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "elsewhere"))
	if _, err := client.LocalAt(path); err != nil {
		t.Errorf("by its file: %v", err)
	}
	if _, err := client.LocalAt("access.json"); err == nil {
		t.Error("a path that depends on the folder is taken")
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
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

// Whoever listens where a gateway was that has crashed, perhaps another user of the
// machine, is sent no secret.
func TestNothingIsSentToWhoComesAfterAGatewayThatHasCrashed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	var sent atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	defer other.Close()
	crashed := exec.Command("true")
	if err := crashed.Run(); err != nil {
		t.Fatal(err)
	}
	running := client.Access{URL: other.URL, Token: "secret"}
	if err := running.Write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := client.Local(dir)
	if err != nil {
		t.Fatal(err)
	}
	running.PID = crashed.Process.Pid
	if err := running.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Local(dir); !errors.Is(err, client.ErrNotRunning) {
		t.Errorf("after a restart: %v", err)
	}
	if _, err := c.As("of a person").Me(t.Context()); !errors.Is(err, client.ErrNotRunning) || sent.Load() > 0 {
		t.Errorf("it was sent %d requests, %v", sent.Load(), err)
	}
}
