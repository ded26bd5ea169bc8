package client

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/paths"
)

// ErrNotRunning is returned by Local when no gateway serves the data folder.
var ErrNotRunning = errors.New("client: no gateway is running on this data folder")

// Access is how programs of the same user on the same machine reach a gateway.
// It is kept in the user's cache folder, away from where agents work.
type Access struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid,omitzero"`   // of the gateway; zero: of the process that writes it
	Data  string `json:"data,omitempty"` // the gateway's data folder
}

// AccessFile is where the access to the gateway of a data folder is kept.
func AccessFile(dataFolder string) (string, error) {
	folder, err := filepath.Abs(dataFolder)
	if err != nil {
		return "", fmt.Errorf("client: data folder: %w", err)
	}
	folder = paths.Real(folder) // whatever links lead to it
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("client: access: %w", err)
	}
	return filepath.Join(cache, "lineclear", paths.Tag(folder)+".json"), nil
}

// Write keeps the access, for its owner alone.
func (a Access) Write(dataFolder string) error {
	path, err := AccessFile(dataFolder)
	if err == nil {
		a.Data, err = filepath.Abs(dataFolder)
	}
	if err != nil {
		return err
	}
	return a.WriteTo(path)
}

// Running lists the data folders of the gateways that run on this machine as this user.
func Running() (folders []string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("client: access: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(cache, "lineclear", "*.json"))
	for _, file := range files {
		if a, failed := readAccess(file, file); failed == nil && a.Data != "" {
			folders = append(folders, a.Data)
		}
	}
	return folders, err
}

// WriteTo writes the access to a file that only its owner can read.
func (a Access) WriteTo(path string) error {
	a.PID = cmp.Or(a.PID, os.Getpid())
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("client: access: %w", err)
	}
	if err := paths.Write(path, raw, 0o600); err != nil {
		return fmt.Errorf("client: access: %w", err)
	}
	return nil
}

// Forget removes the access to the gateway of a data folder, if there is one.
func Forget(dataFolder string) error {
	path, err := AccessFile(dataFolder)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("client: access: %w", err)
	}
	return nil
}

// Local makes a client of the gateway that serves a data folder on this
// machine, or returns ErrNotRunning. The client finds the gateway again after
// that was restarted.
func Local(dataFolder string) (*Client, error) {
	path, err := AccessFile(dataFolder)
	if err != nil {
		return nil, err
	}
	return local(path, dataFolder)
}

// LocalAt is Local for an AccessFile whose absolute path is known. The environment has no
// influence on which gateway is used.
func LocalAt(accessFile string) (*Client, error) {
	if !filepath.IsAbs(accessFile) {
		return nil, fmt.Errorf("client: access: %q is no absolute path", accessFile)
	}
	return local(accessFile, accessFile)
}

// straight ignores proxy settings: a local gateway is reached directly.
var straight = &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}}

// local makes a client from an access file. Errors refer to the gateway as named.
func local(path, named string) (*Client, error) {
	c := &Client{http: straight, access: func() (Access, error) { return readAccess(path, named) }}
	if _, err := c.access(); err != nil {
		return nil, err
	}
	return c, nil
}

// readAccess reads the access to a gateway that runs.
func readAccess(path, named string) (a Access, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("%w: %s; start one with: gateway serve", ErrNotRunning, named)
	}
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		return a, fmt.Errorf("client: access: %w", err)
	}
	// A gateway that crashed leaves its file, and anybody can take its port.
	if a.PID > 0 && syscall.Kill(a.PID, 0) != nil {
		return a, fmt.Errorf("%w any more: %s; start one with: gateway serve", ErrNotRunning, named)
	}
	return a, nil
}

// LoginsFolder is the folder of saved logins, each encrypted with a passphrase.
func LoginsFolder() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("client: %w", err)
	}
	return filepath.Join(dir, "lineclear", "logins"), nil
}
