package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/paths"
)

// ErrSwitchedOff is returned for settings that keep the agent from running hooks.
var ErrSwitchedOff = errors.New("the agent runs no hooks")

// Guarded returns the user's files with which an agent could remove its hook, switch it off, lead it to another
// gateway or have another hook trusted: by their names, and where links lead. It includes the records, and the
// settings files in which they say that hooks are installed.
func Guarded() (files []string) {
	for _, name := range Names() {
		a, _ := Of(name)
		files = append(files, a.guards()...)
	}
	if folder, err := recordsFolder(); err == nil {
		files = append(files, folder, paths.Real(folder))
		files = append(files, installed(folder)...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// installed returns the settings files that the records in a folder name.
func installed(folder string) (files []string) {
	records, _ := filepath.Glob(filepath.Join(folder, "*.json")) // of a good pattern
	for _, path := range records {
		var r record
		if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &r) == nil && r.Settings.File != "" {
			files = append(files, r.Settings.File)
		}
	}
	return files
}

// GuardedEndings returns such files in projects, by the ends of their paths.
func GuardedEndings() (endings []string) {
	for _, name := range Names() {
		endings = append(endings, agents[name].shared...)
	}
	return endings
}

// guards returns the agent's guarded files, in the usual folder and in the one that its variable names.
func (a Agent) guards() (files []string) {
	home, err := os.UserHomeDir()
	moved := os.Getenv(a.home)
	for _, name := range a.guarded {
		if err == nil {
			files = append(files, filepath.Join(home, name))
		}
		if a.home != "" && filepath.IsAbs(moved) {
			files = append(files, filepath.Join(moved, strings.TrimPrefix(name, a.folder+"/")))
		}
	}
	for _, file := range slices.Clone(files) {
		files = append(files, paths.Real(file))
	}
	return files
}

// off is a JSON setting that switches hooks off.
type off struct {
	key string
	is  *regexp.Regexp
}

var offs = []off{
	{"disableAllHooks: true", regexp.MustCompile(`"disableAllHooks"\s*:\s*true\b`)},
	{"hooksConfig.enabled: false", regexp.MustCompile(`"hooksConfig"\s*:\s*\{[^{}]*"enabled"\s*:\s*false\b`)},
}

// codexOff matches Codex's setting: a line without spaces, after the name of its table.
var codexOff = regexp.MustCompile(`^(\[features\](codex_)?hooks|features\.(codex_)?hooks|features=\{(.*,)?(codex_)?hooks)=false`)

// switchIn returns the setting in a file's text that switches hooks off; empty if none is known.
func switchIn(file, text string) string {
	if !strings.HasSuffix(file, ".toml") {
		for _, o := range offs {
			if o.is.MatchString(text) {
				return o.key
			}
		}
		return ""
	}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), "")
		if strings.HasPrefix(line, "[") {
			table, _, _ = strings.Cut(line, "#")
		} else if codexOff.MatchString(table + line) {
			return "features.hooks = false"
		}
	}
	return ""
}

// switchedOff refuses settings that are known to switch hooks off. For a project, it checks the user's too.
func (s Settings) switchedOff() error {
	files := s.Agent.guards()
	for _, name := range s.Agent.shared {
		if s.project != "" {
			files = append(files, filepath.Join(s.project, name))
		}
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if key := switchIn(file, string(text)); key != "" {
			return fmt.Errorf("%w: %s says %s; take that out first", ErrSwitchedOff, file, key)
		}
	}
	return nil
}
