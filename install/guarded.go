package install

import (
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// Guarded are the files by which an agent could take its hook out again: the user's settings
// of all agents, and those of projects for which a hook is installed.
func Guarded() (files []string) {
	for _, name := range Names() {
		a, _ := Of(name)
		if s, err := a.At(""); err == nil {
			files = append(files, s.File)
		}
	}
	folder, err := recordsFolder()
	if err != nil {
		return files
	}
	records, _ := filepath.Glob(filepath.Join(folder, "*.json")) // of a good pattern
	for _, path := range records {
		var r record
		if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &r) == nil && r.Settings.File != "" {
			files = append(files, r.Settings.File)
		}
	}
	return files
}
