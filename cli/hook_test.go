package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lineclear/lineclear/client"
)

// judge starts a gateway that counts its requests.
func judge(t *testing.T) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "no", http.StatusTeapot)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// The agent that is judged can set variables for its hook, and write files to the folder where the hook runs.
func TestAHookThatIsToldItsGatewayFindsNoOtherByItsEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	url, asked := judge(t)
	bad, misled := judge(t)
	data, other := filepath.Join(dir, "data"), filepath.Join(dir, "other")
	file, err := client.AccessFile(data)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "agents.yaml")
	for path, data := range map[string]string{config: data, "agents.yaml": other} {
		text := "gateway: {data: " + data + "}\nmodels: {demo: {provider: scripted}}\nagents: {demo: {model: demo}}\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, a := range map[string]client.Access{data: {URL: url, Token: "good"}, other: {URL: bad, Token: "bad"}} {
		if err := a.Write(folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("LINECLEAR_URL", bad)
	t.Setenv("LINECLEAR_TOKEN", "bad")
	for _, c := range []struct {
		flags []string
		moved bool
	}{{[]string{"--data", data}, false}, {[]string{"--config", config}, false}, {[]string{"--access", file}, true}} {
		if c.moved {
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "none"))
			t.Setenv("HOME", filepath.Join(dir, "none"))
		}
		before := asked.Load()
		verb := Root()
		verb.SetArgs(append([]string{"hook", "claude-code"}, c.flags...))
		verb.SetIn(strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c"}`))
		if err := execute(t.Context(), verb); exitCode(err) != exitUsage || asked.Load() == before || misled.Load() > 0 {
			t.Errorf("%v: %v; its gateway was asked %d times, another %d", c.flags, err, asked.Load()-before, misled.Load())
		}
	}
	if text, code := says(t, "hook", "claude-code", "--access", "access.json"); code != exitUsage || !strings.Contains(text, "no absolute path") {
		t.Errorf("%d, %s", code, text)
	}
}
