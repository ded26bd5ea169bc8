package mcp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestAServerInASandboxSeesWhatItsConfigNames(t *testing.T) {
	sandboxtest.New(t, sandbox.Options{})
	root := t.TempDir()
	for _, name := range []string{"work/a.txt", "work/.env", "read/b.txt", "write/c.txt", "else/d.txt", "read/hidden/e.txt"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	c := program(t, "new")
	c.WorkingDirectory = at("work")
	c.Sandbox = &sandbox.Fence{
		Read: []string{filepath.Dir(c.Command[0]), at("read")}, Write: []string{at("write")}, Hide: []string{at("read/hidden")},
	}
	s := newServer(t, c, mcp.Options{})
	for name, want := range map[string]string{
		"work/a.txt":        "read true, write false",
		"work/.env":         "read false, write false",
		"read/b.txt":        "read true, write false",
		"write/c.txt":       "read true, write true",
		"else/d.txt":        "read false, write false",
		"read/hidden/e.txt": "read false, write false",
	} {
		got := run(t, s, "touch", fmt.Sprintf(`{"path":%q}`, at(name))).Text
		if got != want && !(name == "work/.env" && got == "read true, write false") { // hidden by an empty file
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestAServerWhoseSandboxDoesNotWorkIsNotStartedWithoutIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := program(t, "new")
	c.WorkingDirectory = t.TempDir()
	c.Sandbox = &sandbox.Fence{}
	_, err := newServer(t, c, mcp.Options{}).Tools(t.Context(), "s")
	if err == nil || !strings.Contains(err.Error(), "bubblewrap") {
		t.Errorf("it is started: %v", err)
	}
}
