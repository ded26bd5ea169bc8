//go:build postgres

package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

// station is one gateway of a cluster, which is started again whenever it ends.
type station struct {
	*cluster
	name, listen string
	proxy        *postgrestest.Proxy // between it and the database
	through      string

	mu  sync.Mutex
	cmd *exec.Cmd // of the program that runs now
	log *logBuffer
}

// stations makes some, none of which runs yet.
func (c *cluster) stations(names ...string) (all []*station) {
	c.t.Helper()
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			c.t.Fatal(err)
		}
		s := &station{cluster: c, name: name, listen: l.Addr().String(), log: newLogBuffer()}
		if err := l.Close(); err != nil {
			c.t.Fatal(err)
		}
		s.proxy, s.through = c.server.Between(c.t, c.database)
		all = append(all, s)
	}
	return all
}

var printedLink = regexp.MustCompile(`#login=([^\s"]+)`)

// keep runs the gateway, again and again, until ctx ends; then it stops it. It sends the link of the first run.
func (s *station) keep(ctx context.Context, links chan<- string) {
	for ctx.Err() == nil {
		cmd := exec.Command("gateway", "serve", "--config", filepath.Join(s.dir, "agents", "agents.yaml"), "--data", filepath.Join(s.dir, "data-"+s.name))
		cmd.Stderr = s.log
		cmd.Env = append((&process{dir: s.dir}).environment(), "LINECLEAR_PRINT_LINK=1", "NODE="+s.name, "LISTEN="+s.listen, "DATABASE="+s.through)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			s.t.Error(err)
			return
		}
		s.mu.Lock()
		s.cmd = cmd
		s.mu.Unlock()
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(os.Interrupt) })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := printedLink.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case links <- m[1]:
				default: // it is not needed any more
				}
			}
		}
		_ = cmd.Wait() // it may have been killed
		stop()
	}
}

func (s *station) signal(signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(signal) // it may be gone
	}
}

// browserOf is a browser at this station.
func (s *station) browserOf(who *process) *process {
	p := who.resumed(who)
	p.url = "http://" + s.listen
	return p
}
