package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/paths"
)

// record is what Install has written, and what was there before.
type record struct {
	Program  string  `json:"program"`
	Settings change  `json:"settings"`
	Trust    *change `json:"trust,omitempty"` // of the file that has Codex's trust
}

// change is what became of a file; an empty text without a file is nil.
type change struct {
	File   string  `json:"file"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// recordsFolder is in the user's configuration folder, where no agent works.
func recordsFolder() (string, error) {
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "lineclear", "installed"), err
}

func (s Settings) recordFile() (string, error) {
	folder, err := recordsFolder()
	return filepath.Join(folder, s.Agent.Name+"-"+paths.Tag(s.File)+".json"), err
}

// recorded is the record; nil: there is none.
func (s Settings) recorded() (*record, error) {
	path, err := s.recordFile()
	if err != nil {
		return nil, err
	}
	text, err := content(path)
	if err != nil || text == nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal([]byte(*text), &r); err != nil {
		return nil, fmt.Errorf("the record of what was installed, %s: %w", path, err)
	}
	return &r, nil
}

// keep keeps a record, or removes it if there is none any more.
func (s Settings) keep(r *record) error {
	path, err := s.recordFile()
	if err != nil {
		return err
	}
	if r == nil {
		return write(path, nil)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	text := string(raw)
	return write(path, &text)
}

// restore puts back what was there before, unless somebody has changed the file since.
func (c change) restore() (restored bool, err error) {
	now, err := content(c.File)
	if err != nil || !same(now, c.After) {
		return false, err
	}
	return true, write(c.File, c.Before)
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func text(of *string) string {
	if of == nil {
		return ""
	}
	return *of
}

// content is a file's text; nil: there is no file.
func content(path string) (*string, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	text := string(raw)
	return &text, err
}

// write gives a file a text in one step, and keeps its mode; nil removes it, and its folder if that is empty then.
func write(path string, text *string) error {
	if text == nil {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
		return err
	}
	mode := fs.FileMode(0o600)
	if info, missing := os.Stat(path); missing == nil {
		mode = info.Mode().Perm()
	}
	return paths.Write(path, []byte(*text), mode)
}
