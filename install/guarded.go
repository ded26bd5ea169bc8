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

// ErrSwitchedOff is returned for settings by which the agent runs no hook.
var ErrSwitchedOff = errors.New("the agent runs no hooks")

// Guarded are the user's files by which an agent could take its hook out, switch it off, lead it to another
// gateway or have another one trusted: as they are named, and where links lead. The records are among them, and what these say
// was installed in projects.
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

// installed are the files of the records in a folder.
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

// GuardedEndings are such files in projects, by how their paths end.
func GuardedEndings() (endings []string) {
	for _, name := range Names() {
		endings = append(endings, agents[name].shared...)
	}
	return endings
}

// guards are the agent's files of the user, in the usual folder and in the one that a variable names.
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

// off is a setting of JSON by which an agent runs no hook.
type off struct {
	key string
	is  *regexp.Regexp
}

var offs = []off{
	{"disableAllHooks: true", regexp.MustCompile(`"disableAllHooks"\s*:\s*true\b`)},
	{"hooksConfig.enabled: false", regexp.MustCompile(`"hooksConfig"\s*:\s*\{[^{}]*"enabled"\s*:\s*false\b`)},
}

// codexOff is Codex's, as a line without spaces, with its table in front.
var codexOff = regexp.MustCompile(`^(\[features\](codex_)?hooks|features\.(codex_)?hooks|features=\{(.*,)?(codex_)?hooks)=false`)

// switchIn is what in a file's text keeps hooks from being run; empty: nothing that is known.
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

// switchedOff refuses settings of which a switch is known to be set, also the user's above a project's.
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
