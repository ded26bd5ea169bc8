package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/internal/sandbox/sandboxtest"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/shell"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ tool.Tool = (*shell.Tool)(nil)

// onlyCommon leaves out of a comparison what the tool adds for itself.
var onlyCommon = cmpopts.IgnoreUnexported(shell.Outcome{})

func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("LINECLEAR_TEST_SECRET", "hunter2")
	t.Setenv("LANG", "C.UTF-8")
	tests := []struct {
		name, args string
		want       shell.Outcome
		text       string
		isError    bool
	}{
		{
			name: "a command line goes to the shell",
			args: `{"command": "echo one && echo two | tr a-z A-Z"}`,
			want: shell.Outcome{Stdout: "one\nTWO\n"},
			text: "one\nTWO\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "argv is run without a shell, so its characters mean nothing",
			args: `{"argv": ["echo", "a  b", "$(id)", "; ls"]}`,
			want: shell.Outcome{Stdout: "a  b $(id) ; ls\n"},
			text: "a  b $(id) ; ls\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "stderr stands apart from stdout, and a failure is an error",
			args: `{"command": "echo fine; echo bad >&2; exit 3"}`,
			want: shell.Outcome{Stdout: "fine\n", Stderr: "bad\n", ExitCode: 3},
			text: "fine\nstderr:\nbad\nexit code: 3\nworking directory: " + dir, isError: true,
		},
		{
			name: "silence is said",
			args: `{"command": "true"}`,
			text: "(no output)\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "stdin is empty",
			args: `{"command": "cat; echo end"}`,
			want: shell.Outcome{Stdout: "end\n"},
			text: "end\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "it runs in the call's working directory",
			args: `{"command": "pwd; echo $PWD"}`,
			want: shell.Outcome{Stdout: dir + "\n" + dir + "\n"},
			text: dir + "\n" + dir + "\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "the call's id and the listed variables are there, the gateway's others are not",
			args: `{"command": "echo $LINECLEAR_CALL_ID $LANG [$LINECLEAR_TEST_SECRET]"}`,
			want: shell.Outcome{Stdout: "call-1 C.UTF-8 []\n"},
			text: "call-1 C.UTF-8 []\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "bytes that are not UTF-8 are replaced",
			args: `{"command": "printf 'a\\377b'"}`,
			want: shell.Outcome{Stdout: "a\uFFFDb"},
			text: "a\uFFFDb\nexit code: 0\nworking directory: " + dir,
		},
		{
			name: "a signal from elsewhere counts as a shell counts it",
			args: `{"command": "kill -KILL $$"}`,
			want: shell.Outcome{ExitCode: 137, Signal: "killed"},
			text: "(no output)\nexit code: 137 (signal: killed)\nworking directory: " + dir, isError: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := run(t, shell.Options{}, dir, tt.args)
			tt.want.End, tt.want.WorkingDirectory = shell.Exited, dir
			if diff := cmp.Diff(tt.want, outcome(t, result), onlyCommon); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.text, result.Text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if result.IsError != tt.isError {
				t.Errorf("IsError = %t, want %t", result.IsError, tt.isError)
			}
		})
	}
}

func TestWhatCanNotRunSaysWhy(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	tests := []struct{ name, dir, args, want string }{
		{"nothing to run", dir, `{}`, "nothing to run"},
		{"an empty command", dir, `{"command": ""}`, "nothing to run"},
		{"an empty program", dir, `{"argv": [""]}`, "nothing to run"},
		{"both ways at once", dir, `{"command": "ls", "argv": ["ls"]}`, "not both"},
		{"an argument that does not exist", dir, `{"cmd": "ls"}`, "cmd: unknown name"},
		{"a negative timeout", dir, `{"command": "ls", "timeoutSeconds": -1}`, "want 1 or more"},
		{"a program that does not exist", dir, `{"argv": ["no-such-program"]}`, "no such program in PATH"},
		{"a directory that does not exist", missing, `{"command": "ls"}`, missing},
		{"no directory", "", `{"command": "ls"}`, "no working directory"},
		{"a NUL in an argument", dir, `{"argv": ["echo", "a\u0000b"]}`, "was not started"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := run(t, shell.Options{}, tt.dir, tt.args)
			if !result.IsError || !strings.Contains(result.Text, tt.want) {
				t.Errorf("got %+v, want an error with %q", result, tt.want)
			}
		})
	}
}

func TestOutputKeepsHeadAndTailAndCountsWhatIsMissing(t *testing.T) {
	tests := []struct {
		name    string
		limit   int
		command string
		want    string
		omitted int64
	}{
		{"just what fits is kept whole", 10, `printf 0123456789`, "0123456789", 0},
		{"one byte more costs that byte", 10, `printf 0123456789x`, "01234\n[… 1 bytes left out …]\n6789x", 1},
		{"a flood is counted", 8, `head -c 1000000 /dev/zero | tr '\0' x`, "xxxx\n[… 999992 bytes left out …]\nxxxx", 999992},
		{"many small writes keep the last ones", 8, `for i in 1 2 3 4 5 6 7 8 9; do printf "$i$i$i"; done`, "1112\n[… 19 bytes left out …]\n8999", 19},
		{"a character that the cut goes through is left out whole", 8, `printf 'abc\303\244defghij\303\244xyz'`, "abc\n[… 11 bytes left out …]\nxyz", 11},
		{"also one that is longer than what is kept", 6, `printf '\360\237\230\200\360\237\230\200\360\237\230\200'`, "\n[… 12 bytes left out …]\n", 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"command": tt.command})
			if err != nil {
				t.Fatal(err)
			}
			got := outcome(t, run(t, shell.Options{OutputLimit: tt.limit}, t.TempDir(), string(args)))
			if diff := cmp.Diff(tt.want, got.Stdout); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if got.StdoutOmitted != tt.omitted || got.Truncated != (tt.omitted > 0) {
				t.Errorf("omitted %d, truncated %t; want %d", got.StdoutOmitted, got.Truncated, tt.omitted)
			}
		})
	}
}

func TestOnlyListedVariablesAreInherited(t *testing.T) {
	t.Setenv("LINECLEAR_TEST_EXTRA", "here")
	o := shell.Options{Env: []string{"LINECLEAR_TEST_EXTRA", "PATH", "LINECLEAR_CALL_ID"}}
	got := outcome(t, run(t, o, t.TempDir(), `{"command": "env | cut -d= -f1 | sort | tr '\\n' ' '"}`))
	want := "GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 LINECLEAR_CALL_ID LINECLEAR_TEST_EXTRA PATH PWD "
	// A shell adds its own SHLVL, OLDPWD and _ in some systems.
	var kept []string
	for _, name := range strings.Fields(got.Stdout) {
		if name != "_" && name != "SHLVL" && name != "OLDPWD" {
			kept = append(kept, name)
		}
	}
	if diff := cmp.Diff(want, strings.Join(kept, " ")+" "); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestACommandKnowsOfWhichTraceItIsPart(t *testing.T) {
	const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	t.Setenv("TRACEPARENT", "of the gateway itself")
	for _, want := range []string{given, ""} {
		r, err := shell.New(shell.Options{}).Run(t.Context(), tool.Call{ID: "c", Args: tool.JSON(`{"command":"echo [$TRACEPARENT]"}`), WorkingDirectory: t.TempDir(), Traceparent: want})
		if err != nil || outcome(t, r).Stdout != "["+want+"]\n" {
			t.Errorf("it reads %+v, %v", r, err)
		}
	}
	dir := t.TempDir()
	sandboxtest.New(t, sandbox.Options{Write: []string{dir}}) // or there is none here
	fenced := tool.Call{ID: "c", Args: tool.JSON(`{"command":"echo [$TRACEPARENT]","sandbox":{}}`), WorkingDirectory: dir, Traceparent: given}
	if r, err := shell.New(shell.Options{Fences: &sandbox.Fence{}}).Run(t.Context(), fenced); err != nil || outcome(t, r).Stdout != "["+given+"]\n" {
		t.Errorf("in a sandbox of its own it reads %+v, %v", r, err)
	}
}

// A command that has the gateway's terminal could type into it what runs after it.
func TestACommandHasNoTerminal(t *testing.T) {
	if got := outcome(t, run(t, shell.Options{}, t.TempDir(), `{"command": "echo $$ $(cut -d' ' -f6 /proc/$$/stat)"}`)); !alike(got.Stdout) {
		t.Errorf("its number and its session are %s", got.Stdout)
	}
}

// alike reports whether all words of a text are the same.
func alike(text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && len(slices.Compact(words)) == 1
}

func TestACommandMayAskForLessTimeNeverForMore(t *testing.T) {
	result := run(t, shell.Options{Timeout: 30 * time.Millisecond}, t.TempDir(), `{"command": "sleep 300", "timeoutSeconds": 200}`)
	if !strings.Contains(result.Text, "killed after 30ms") {
		t.Errorf("got %q, want it killed after the tool's own limit", result.Text)
	}
	result = run(t, shell.Options{}, t.TempDir(), `{"command": "sleep 300", "timeoutSeconds": 1}`)
	if !strings.Contains(result.Text, "killed after 1s") {
		t.Errorf("got %q, want it killed after what it asked for", result.Text)
	}
}

func TestSchemaNamesTheLimit(t *testing.T) {
	schema := string(shell.New(shell.Options{Timeout: 90 * time.Second}).Spec().Schema)
	if !jsontext.Value(tool.JSON(schema)).IsValid() || !strings.Contains(schema, `"maximum": 90`) {
		t.Errorf("schema: %s", schema)
	}
}

func run(t *testing.T, o shell.Options, dir, args string) tool.Result {
	t.Helper()
	result, err := shell.New(o).Run(t.Context(), call(dir, args))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func call(dir, args string) tool.Call {
	return tool.Call{ID: "call-1", Tool: "shell", Args: tool.JSON(args), WorkingDirectory: dir}
}

func outcome(t *testing.T, r tool.Result) shell.Outcome {
	t.Helper()
	var o shell.Outcome
	if err := json.Unmarshal(r.Structured, &o); err != nil {
		t.Fatalf("structured of %q: %v", r.Text, err)
	}
	return o
}

func Example() {
	t := shell.New(shell.Options{})
	result, err := t.Run(context.Background(), tool.Call{
		ID: "call-9", Args: tool.JSON(`{"argv": ["echo", "line clear"]}`), WorkingDirectory: os.TempDir(),
	})
	if err != nil {
		fmt.Println(err)
	}
	first, _, _ := strings.Cut(result.Text, "\n")
	fmt.Println(first)
	// Output: line clear
}
