package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/shell"
)

func TestTheSpecSaysHowCommandsRun(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Sandbox{Kind: tool.Unconfined, Network: true}
	if diff := cmp.Diff(want, shell.New(shell.Options{}).Spec().Sandbox); diff != "" {
		t.Errorf("without one (-want +got):\n%s", diff)
	}
	s := sandboxtest.New(t, sandbox.Options{Write: []string{dir}})
	want = tool.Sandbox{Kind: tool.Bubblewrap, Write: []string{dir}}
	if diff := cmp.Diff(want, shell.New(shell.Options{Sandbox: s}).Spec().Sandbox); diff != "" {
		t.Errorf("with one (-want +got):\n%s", diff)
	}
}

func TestACommandInASandboxIsWhatItIsOutside(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LINECLEAR_TEST_SECRET", "hunter2")
	t.Setenv("TMPDIR", dir)
	if err := os.WriteFile(filepath.Join(dir, "x.sh"), []byte("#!/bin/sh\necho script\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := shell.Options{Sandbox: sandboxtest.New(t, sandbox.Options{Write: []string{dir}})}
	for _, tt := range []struct {
		name, args string
		want       shell.Outcome
	}{
		{"a line", `{"command": "pwd; echo bad >&2; exit 3"}`, shell.Outcome{Stdout: dir + "\n", Stderr: "bad\n", ExitCode: 3}},
		{"argv", `{"argv": ["echo", "a  b", "$(id)"]}`, shell.Outcome{Stdout: "a  b $(id)\n"}},
		{"a script", `{"argv": ["./x.sh"]}`, shell.Outcome{Stdout: "script\n"}},
		{"stdin is empty", `{"command": "cat; echo end"}`, shell.Outcome{Stdout: "end\n"}},
		{"a signal is told as a shell tells it", `{"command": "kill -KILL $$"}`, shell.Outcome{ExitCode: 137}},
		{
			"its environment is the short one, with a place for temporary files",
			`{"command": "echo $LINECLEAR_CALL_ID $TMPDIR [$LINECLEAR_TEST_SECRET]; mktemp >/dev/null && echo made"}`,
			shell.Outcome{Stdout: "call-1 /tmp []\nmade\n"},
		},
	} {
		tt.want.End, tt.want.WorkingDirectory = shell.Exited, dir
		if diff := cmp.Diff(tt.want, outcome(t, run(t, o, dir, tt.args)), onlyCommon); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := run(t, o, dir, `{"argv": ["no-such-program"]}`); !got.IsError || !strings.Contains(got.Text, "no such program in PATH") {
		t.Errorf("a program that does not exist: %+v", got)
	}
}

func TestWhatTheSandboxCanNotHoldDoesNotRun(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	o := shell.Options{Sandbox: sandboxtest.New(t, sandbox.Options{Write: []string{dir}})}
	if got := run(t, o, elsewhere, `{"command": "touch ran"}`); !got.IsError || !strings.Contains(got.Text, "may write to") {
		t.Errorf("in another folder: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "ran")); err == nil {
		t.Error("it ran")
	}
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := run(t, o, dir, `{"command": "touch ran"}`); !got.IsError || !strings.Contains(got.Text, "not the one that it was") {
		t.Errorf("in a folder that took its place: %+v", got)
	}
}
