package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain also serves as the hook's program, and as the program with which the agent below asks its model.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("LINECLEAR_TEST_PROGRAM") == "" || len(os.Args) < 2:
	case os.Args[1] == "hook":
		c := Root()
		c.SetArgs(os.Args[1:])
		err := execute(c.Context(), c)
		if err != nil {
			_, _ = io.WriteString(os.Stderr, err.Error())
		}
		os.Exit(exitCode(err))
	case os.Args[1] == "post":
		answer, err := http.Post(os.Args[2], "application/json", strings.NewReader(os.Args[3]))
		if err == nil {
			_, err = io.Copy(os.Stdout, answer.Body)
		}
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// agent stands in for Qwen Code: it runs the hook from its settings before a call, and tells the model what the
// hook said.
const agent = `#!/bin/sh
for a in "$@"; do [ "$last" = --openai-base-url ] && url=$a; last=$a; done
ask() { "$LINECLEAR_TEST_PROGRAM" post "$url/chat/completions" "{\"model\":\"m\",\"tools\":[{\"function\":{\"name\":\"run_shell_command\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"Please run the canary.\"}$1]}"; }
id=$(ask | sed 's/.*"id":"\(call_[0-9]*\)".*/\1/')
line=$(sed -n 's/^[ \t]*"command": "\(.*hook qwen.*\)",$/\1/p' "$HOME/.qwen/settings.json" | head -1 | sed 's/\\"/"/g')
said=$(echo '{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"x"},"tool_use_id":"c"}' | sh -c "$line" 2>&1 | tr -d '"\n')
ask ",{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"$said\"}" > /dev/null
`

// During the proof, the hook asks the stand-in for the gateway, whatever its environment says.
func TestTheHookThatIsInstalledIsTheOneThatWasDeniedItsCall(t *testing.T) {
	home, own := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("QWEN_HOME", "")
	t.Setenv("LINECLEAR_URL", "http://127.0.0.1:1")
	t.Chdir(t.TempDir())
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LINECLEAR_TEST_PROGRAM", program)
	t.Setenv("PATH", own+":"+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(own, "qwen"), []byte(agent), 0o700); err != nil {
		t.Fatal(err)
	}
	text, code := says(t, "install", "qwen", "--data", "data")
	if code != 0 || !strings.Contains(text, "Installed: Qwen Code was denied its call and was told why") {
		t.Fatalf("%d, %s", code, text)
	}
}
