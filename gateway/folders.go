package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/tool/mcp"
)

// Resolve makes the data folder's path absolute, and fills in the default file of
// the audit log's key and the default folder of what is cut off that log.
func Resolve(g *config.Gateway) (err error) {
	if g.Data == "" {
		return errors.New("there is no home folder for the data (neither HOME nor XDG_STATE_HOME is set): name a folder with --data, or under gateway.data")
	}
	if g.Data, err = filepath.Abs(g.Data); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if g.Retention.Exports == "" {
		g.Retention.Exports = filepath.Join(g.Data, "audit")
	}
	if g.AuditKey == "" {
		g.AuditKey, err = store.KeyFile(g.Data)
	}
	return err
}

// Check refuses what the file alone can't show: what New refuses before it opens anything. It
// fills in the paths of the data folder and the audit log's key. Under mounted the gateway does
// not listen itself.
func Check(c *config.Config, mounted string, log *zap.Logger) error {
	if err := Resolve(&c.Gateway); err != nil {
		return err
	}
	err := errors.Join(CheckSeparate(c, log), CheckOldData(c), store.Check(c.Gateway.Data, c.Gateway.AuditKey))
	if mounted == "" {
		err = errors.Join(err, checkListen(c.Gateway))
	}
	return err
}

// CheckSeparate refuses a configuration in which an agent's workdir would contain the
// gateway's own files, where a recursive read would find them. Existing files stay in
// use, with a warning.
func CheckSeparate(c *config.Config, log *zap.Logger) error {
	type place struct{ what, path, folder, made, remedy string }
	places := []place{
		{"the data folder", c.Gateway.Data, c.Gateway.Data, filepath.Join(c.Gateway.Data, store.FileName), "name another one with --data or under gateway.data"},
		{"the key of the audit log", c.Gateway.AuditKey, filepath.Dir(c.Gateway.AuditKey), c.Gateway.AuditKey, "name another file, in a folder of its own, under gateway.auditKey"},
	}
	if exports := c.Gateway.Retention.Exports; !paths.Within(c.Gateway.Data, exports) {
		places = append(places, place{"the folder of what is cut off the audit log", exports, exports, exports, "name another one under gateway.retention.auditExports"})
	}
	var errs []error
	for _, own := range places {
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
				log.Warn(own.what+" is inside an agent's workdir, where the agent's commands can read it: stop the gateway and run gateway data move, or "+own.remedy,
					zap.String("path", own.path), zap.String("agent", a.ID), zap.String("workdir", a.WorkingDirectory))
				continue
			}
			errs = append(errs, fmt.Errorf("%s %s is inside %s, where the agent %s works and could read it: %s", own.what, own.path, a.WorkingDirectory, a.ID, own.remedy))
		}
	}
	return errors.Join(errs...)
}

// CheckOldData refuses to start with an empty folder while there is data of an earlier
// version, which kept it in ./data next to the configuration.
func CheckOldData(c *config.Config) error {
	if c.Gateway.DataSet {
		return nil
	}
	old := filepath.Join(filepath.Dir(c.File), "data")
	if _, err := os.Stat(filepath.Join(c.Gateway.Data, store.FileName)); err == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(old, store.FileName)); err != nil {
		return nil
	}
	return fmt.Errorf("%s has the data of an earlier version: stop its gateway, then move it with\n  %s\nor keep using it there with %s",
		old, shellQuote("gateway", "data", "move", "--config", c.File), shellQuote("--data", old))
}

// shellQuote joins words into a shell command.
func shellQuote(words ...string) string {
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

// Folders returns the gateway's own folders: its data, the audit log's key, the
// local key and the logins of terminals.
func Folders(c *config.Config) []string {
	g := c.Gateway
	if Resolve(&g) != nil {
		return nil // no home folder; serve reports it
	}
	own := []string{g.Data, filepath.Dir(g.AuditKey), g.Retention.Exports}
	if access, err := client.AccessFile(g.Data); err == nil {
		own = append(own, filepath.Dir(access))
	}
	if logins, err := client.LoginsFolder(); err == nil {
		own = append(own, logins)
	}
	return own
}

// OpenLogins opens people's logins at MCP servers, which are in the data folder, or in a cluster in its
// database, until done is called.
func OpenLogins(ctx context.Context, g config.Gateway) (logins mcp.Logins, done func() error, err error) {
	if g.Cluster.Postgres == "" {
		return loginFiles(g), func() error { return nil }, nil
	}
	db, err := postgres.Open(ctx, SharedDatabase(g.Cluster, nil))
	if err != nil {
		return nil, nil, err
	}
	return db.Logins(), db.Close, nil
}

func loginFiles(g config.Gateway) mcp.LoginFiles {
	return mcp.LoginFiles(filepath.Join(g.Data, store.LoginsName))
}
