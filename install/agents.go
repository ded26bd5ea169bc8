package install

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/internal/canary"
	"github.com/lineclear/lineclear/internal/paths"
)

// ErrNoProgram is returned for an agent whose program can't be run here, so that nothing can be proven.
var ErrNoProgram = errors.New("its program was not found in PATH")

// ErrNoProject is returned for an agent whose hooks can't be set for a project.
var ErrNoProject = errors.New("it can't be installed for a project")

// Agent is a coding agent whose settings have hooks.
type Agent struct {
	Name    string
	Title   string
	home    string // the variable that moves its folder
	folder  string // below the user's home, if the variable is not set
	file    string
	project string   // the file in a project
	refused string   // why there is no such file
	guarded []string // files in the user's home that can switch hooks off, lead them elsewhere, or have others trusted
	shared  []string // such files in projects
	before  []string
	after   []string
	unit    time.Duration // in which its limits are counted
	version bool          // its file begins with one
	entry   func(h handler) any
	trust   bool // its hooks have to be trusted, by Codex's road
}

var agents = map[string]Agent{
	"claude-code": {
		Title: "Claude Code", home: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json", project: ".claude/settings.json",
		guarded: []string{".claude/settings.json", ".claude/settings.local.json", ".claude.json"},
		shared:  []string{".claude/settings.json", ".claude/settings.local.json"},
		before:  []string{"PreToolUse"}, after: []string{"PostToolUse", "PostToolUseFailure"}, unit: time.Second, entry: claude,
	},
	"codex": {
		Title: "Codex", home: "CODEX_HOME", folder: ".codex", file: "hooks.json", project: ".codex/hooks.json",
		guarded: []string{".codex/hooks.json", ".codex/config.toml"},
		shared:  []string{".codex/hooks.json", ".codex/config.toml"},
		before:  []string{"PreToolUse"}, after: []string{"PostToolUse"}, unit: time.Second, entry: codex, trust: true,
	},
	"gemini": {
		Title: "Gemini CLI", home: "GEMINI_CLI_HOME", file: ".gemini/settings.json",
		guarded: []string{".gemini/settings.json", ".gemini/.env", ".gemini/trustedFolders.json"},
		shared:  []string{".gemini/settings.json", ".gemini/.env"},
		refused: "Gemini CLI ignores the hooks of a project unless its folder is trusted, without a word",
		before:  []string{"BeforeTool"}, unit: time.Millisecond, entry: grouped,
	},
	"qwen": {
		Title: "Qwen Code", home: "QWEN_HOME", folder: ".qwen", file: "settings.json", project: ".qwen/settings.json",
		guarded: []string{".qwen/settings.json", ".qwen/.env"},
		shared:  []string{".qwen/settings.json", ".qwen/.env"},
		before:  []string{"PreToolUse"}, after: []string{"PostToolUse", "PostToolUseFailure"}, unit: time.Millisecond, entry: grouped,
	},
	"copilot": {
		Title: "Copilot CLI", home: "COPILOT_HOME", folder: ".copilot", file: "hooks/lineclear.json",
		guarded: []string{".copilot/hooks", ".copilot/config.json"},
		shared:  []string{".github/copilot/settings.json", ".github/copilot/settings.local.json", ".github/hooks"},
		refused: "Copilot CLI ignores the hooks of a project unless its folder is trusted, without a word",
		before:  []string{"preToolUse"}, unit: time.Second, version: true, entry: copilot,
	},
	"cursor": {
		Title: "Cursor", folder: ".cursor", file: "hooks.json", project: ".cursor/hooks.json",
		guarded: []string{".cursor/hooks.json"},
		shared:  []string{".cursor/hooks.json"},
		before:  []string{"beforeShellExecution", "beforeMCPExecution"}, unit: time.Second, version: true, entry: cursor,
	},
}

// Of is the agent of a name.
func Of(name string) (Agent, error) {
	a, known := agents[name]
	if !known {
		return a, fmt.Errorf("there is no agent %q whose settings have hooks; there are: %s", name, strings.Join(Names(), ", "))
	}
	a.Name = name
	return a, nil
}

// Names are those of all agents, sorted.
func Names() []string { return slices.Sorted(maps.Keys(agents)) }

// Program is the agent's own, found in PATH. ok is false for an agent that can't be run at all.
func (a Agent) Program() (path string, ok bool, err error) {
	p, ok := canary.Of(a.Name)
	if !ok {
		return "", false, nil
	}
	path, err = exec.LookPath(p.Name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", true, fmt.Errorf("%s: %w (%s), so it can't be seen whether a denial holds", a.Title, ErrNoProgram, p.Name)
	}
	return path, true, nil
}

// Settings are the settings of an agent: its user's, or those of a project.
type Settings struct {
	Agent   Agent
	File    string
	project string // its folder; empty: the user's
}

// own is the folder of the user's settings.
func (a Agent) own() (string, error) {
	if moved := os.Getenv(a.home); a.home != "" && moved != "" {
		return moved, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, a.folder), err
}

// At finds the agent's settings: those of the user, or of a project's folder.
func (a Agent) At(project string) (Settings, error) {
	if project == "" {
		folder, err := a.own()
		return Settings{Agent: a, File: paths.Real(filepath.Join(folder, a.file))}, err
	}
	if a.project == "" {
		return Settings{}, fmt.Errorf("%w: %s; leave out --project", ErrNoProject, a.refused)
	}
	return Settings{Agent: a, File: paths.Real(filepath.Join(project, a.project)), project: paths.Real(project)}, nil
}

// in are the user's settings in another home.
func (a Agent) in(home string) Settings {
	return Settings{Agent: a, File: filepath.Join(home, a.folder, a.file)}
}
