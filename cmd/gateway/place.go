package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/store"
)

const defaultConfig = "agents.yaml"

// place is where a gateway's data is, as the verbs name it.
type place struct{ config, data string }

func (p *place) flags(c *cobra.Command) {
	c.PersistentFlags().StringVarP(&p.config, "config", "c", defaultConfig, "the configuration file, which names the data folder")
	c.PersistentFlags().StringVar(&p.data, "data", "", "the data folder, instead of the configuration's")
}

// paths are the data folder and the file of the audit log's key.
func (p *place) paths() (data, key string, err error) {
	c := &config.Config{Gateway: config.Gateway{Data: p.data, DataSaid: true}}
	_, missing := os.Stat(p.config)
	if p.data == "" || p.config != defaultConfig || missing == nil {
		if c, err = config.Load(p.config); err != nil {
			return "", "", err
		}
		if p.data != "" {
			c.Gateway.Data, c.Gateway.DataSaid = p.data, true
		}
	}
	if err = fillPlaces(&c.Gateway); err == nil {
		err = leftBehind(c)
	}
	return c.Gateway.Data, c.Gateway.AuditKey, err
}

// fillPlaces makes the data folder's path absolute, and says where the key of the
// audit log is where the configuration does not.
func fillPlaces(g *config.Gateway) (err error) {
	if g.Data == "" {
		return errors.New("there is no home folder to keep the data in (neither HOME nor XDG_STATE_HOME is set): name a folder with --data, or under gateway.data")
	}
	if g.Data, err = filepath.Abs(g.Data); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if g.AuditKey == "" {
		g.AuditKey, err = store.KeyFile(g.Data)
	}
	return err
}

// apart refuses a configuration under which an agent would work in a folder with
// the gateway's own files: whatever reads folders there would read them. Files that
// are there already are used on, with a warning.
func apart(c *config.Config, log *zap.Logger) error {
	var errs []error
	for _, own := range []struct{ what, path, folder, made, remedy string }{
		{"the data folder", c.Gateway.Data, c.Gateway.Data, filepath.Join(c.Gateway.Data, store.FileName), "name another one with --data or under gateway.data"},
		{"the key of the audit log", c.Gateway.AuditKey, filepath.Dir(c.Gateway.AuditKey), c.Gateway.AuditKey, "name another file, in a folder of its own, under gateway.auditKey"},
	} {
		for _, a := range c.Agents {
			workdir := paths.Real(a.WorkingDirectory)
			if paths.Within(paths.Real(own.folder), workdir) {
				errs = append(errs, fmt.Errorf("the agent %s works in %s, which is in the folder of %s, and no agent may touch that: %s", a.ID, a.WorkingDirectory, own.path, own.remedy))
				continue
			}
			if !paths.Within(workdir, paths.Real(own.path)) {
				continue
			}
			if _, err := os.Stat(own.made); err == nil {
				log.Warn(own.what+" is inside an agent's workdir, where the agent's commands can read it: stop the gateway, move it away, and "+own.remedy,
					zap.String("path", own.path), zap.String("agent", a.ID), zap.String("workdir", a.WorkingDirectory))
				continue
			}
			errs = append(errs, fmt.Errorf("%s %s is inside %s, where the agent %s works and could read it: %s", own.what, own.path, a.WorkingDirectory, a.ID, own.remedy))
		}
	}
	return errors.Join(errs...)
}

// leftBehind refuses to begin anew beside the data of an earlier version, which kept
// it in a folder data beside the configuration.
func leftBehind(c *config.Config) error {
	if c.Gateway.DataSaid {
		return nil
	}
	old := filepath.Join(filepath.Dir(c.File), "data")
	if _, err := os.Stat(filepath.Join(c.Gateway.Data, store.FileName)); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(old, store.FileName)); err != nil {
		return nil
	}
	move := []string{shellWords("mkdir", "-p", filepath.Dir(c.Gateway.Data)), shellWords("mv", old, c.Gateway.Data)}
	// One that was used on there has its key apart already.
	if key, err := store.KeyFile(old); err == nil {
		_, missing := os.Stat(key)
		if _, there := os.Stat(c.Gateway.AuditKey); missing == nil && errors.Is(there, fs.ErrNotExist) {
			move = append(move, shellWords("mv", key, c.Gateway.AuditKey))
		}
	}
	return fmt.Errorf("%s has the data of an earlier version, which was kept beside the configuration: stop its gateway, move it with\n  %s\nor go on with it there: %s",
		old, strings.Join(move, " && "), shellWords("--data", old))
}

// shellWords are words as a shell takes them.
func shellWords(words ...string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}
	for i, w := range words {
		if w == "" || strings.ContainsFunc(w, odd) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// ownFolders are those of the gateway itself: its data, the key of its audit log,
// and what lets in those who are on this machine.
func ownFolders(c *config.Config) []string {
	g := c.Gateway
	if fillPlaces(&g) != nil {
		return nil // there is no home folder, and so nothing of all this: serve says it
	}
	own := []string{g.Data, filepath.Dir(g.AuditKey)}
	if access, err := client.AccessFile(g.Data); err == nil {
		own = append(own, filepath.Dir(access))
	}
	if logins, err := loginsFolder(); err == nil {
		own = append(own, logins)
	}
	return own
}
