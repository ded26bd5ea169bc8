package shell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/tool/shell"
)

func TestGitIgnoresABareRepositoryInsideAProject(t *testing.T) {
	dir := t.TempDir()
	bare := filepath.Join(dir, "fixture")
	if out, err := exec.Command("git", "init", "-q", "--bare", bare).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	config := "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch " + filepath.Join(dir, "ran") + "; false\"\n\trepositoryformatversion = 0\n"
	if err := os.WriteFile(filepath.Join(bare, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, shell.Options{}, bare, `{"command": "git status"}`)
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran a program from the repository's configuration")
	}
}
