package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/internal/paths"
)

// ErrUntrusted is returned if Codex skips our hooks, and runs calls without them.
var ErrUntrusted = errors.New("Codex does not trust the hook")

// codexServer is a running codex app-server, which keeps Codex's trust.
type codexServer struct {
	*jsonrpc.Peer
	ctx context.Context
}

// codexHome is an environment with another home for Codex; empty: the user's own.
func codexHome(home string) []string {
	env := os.Environ()
	if home != "" {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "CODEX_HOME=") })
		env = append(env, "CODEX_HOME="+home)
	}
	return env
}

// codexHook is a hook as Codex knows it.
type codexHook struct {
	Key     string `json:"key"`
	Hash    string `json:"currentHash"`
	Trust   string `json:"trustStatus"`
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
}

// hooks are ours in a file, as Codex sees them when it works in the folder.
func (s codexServer) hooks(folder, file string, ours func(line string) bool) ([]codexHook, error) {
	var list struct {
		Data []struct {
			Hooks []codexHook `json:"hooks"`
		} `json:"data"`
	}
	if err := s.Call(s.ctx, "hooks/list", map[string]any{"cwds": []string{folder}}, &list); err != nil {
		return nil, err
	}
	var found []codexHook
	for _, d := range list.Data {
		for _, h := range d.Hooks {
			if ours(h.Command) && paths.Real(h.Source) == paths.Real(file) {
				found = append(found, h)
			}
		}
	}
	return found, nil
}

// set sets a value of Codex's config.toml; nil takes it out.
func (s codexServer) set(path string, value any, strategy string) error {
	edit := map[string]any{"keyPath": path, "value": value, "mergeStrategy": strategy}
	return s.Call(s.ctx, "config/batchWrite", map[string]any{"edits": []any{edit}, "filePath": nil, "expectedVersion": nil, "reloadUserConfig": true}, nil)
}

// codexFile is one of Codex's files with our hooks.
type codexFile struct {
	program string
	home    string // of Codex; empty: the user's own
	folder  string // in which Codex works
	file    string
	ours    func(line string) bool
}

// with talks to Codex about our hooks in the file.
func (f codexFile) with(ctx context.Context, do func(s codexServer, ours []codexHook) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.Command(f.program, "app-server")
	c.Env = codexHome(f.home)
	line, stop, err := jsonrpc.Start(ctx, c)
	if err != nil {
		return err
	}
	s := codexServer{jsonrpc.NewPeer(line, ""), ctx}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(func(jsonrpc.Message) {}) }) // what ends it ends the calls
	defer serving.Wait()
	defer func() { err = errors.Join(err, stop()) }()
	hello := map[string]any{
		"clientInfo":   map[string]string{"name": "lineclear", "title": "Lineclear", "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	}
	if err := errors.Join(s.Call(ctx, "initialize", hello, nil), s.Notify("initialized", nil)); err != nil {
		return err
	}
	ours, err := s.hooks(f.folder, f.file, f.ours)
	if err != nil {
		return err
	}
	return do(s, ours)
}

// trust has Codex trust our hooks, and no other.
func (f codexFile) trust(ctx context.Context) error {
	return f.with(ctx, func(s codexServer, ours []codexHook) error {
		state := map[string]any{}
		for _, h := range ours {
			state[h.Key] = map[string]string{"trusted_hash": h.Hash}
		}
		if err := s.set("hooks.state", state, "upsert"); err != nil {
			return err
		}
		ours, err := s.hooks(f.folder, f.file, f.ours)
		return errors.Join(err, f.untrusted(ours))
	})
}

func (f codexFile) untrusted(ours []codexHook) error {
	if len(ours) == 0 {
		return fmt.Errorf("%w: it does not read %s; a project's is read once its folder is trusted: start Codex there", ErrUntrusted, f.file)
	}
	for _, h := range ours {
		if h.Trust != "trusted" {
			return fmt.Errorf("%w: %s is %s", ErrUntrusted, h.Key, h.Trust)
		}
	}
	return nil
}

// trusted reports whether Codex will run our hooks.
func (f codexFile) trusted(ctx context.Context) error {
	return f.with(ctx, func(_ codexServer, ours []codexHook) error { return f.untrusted(ours) })
}

// forget takes the trust back.
func (f codexFile) forget(ctx context.Context) error {
	return f.with(ctx, func(s codexServer, ours []codexHook) error {
		var errs []error
		for _, h := range ours {
			errs = append(errs, s.set("hooks.state."+fmt.Sprintf("%q", h.Key), nil, "replace"))
		}
		return errors.Join(errs...)
	})
}

// trustFolder makes a copy of Codex's configuration in f.home, in which the folder and our hooks are
// trusted.
func (f codexFile) trustFolder(ctx context.Context, config *string) error {
	if err := write(filepath.Join(f.home, "config.toml"), config); err != nil {
		return err
	}
	err := f.with(ctx, func(s codexServer, _ []codexHook) error {
		return s.set("projects", map[string]any{f.folder: map[string]string{"trust_level": "trusted"}}, "upsert")
	})
	if err != nil {
		return err
	}
	return f.trust(ctx)
}
