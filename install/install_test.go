package install_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/install"
)

// TestMain is also the program that the scripts below send requests with.
func TestMain(m *testing.M) {
	if os.Getenv("LINECLEAR_TEST_POST") == "" {
		goleak.VerifyTestMain(m)
		return
	}
	answer, err := http.Post(os.Args[1], "application/json", strings.NewReader(os.Args[2]))
	if err == nil {
		_, err = io.Copy(os.Stdout, answer.Body)
	}
	if err != nil {
		panic(err)
	}
}

// place is a home of one's own, with fake agents in PATH.
type place struct {
	t    *testing.T
	home string
}

// obedient is an agent that calls the hook of its settings, and tells the model what that said. It
// speaks chat completions as Qwen Code does. IGNORES has it run the call all the same.
const obedient = `#!/bin/sh
url= settings="$HOME/.qwen/settings.json"
for a in "$@"; do [ "$last" = --openai-base-url ] && url=$a; last=$a; done
[ -e .qwen/settings.json ] && settings=.qwen/settings.json
ask() { post "$url/chat/completions" "{\"model\":\"m\",\"tools\":[{\"function\":{\"name\":\"run_shell_command\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"Please run the canary.\"}$1]}"; }
id=$(ask | sed 's/.*"id":"\(call_[0-9]*\)".*/\1/')
IGNORES
line=$(sed -n 's/^[ \t]*"command": "\(timeout.*\)",$/\1/p' "$settings" | head -1 | sed 's/\\"/"/g')
said=$(echo '{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"tool_use_id":"c"}' | sh -c "$line" 2>&1 | tr -d '"\n')
ask ",{\"role\":\"tool\",\"tool_call_id\":\"$id\",\"content\":\"$said\"}" > /dev/null
`

// gateway is the hook's program in the tests: it asks the gateway that its access file names, and prints the
// answer.
const gateway = `#!/bin/sh
cat > /dev/null
while [ $# -gt 0 ] && [ "$1" != --access ]; do shift; done
url=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$2") || exit 1
post "$url/api/approvals" '{}'
`

func lay(t *testing.T, agent string) place {
	p := place{t, t.TempDir()}
	t.Setenv("HOME", p.home)
	for _, name := range []string{"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "COPILOT_HOME"} {
		t.Setenv(name, "") // which is put back after the test
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	tmp := filepath.Join(t.TempDir(), "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	t.Cleanup(func() {
		left, err := filepath.Glob(filepath.Join(tmp, "lineclear-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%v, %v are left", err, left)
		}
	})
	t.Setenv("PATH", filepath.Join(p.home, "bin")+":"+os.Getenv("PATH"))
	p.put("bin/gateway", gateway)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.put("bin/post", "#!/bin/sh\nGORACE=atexit_sleep_ms=0 LINECLEAR_TEST_POST=1 exec '"+own+"' \"$@\"\n")
	for _, name := range []string{"claude", "codex", "gemini", "qwen", "copilot"} {
		p.put("bin/"+name, agent)
	}
	return p
}

func (p place) put(file, text string) string {
	p.t.Helper()
	path := filepath.Join(p.home, file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// files are all in the home, without what the test itself needs.
func (p place) files() map[string]string {
	p.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(p.home, path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "work/") {
			return err
		}
		raw, err := os.ReadFile(path)
		found[name] = string(raw)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

func (p place) settings(agent, project string) install.Settings {
	p.t.Helper()
	a, err := install.Of(agent)
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := a.At(project)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p place) plan(s install.Settings, flags ...string) *install.Plan {
	p.t.Helper()
	plan, err := s.Plan(install.Definition{
		Program: filepath.Join(p.home, "bin/gateway"), Access: filepath.Join(p.home, "access.json"), Flags: flags, Limits: install.Usual,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return plan
}

func (p place) install(s install.Settings, flags ...string) {
	p.t.Helper()
	if err := p.plan(s, flags...).Apply(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) uninstall(s install.Settings) install.Removed {
	p.t.Helper()
	done, err := s.Uninstall(p.t.Context(), filepath.Join(p.home, "bin/gateway"))
	if err != nil {
		p.t.Fatal(err)
	}
	return done
}

func TestItIsInstalledOnlyAfterADenialHeldAndUninstalledByteForByte(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", "", 1))
	file := p.put(".qwen/settings.json", "{\n\t\"mine\" : [1,2],\n\t\"hooks\": {\"Stop\": []}\n}")
	before, s := p.files(), p.settings("qwen", "")
	p.install(s)
	raw, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(raw), "{\n\t\"mine\" : [1,2],\n\t\"hooks\": {\"Stop\": [],\n") || strings.Count(string(raw), " hook qwen") != 3 {
		t.Errorf("%v, it is\n%s", err, raw)
	}
	if state, err := s.State(); err != nil || !state.Installed || len(state.Faults) > 0 {
		t.Errorf("%+v, %v", state, err)
	}
	if mode := only(t, p, ".config/lineclear/installed").Mode().Perm(); mode != 0o600 {
		t.Errorf("the record is %v", mode)
	}
	p.uninstall(s)
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
}

// only is the only file of a folder.
func only(t *testing.T, p place, folder string) os.FileInfo {
	t.Helper()
	all, err := os.ReadDir(filepath.Join(p.home, folder))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	info, err := all[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestAnAgentThatIgnoresTheHookIsNotInstalledAndItsSettingsAreAsTheyWere(t *testing.T) {
	for name, c := range map[string]struct{ agent, says string }{
		"it runs the call":          {strings.Replace(obedient, "IGNORES", "echo ran > marker", 1), "the call ran"},
		"it does not call the hook": {strings.Replace(obedient, "IGNORES", "ask \",{\\\"role\\\":\\\"tool\\\",\\\"tool_call_id\\\":\\\"$id\\\",\\\"content\\\":\\\"this is the canary\\\"}\" > /dev/null; exit", 1), "the hook did not ask"},
		"it swallows the reason":    {strings.Replace(strings.Replace(obedient, "IGNORES", "", 1), "$said", "no", 1), `the model was told "no"`},
		"it says nothing":           {"#!/bin/sh\necho 'log in first' >&2\nexit 1\n", "log in first"},
		"it rewrites its settings":  {"#!/bin/sh\necho '{\"v\": 2}' > $HOME/.qwen/settings.json\n", "no result reached the model"},
	} {
		t.Run(name, func(t *testing.T) {
			p := lay(t, c.agent)
			p.put(".qwen/settings.json", `{"mine": 1}`)
			before := p.files()
			err := p.plan(p.settings("qwen", "")).Apply(t.Context())
			if !errors.Is(err, install.ErrNotHeld) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "settings are as they were") {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, p.files()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnAgentThatIsNotHereIsRefused(t *testing.T) {
	p := lay(t, "")
	t.Setenv("PATH", t.TempDir())
	for _, name := range install.Names() {
		_, err := p.settings(name, "").Plan(install.Definition{Program: "/usr/bin/gateway", Limits: install.Usual})
		if name != "cursor" && !errors.Is(err, install.ErrNoProgram) || name == "cursor" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnInterruptedInstallationLeavesNothing(t *testing.T) {
	p := lay(t, "#!/bin/sh\nsleep 60\n")
	before := p.files()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := p.plan(p.settings("qwen", "")).Apply(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
}

func TestAProjectIsProvenInAFolderOfItsOwn(t *testing.T) {
	p := lay(t, strings.Replace(obedient, "IGNORES", "pwd > $HOME/bin/where", 1))
	project := filepath.Join(p.home, "project")
	p.put("project/file", "mine")
	before, s := p.files(), p.settings("qwen", project)
	p.install(s)
	where, err := os.ReadFile(filepath.Join(p.home, "bin/where"))
	if err != nil || strings.Contains(string(where), project) {
		t.Errorf("it worked in %s, %v", where, err)
	}
	if _, err := os.Stat(filepath.Join(project, ".qwen/settings.json")); err != nil {
		t.Error(err)
	}
	p.uninstall(s)
	if diff := cmp.Diff(before, p.files()); diff != "" {
		t.Error(diff)
	}
	p.install(p.settings("qwen", ""))
	if _, err := s.Plan(install.Definition{Program: "/usr/bin/gateway", Limits: install.Usual}); !errors.Is(err, install.ErrTwice) {
		t.Errorf("beside the user's: %v", err)
	}
}

func TestHooksOfAProjectThatWouldBeIgnoredAreRefused(t *testing.T) {
	for _, name := range []string{"gemini", "copilot"} {
		a, _ := install.Of(name)
		if _, err := a.At(t.TempDir()); !errors.Is(err, install.ErrNoProject) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
