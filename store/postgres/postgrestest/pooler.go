package postgrestest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Pooled starts a PgBouncer in transaction mode in front of the server, or of a proxy that is there, with few
// connections to it, and returns how a database's URL leads there.
func (s *Server) Pooled(t testing.TB, through ...*Proxy) func(url string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // Debian's, which is not on everybody's path
	}
	dir, err := os.MkdirTemp("", "lineclear-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	target := s.Port
	for _, p := range through {
		target = p.listen.Addr().(*net.TCPAddr).Port
	}
	settings := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d user=lineclear
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 2000
server_idle_timeout = 5
unix_socket_dir =
`, target, port)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	start := func() (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, program, "-q", file)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
		return cmd, cmd.Start()
	}
	running, err := start()
	if err != nil {
		t.Fatalf("there is no PgBouncer: make postgres installs it on Debian: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for err == nil { // some versions crash when a query is cancelled
			_ = running.Wait()
			running, err = start()
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
	for range 1000 {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
			return func(url string) string {
				return strings.Replace(url, fmt.Sprintf(":%d/", s.Port), fmt.Sprintf(":%d/", port), 1)
			}
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal("PgBouncer does not answer")
	return nil
}

func freePort() (int, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return free.Addr().(*net.TCPAddr).Port, free.Close()
}
