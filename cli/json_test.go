package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// withoutJSON are the verbs without --json, and why.
var withoutJSON = map[string]string{
	"serve":       "it writes a log, as JSON with --log-format",
	"host":        "it is a conversation with an agent",
	"acp":         "it is a conversation with an agent",
	"mcp":         "its output is a server's",
	"prompt-tool": "its output is a server's",
	"hook":        "it prints what the agent wants, which is JSON already",
	"login":       "a person logs in, in a browser",
	"mcp login":   "a person logs in, in a browser",
}

func TestEveryVerbThatPrintsSomethingHasJSON(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), "gateway ")
		has := c.Flag("json") != nil || c.InheritedFlags().Lookup("json") != nil
		if c.Runnable() && c.HasParent() {
			found[path] = true
			if why := withoutJSON[path]; has == (why != "") {
				t.Errorf("%s has --json: %t, and on the list: %q", path, has, why)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(Root())
	for path := range withoutJSON {
		if !found[path] {
			t.Errorf("%s is on the list, and is no verb", path)
		}
	}
}

func TestTheVerbsThatNeedNoGatewayPrintOneDocument(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cases.yaml", []byte("cases:\n  - {agent: helper, tool: shell, command: ls, expect: deny}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		code  int
		field string
		want  any
	}{
		{"init --json", 0, "file", "agents.yaml"},
		{"validate --json", 0, "file", "agents.yaml"},
		{"version --json", 0, "os", nil},
		{"policy explain --agent helper --json", 0, "effect", "ask"},
		{"policy test --cases cases.yaml --json", exitError, "cases", 1.0},
		{"data move --data missing --json", exitError, "", nil},
		{"validate --config missing.yaml --json", exitError, "", nil},
		{"policy explain --agent nobody --json", exitUnknown, "", nil},
		{"audit head --json", 2, "", nil},
		{"doctor --json", exitError, "", nil},
		{"backup file --json", exitError, "", nil},
		{"restore file --json", exitError, "", nil},
		{"install cursor --dry-run --json", 0, "written", false},
		{"uninstall cursor --json", exitUnknown, "", nil},
		{"init --json", exitError, "", nil},
		{"modes --json", exitError, "", nil},
		{"version --json extra", exitUsage, "", nil},
	} {
		var out bytes.Buffer
		r := Root()
		r.SetArgs(strings.Fields(c.args))
		r.SetOut(&out)
		r.SetErr(&bytes.Buffer{})
		err := execute(t.Context(), r)
		if exitCode(err) != c.code {
			t.Errorf("%s ends with %d: %v", c.args, exitCode(err), err)
		}
		if c.field == "" {
			if out.Len() > 0 || err == nil || err.Error() == "" {
				t.Errorf("%s fails with %v, and prints %s", c.args, err, out.String())
			}
			continue
		}
		var document map[string]any
		if err := json.Unmarshal(out.Bytes(), &document); err != nil {
			t.Errorf("%s prints %s: %v", c.args, out.String(), err)
		}
		if got, there := document[c.field]; !there || c.want != nil && !cmp.Equal(got, c.want) {
			t.Errorf("%s prints %s", c.args, out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(home, ".cursor")); err == nil {
		t.Error("--dry-run has written")
	}
}
