package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/internal/process"
)

// The times of a program's end: by itself once its stdin is closed, then between
// SIGTERM and SIGKILL, and for reading what it has left.
const (
	byItself = 500 * time.Millisecond
	grace    = 2 * time.Second
	leftover = time.Second
)

// program is the way to a server on stdin and stdout, and its one connection.
type program struct {
	name    string
	log     *serverLog
	limiter *limiter
	secret  secrets
	family  process.Family
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	tail    tail

	incoming chan jsonrpc.Message
	outgoing chan frame
	readErr  error         // why incoming was closed
	gone     atomic.Bool   // its stdout ended before we cut it
	cutOff   chan struct{} // closed by cut
	once     sync.Once
	ended    chan struct{} // closed when the group is gone and all is read
}

// frame is one message on its way to the program.
type frame struct {
	data []byte
	sent chan error
}

var (
	_ transport      = (*program)(nil)
	_ mcp.Connection = (*program)(nil)
)

// startProgram starts a server's program.
func (s *Server) startProgram(v *serverLog) (transport, *Error) {
	p := &program{
		name:     filepath.Base(s.config.Command[0]),
		log:      v,
		secret:   secretsOfVariables(s.config.Env),
		family:   newFamily(),
		cmd:      exec.Command(s.config.Command[0], s.config.Command[1:]...),
		incoming: make(chan jsonrpc.Message), outgoing: make(chan frame),
		cutOff: make(chan struct{}), ended: make(chan struct{}),
	}
	p.limiter = newLimiter(v, p.cut)
	p.cmd.Dir = s.config.WorkingDirectory
	p.cmd.Env = append(environment(os.Environ(), s.config.Env), p.family.Mark.Entry())
	if s.options.Owner != "" {
		p.cmd.Env = append(p.cmd.Env, ownedBy(s.options.Owner).Entry())
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.start(); err != nil {
		return nil, s.notStarted(p.name, err)
	}
	p.family.Group = p.cmd.Process.Pid
	go p.live()
	return p, nil
}

func environment(ours []string, more map[string]string) []string {
	var env []string
	for _, entry := range ours {
		name, _, _ := strings.Cut(entry, "=")
		if _, set := more[name]; !set && Inherited(name) {
			env = append(env, entry)
		}
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func (s *Server) notStarted(name string, err error) *Error {
	e := &Error{Server: s.config.Name, Err: err, Remedy: "see whether its command is right"}
	dir := s.config.WorkingDirectory
	info, statErr := os.Stat(dir)
	switch {
	case dir != "" && (statErr != nil || !info.IsDir()):
		e.Detail, e.Remedy = fmt.Sprintf("could not start %s: there is no directory %s", name, dir), "make it, or set another working directory"
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		e.Detail, e.Remedy = fmt.Sprintf("could not start %s: executable file not found", name), "install it or give its path"
	case errors.Is(err, fs.ErrPermission):
		e.Detail, e.Remedy = fmt.Sprintf("could not start %s: not allowed", name), "make the file executable"
	default:
		e.Detail = fmt.Sprintf("could not start %s: %s", name, secretsOfVariables(s.config.Env).hide(err.Error()))
	}
	return e
}

// start makes the pipes itself: their ends can be closed under a reader.
func (p *program) start() error {
	var theirs []*os.File
	var err error
	pipe := func(ours **os.File, reads bool) *os.File {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			err = pipeErr
			return nil
		}
		*ours = r
		if !reads {
			*ours, w = w, r
		}
		theirs = append(theirs, w)
		return w
	}
	stdin, stdout, stderr := pipe(&p.stdin, false), pipe(&p.stdout, true), pipe(&p.stderr, true)
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
		err = p.cmd.Start()
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		p.close()
	}
	return err
}

func (p *program) close() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			_ = f.Close() // nothing is lost by it
		}
	}
}

// live looks after the program until nothing of it is left.
func (p *program) live() {
	var readers, others sync.WaitGroup
	readers.Go(p.read)
	readers.Go(p.listen)
	others.Go(p.write)
	exited := make(chan struct{})
	others.Go(func() {
		defer close(exited)
		_ = p.cmd.Wait() // how it ended, nobody asks
	})
	select {
	case <-exited:
	case <-p.cutOff:
		late := time.NewTimer(byItself)
		defer late.Stop()
		select {
		case <-exited:
		case <-late.C:
		}
	}
	if _, err := p.family.End(grace); err != nil {
		p.log.say("warning", err.Error())
	}
	// What can't be found any more can hold the pipes open for ever.
	until := time.Now().Add(leftover)
	_ = p.stdout.SetReadDeadline(until)
	_ = p.stderr.SetReadDeadline(until)
	readers.Wait()
	p.cut()
	others.Wait()
	p.close()
	close(p.ended)
}

// write writes the messages, each as a whole.
func (p *program) write() {
	for {
		select {
		case f := <-p.outgoing:
			_, err := p.stdin.Write(f.data)
			f.sent <- err
		case <-p.cutOff:
			return
		}
	}
}

// Connect implements mcp.Transport.
func (p *program) Connect(context.Context) (mcp.Connection, error) { return p, nil }

// Read implements mcp.Connection.
func (p *program) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-p.incoming:
		if !ok {
			return nil, p.readErr
		}
		return m, nil
	case <-p.cutOff:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection. A message whose ctx ends may be on its way.
func (p *program) Write(ctx context.Context, m jsonrpc.Message) error {
	defer p.limiter.answered(m)
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	f := frame{data: append(data, '\n'), sent: make(chan error, 1)}
	select {
	case p.outgoing <- f:
	case <-p.cutOff:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-f.sent:
		return err
	case <-p.cutOff:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements mcp.Connection.
func (p *program) Close() error {
	p.cut()
	return nil
}

// SessionID implements mcp.Connection.
func (p *program) SessionID() string { return "" }

func (p *program) cut() {
	p.once.Do(func() {
		close(p.cutOff)
		_ = p.stdin.Close() // which tells the program to end
	})
}

func (p *program) shutdown(closeSession func()) {
	p.cut()
	<-p.ended
	closeSession()
}

func (p *program) where() string           { return p.name }
func (p *program) hide(text string) string { return p.secret.hide(text) }
func (p *program) clean(err error) string  { return oneLine(p.hide(plain(err)), maxLine) }
func (p *program) words() string           { return p.tail.text() }
func (p *program) lost() bool              { return p.gone.Load() || p.fault() != "" }
func (p *program) forgotten() bool         { return false }
func (p *program) fault() string           { return p.limiter.why() }
func (p *program) done() <-chan struct{}   { return p.cutOff }
