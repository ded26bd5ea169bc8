package shell_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/shell"
)

func TestACommandIsBoundToTheScriptsThatItRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(content string) {
		for _, name := range []string{"x.sh", "sub/y.sh"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	hash := func(args string) string {
		p, err := shell.New(shell.Options{}).Preview(t.Context(), tool.Call{Args: tool.JSON(args), WorkingDirectory: dir})
		if err != nil {
			t.Fatal(err)
		}
		return p.FileHash
	}
	write("echo one")
	lines := []string{"bash x.sh", "./x.sh -v", "cd . && sh ./x.sh | wc", "sudo bash x.sh", dir + "/x.sh", ". x.sh", "cd sub && ./y.sh", "env -C sub bash y.sh", "cat x.sh | bash", "bash < x.sh"}
	before := map[string]string{}
	for _, line := range lines {
		args := `{"command":` + strconv.Quote(line) + `}`
		if before[args] = hash(args); before[args] == "" {
			t.Errorf("%s is bound to nothing", line)
		}
	}
	argv := `{"argv":["./x.sh"]}`
	before[argv] = hash(argv)
	write("echo two")
	for args, was := range before {
		if hash(args) == was {
			t.Errorf("%s is bound to nothing that has changed", args)
		}
	}
	for _, args := range []string{`{"command":"ls x.sh"}`, `{"command":"bash nothing.sh"}`, `{"command":"echo"}`, `{}`, `{"argv":["ls"]}`} {
		if got := hash(args); got != "" {
			t.Errorf("%s is bound to %s", args, got)
		}
	}
}
