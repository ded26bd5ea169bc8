// Package postgrestest starts Postgres servers for tests: from the machine's own packages, not as root,
// with a folder and a port of their own.
package postgrestest

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Server is one that runs.
type Server struct {
	Port int

	bin, dir string
	settings []string
	as       *syscall.Credential // nil: who runs the test
	made     atomic.Int64        // databases
}

// Start makes a folder and starts a server in it, with further settings. It ends with the test. Unless they
// say fsync=on, nothing is synced, which only a power cut would show.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := New(settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Run starts a server for all tests of a package, runs them, and returns the exit code.
func Run(m *testing.M, begin func(*Server)) int {
	s, err := New()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Stop()
	begin(s)
	return m.Run()
}

// New is Start outside of tests; whoever calls it also calls Stop.
func New(settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lineclear-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir, settings: settings}
	if os.Getuid() == 0 { // as which Postgres does not start
		if s.as, err = other(); err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, err
		}
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "lineclear", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"); err != nil {
		return nil, err
	}
	if s.Port, err = freePort(); err != nil {
		return nil, err
	}
	return s, s.start()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) start() error {
	settings := fmt.Sprintf("-h 127.0.0.1 -p %d -k %s -c max_connections=200 -c fsync=off -c log_min_messages=fatal", s.Port, s.dir)
	for _, more := range s.settings {
		settings += " -c " + more
	}
	return s.run("pg_ctl", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-w", "-t", "60", "-o", settings, "start")
}

// Restart ends the server at once, as a crash does, and starts it again.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Down(t)
	s.Up(t)
}

// Down ends the server at once, as a crash does; Up starts it again.
func (s *Server) Down(t testing.TB) {
	t.Helper()
	if err := s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop"); err != nil {
		t.Fatal(err)
	}
}

// Up starts the server after Down.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() {
	_ = s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop") // it may not run
	_ = os.RemoveAll(s.dir)
}

// Database makes a new database and returns its URL.
func (s *Server) Database(t testing.TB) string { t.Helper(); return s.Copy(t, s.URL("template1")) }

// Copy makes a copy of a database to which nobody is connected, and returns its URL.
func (s *Server) Copy(t testing.TB, url string) string {
	t.Helper()
	name := "test" + strconv.FormatInt(s.made.Add(1), 10)
	from, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	admin, err := sql.Open("pgx", s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }() // nothing waits there
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+from); err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}

// URL is a database's.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://lineclear@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "HOME="+s.dir, "LC_ALL=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	said, err := os.CreateTemp("", "lineclear-postgres-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(said.Name()) }()
	defer func() { _ = said.Close() }() // it is only read below
	cmd.Stdout, cmd.Stderr = said, said // a file: the server, which stays, has no pipe to keep open
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name()) // for the message only
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("%s: %w\n%s%s", program, err, text, log)
	}
	return nil
}

// programs is the folder of Postgres' programs, the newest of those that Debian has beside each other.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	best, version := "", 0
	for _, program := range found {
		dir := filepath.Dir(program)
		if n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir))); err == nil && n > version {
			best, version = dir, n
		}
	}
	if best != "" {
		return best, nil
	}
	program, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("there is no Postgres: make postgres installs it on Debian: %w", err)
	}
	return filepath.Dir(program), nil
}

// other is a user without rights.
func other() (*syscall.Credential, error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(strings.TrimSpace(u.Uid), 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(strings.TrimSpace(u.Gid), 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
