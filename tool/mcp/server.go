package mcp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// errServerClosed is the cause of what Close ends.
var errServerClosed = errors.New("mcp: the server is being closed")

// Server is one MCP server as an agent has it.
type Server struct {
	config  Config
	options Options
	base    http.RoundTripper // of a server with a URL

	closing chan struct{}  // closed by Close
	running sync.WaitGroup // the connections

	mu     sync.Mutex
	closed bool
	old    bool // the server can't bear to be asked in the newest way
	slots  map[string]*slot
}

// New makes a Server. It starts nothing; a config that can't be meant is
// ErrConfig.
func New(c Config, o Options) (*Server, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, options: o, closing: make(chan struct{}), slots: map[string]*slot{}}
	if c.URL != "" {
		s.base = usualHTTP(o.HTTP)
	}
	return s, nil
}

// Name is the server's name, the prefix of its tools.
func (s *Server) Name() string { return s.config.Name }

// Tools are the server's tools as the session's connection has them now; it is
// started if need be. A tool can be run for any session.
func (s *Server) Tools(ctx context.Context, sessionID string) ([]tool.Tool, error) {
	for again := true; ; again = false {
		c, err := s.use(ctx, sessionID)
		if err != nil {
			return nil, err
		}
		tools, failed := c.tools(ctx)
		c.leave()
		if failed == nil {
			return tools, nil
		}
		if !errors.Is(c.transport.Lost(), transport.ErrForgotten) || !again {
			return nil, failed
		}
	}
}

// Report is what Check has found.
type Report struct {
	ServerName string // as the server calls itself
	Version    string
	Protocol   string // the version of MCP that is spoken with it
	Tools      []tool.Spec
	Names      []string // the server's own, of all its tools
}

// Check connects apart from all sessions, lists the tools, and disconnects.
func (s *Server) Check(ctx context.Context) (Report, error) {
	if err := s.begin(); err != nil {
		return Report{}, err
	}
	defer s.running.Done()
	c, failed := s.connect(ctx, "")
	if failed != nil {
		return Report{}, failed
	}
	defer c.shutdown()
	tools, err := c.tools(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Names: c.catalog.listed()}
	if about := c.session.InitializeResult(); about != nil {
		r.Protocol = about.ProtocolVersion
		if about.ServerInfo != nil {
			r.ServerName, r.Version = oneLine(about.ServerInfo.Name, maxLine), oneLine(about.ServerInfo.Version, maxLine)
		}
	}
	for _, t := range tools {
		r.Tools = append(r.Tools, t.Spec())
	}
	return r, nil
}

// Close ends all connections and processes, and waits for them. Calls that run
// fail, and later ones too.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	s.running.Wait()
	if idle, ok := s.base.(interface{ CloseIdleConnections() }); ok && s.options.HTTP == nil {
		idle.CloseIdleConnections()
	}
	return nil
}

// usualHTTP is a host's own, or one that is like Go's usual one.
func usualHTTP(own http.RoundTripper) http.RoundTripper {
	if own != nil {
		return own
	}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		return usual.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

// begin counts something that Close has to wait for.
func (s *Server) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.closedError()
	}
	s.running.Add(1)
	return nil
}

// untilClosed is a context that also ends when the server is closed.
func (s *Server) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-s.closing:
			cancel(errServerClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-over
	}
}

// The times between a failure and the next start.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)
