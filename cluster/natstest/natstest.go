// Package natstest starts NATS servers for tests: the machine's own program, not as root, with a folder and a port of
// their own, and with a password.
package natstest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is one that runs.
type Server struct {
	URL string // with its user and password

	program, dir, address string
	as                    *syscall.Credential // nil: who runs the test

	mu  sync.Mutex
	cmd *exec.Cmd // nil: it does not run
}

// Start starts a server with further lines in its file. It ends with the test.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := New(settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

const password = "pass-word"

// New is Start outside of tests; whoever calls it also calls Stop.
func New(settings ...string) (*Server, error) {
	program, err := exec.LookPath("nats-server")
	if err != nil {
		program = "/usr/sbin/nats-server" // Debian's, which is not on everybody's path
	}
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("there is no NATS server: make postgres installs it on Debian: %w", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lineclear-nats-")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "nats://lineclear:" + password + "@" + address, program: program, dir: dir, address: address}
	file := fmt.Sprintf("listen: %q\nauthorization: {user: lineclear, password: %q}\n", address, password)
	for _, more := range settings {
		file += more + "\n"
	}
	if err := os.WriteFile(s.file(), []byte(file), 0o644); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 {
		if s.as, err = nobody(); err != nil {
			return nil, err
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return nil, err
		}
	}
	return s, s.Again()
}

func (s *Server) file() string { return filepath.Join(s.dir, "nats.conf") }

// Again starts the server where it was, after Kill.
func (s *Server) Again() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	said, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = said.Close() }() // the server has it
	s.cmd = exec.Command(s.program, "-c", s.file())
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir = said, said, s.dir
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			text, _ := os.ReadFile(said.Name()) // for the message only
			return fmt.Errorf("nats-server does not answer: %s", text)
		}
	}
}

// Kill ends the server as a crash does.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // it was killed
		s.cmd = nil
	}
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}

func nobody() (*syscall.Credential, error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// Hang stops the server without ending it, until the test ends.
func (s *Server) Hang(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
