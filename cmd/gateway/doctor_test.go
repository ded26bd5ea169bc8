package main

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lineclear/lineclear/store"
)

func doctor(dir string) (string, error) {
	c := exec.Command("gateway", "doctor", "--data", filepath.Join(dir, "data"))
	c.Env = (&process{dir: dir}).environment()
	out, err := c.CombinedOutput()
	return string(out), err
}

func TestTheDoctorFindsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	p := launch(t, dir)
	p.ask(p.tab(), "uname -a")
	if out, err := doctor(dir); err != nil || !strings.Contains(out, "only the database file and its") || !strings.Contains(out, "All is well.") {
		t.Errorf("while it runs: %s (%v)", out, err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if out, err := doctor(dir); err != nil || !strings.Contains(out, "1 approvals of which 1 wait") || !strings.Contains(out, "All is well.") {
		t.Errorf("it said %s (%v)", out, err)
	}
	for _, c := range []struct{ name, change, says string }{
		{"a changed record", "UPDATE audit SET subject = 'eve' WHERE seq = 2", "record 2 was changed"},
		{"a removed event", "DELETE FROM events WHERE seq = 2", "event 2 is missing"},
		{"an answer without its event", "UPDATE approvals SET status = 'denied', run = 'void', response = '{\"status\":\"denied\"}'", "still waits for it"},
		{"a request that waits and is not listed", "DELETE FROM waiting", "shows 0 requests that wait, but its journal has 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hurt := t.TempDir()
			if err := os.CopyFS(hurt, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			moveKey(t, dir, hurt)
			harm(t, filepath.Join(hurt, "data"), c.change)
			if out, err := doctor(hurt); err == nil || !strings.Contains(out, "FAULT: ") || !strings.Contains(out, c.says) {
				t.Errorf("it said %s (%v)", out, err)
			}
		})
	}
}

// moveKey gives a copy of a gateway's folders the key under the name that belongs to
// where its data is now.
func moveKey(t *testing.T, from, to string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(to, "config"))
	var files []string
	for _, dir := range []string{from, to} {
		file, err := store.KeyFile(filepath.Join(dir, "data"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if err := errors.Join(os.Chmod(filepath.Dir(files[0]), 0o700), os.Chmod(files[0], 0o600), os.Rename(files[0], files[1])); err != nil {
		t.Fatal(err)
	}
}

// harm changes a database behind the gateway's back.
func harm(t *testing.T, dir, change string) {
	t.Helper()
	for _, name := range []string{"", store.FileName, store.HeadName, store.PushKeyName, "lock"} { // copied, others could read it
		if err := os.Chmod(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(change); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestADatabaseThatIsNoneIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", store.FileName), []byte(strings.Repeat("no database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := doctor(dir)
	if err == nil || !strings.Contains(out, "not a database") || !strings.Contains(out, "restore it from a backup") {
		t.Errorf("it said %s (%v)", out, err)
	}
	if out, err := doctor(t.TempDir()); err == nil || !strings.Contains(out, "no gateway's data") {
		t.Errorf("of an empty folder it said %s (%v)", out, err)
	}
}

func TestADamagedDatabaseIsToldOfWhileTheGatewayRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	p.ask(p.tab(), "uname -a")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	change := "UPDATE audit SET subject = 'eve' WHERE seq = 2" // which no read of the gateway's trips over
	harm(t, filepath.Join(dir, "data"), change)
	p = launch(t, dir)
	for deadline := time.Now().Add(patience); ; {
		response, err := browser.Get(p.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err == nil && response.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "database") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is ready: %s (%v)", body, err)
		}
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.stderr.String(), "record 2 was changed") {
		t.Errorf("the log says %s", p.stderr)
	}
}
