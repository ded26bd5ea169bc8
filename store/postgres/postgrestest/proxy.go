package postgrestest

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy is between a node and its server, and can lose what goes over it.
type Proxy struct {
	target string
	listen net.Listener

	mu    sync.Mutex
	lose  string // the text whose message is lost with its connection; empty: none
	reply bool   // its reply is lost, not the message
	cut   chan struct{}
	dead  bool
	conns map[net.Conn]bool
	all   sync.WaitGroup
}

// Between starts a proxy in front of a server; the node is given its URL.
func (s *Server) Between(t testing.TB, url string) (*Proxy, string) {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(url, "@")
	target, path, _ := strings.Cut(rest, "/")
	p := &Proxy{target: target, listen: listen, conns: map[net.Conn]bool{}}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		p.Kill()
		p.all.Wait()
	})
	return p, "postgres://lineclear@" + listen.Addr().String() + "/" + path
}

// Lose ends the connection on which the next message with a text comes: before the server has it, or,
// with reply, once the server has done it.
func (p *Proxy) Lose(text string, reply bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose, p.reply = text, reply
}

// Cut lets nothing through any more, in either direction, and ends no connection.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil {
		p.cut = make(chan struct{})
	}
}

// Heal ends a Cut.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != nil {
		close(p.cut)
		p.cut = nil
	}
}

// Kill ends all connections, and lets in no new one.
func (p *Proxy) Kill() {
	p.Heal()
	_ = p.listen.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for c := range p.conns {
		_ = c.Close()
	}
}

// pass waits while there is a cut.
func (p *Proxy) pass() {
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	if cut != nil {
		<-cut
	}
}

// losing reports whether a message is the one to be lost, and its reply alone.
func (p *Proxy) losing(message []byte) (lost, reply bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lose == "" || !bytes.Contains(message, []byte(p.lose)) {
		return false, false
	}
	p.lose = ""
	return true, p.reply
}

func (p *Proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		if p.dead {
			_ = errors.Join(client.Close(), server.Close())
		} else {
			p.conns[client], p.conns[server] = true, true
			p.all.Go(func() { p.forth(client, server) })
		}
		p.mu.Unlock()
	}
}

// forth carries what the client says to the server, and back what the server says.
func (p *Proxy) forth(client, server net.Conn) {
	back := make(chan struct{})
	var deaf sync.Mutex // held while what the server says is lost
	p.all.Go(func() {
		defer close(back)
		defer func() { _ = client.Close() }() // the server has hung up
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if err != nil {
				return
			}
			p.pass()
			deaf.Lock()
			_, err = client.Write(buf[:n])
			deaf.Unlock()
			if err != nil {
				return
			}
		}
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			break
		}
		p.pass()
		lost, reply := p.losing(buf[:n])
		if lost && !reply {
			break
		}
		if lost {
			deaf.Lock()
			_ = client.Close() // nobody hears the reply
			deaf.Unlock()
		}
		if _, err := io.Copy(server, bytes.NewReader(buf[:n])); err != nil || lost {
			break
		}
	}
	_ = client.Close()
	if c, ok := server.(*net.TCPConn); ok {
		_ = c.CloseWrite() // the server does what it has been sent
	}
	<-back
	_ = server.Close()
}
