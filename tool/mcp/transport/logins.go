package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/lineclear/lineclear/internal/paths"
)

// Logins keeps people's logins at servers, each under the server's name. LoginFiles is one; gateways
// that work together have one in their database.
type Logins interface {
	// Lock keeps all others from a login until unlock, in this process and in others.
	Lock(ctx context.Context, name string) (unlock func(), err error)
	// Read returns what is kept; fs.ErrNotExist: nothing.
	Read(ctx context.Context, name string) ([]byte, error)
	// Write keeps what is, in one step, if there still is what was; nil: whatever there is. It reports
	// whether it did. Only who holds the lock writes.
	Write(ctx context.Context, name string, was, is []byte) (written bool, err error)
	// Remove forgets a login. Without one it is fs.ErrNotExist.
	Remove(ctx context.Context, name string) error
}

// LoginFiles is a folder with a file for each login, for its owner alone.
type LoginFiles string

func (f LoginFiles) file(name string) string { return filepath.Join(string(f), name+".json") }

// Lock implements Logins.
func (f LoginFiles) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(f.file(name)+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = lock.Close() }, nil // which gives it free
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, lock.Close())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), lock.Close())
		}
	}
}

// Read implements Logins.
func (f LoginFiles) Read(_ context.Context, name string) ([]byte, error) {
	info, err := os.Stat(f.file(name))
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s is open to other users: chmod go-rwx it", f.file(name))
	}
	return os.ReadFile(f.file(name))
}

// Write implements Logins. The lock keeps all others away, so there is what was.
func (f LoginFiles) Write(_ context.Context, name string, _, is []byte) (written bool, err error) {
	err = paths.Write(f.file(name), is, 0o600)
	return err == nil, err
}

// Remove implements Logins.
func (f LoginFiles) Remove(_ context.Context, name string) error { return os.Remove(f.file(name)) }

// noLogins is where there is no place for logins.
type noLogins struct{}

var errNoLogins = errors.New("there is no folder for logins")

func (noLogins) Lock(context.Context, string) (func(), error) { return nil, errNoLogins }

func (noLogins) Read(context.Context, string) ([]byte, error) { return nil, fs.ErrNotExist }

func (noLogins) Write(context.Context, string, []byte, []byte) (bool, error) {
	return false, errNoLogins
}

func (noLogins) Remove(context.Context, string) error { return errNoLogins }
