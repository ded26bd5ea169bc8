package mcp

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lineclear/lineclear/tool/mcp/transport"
)

// oldProtocol is the newest version of MCP that begins with "initialize".
const oldProtocol = "2025-11-25"

// newProtocol is the first version that doesn't.
const newProtocol = "2026-07-28"

// connect makes a connection. A server that dies of being asked in the newest
// way, which older ones need not know, is asked in the older one.
func (s *Server) connect(ctx context.Context, sessionID string) (*connection, *Error) {
	ctx, cancel := s.untilClosed(ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, s.config.StartTimeout)
	defer stop()
	s.mu.Lock()
	old := s.old
	s.mu.Unlock()
	if old {
		c, _, err := s.connectAs(ctx, sessionID, oldProtocol)
		return c, err
	}
	c, died, err := s.connectAs(ctx, sessionID, "")
	if err == nil || !died {
		return c, err
	}
	c, _, second := s.connectAs(ctx, sessionID, oldProtocol)
	if second != nil {
		return nil, err
	}
	s.mu.Lock()
	s.old = true
	s.mu.Unlock()
	return c, nil
}

// connectAs reports beside whether a program was started and ended by itself.
func (s *Server) connectAs(ctx context.Context, sessionID, protocol string) (_ *connection, died bool, _ *Error) {
	c := s.newConnection(sessionID)
	// The library's way out of a start can wait for a server that reads nothing.
	stop := context.AfterFunc(ctx, c.transport.Cut)
	session, err := transport.SafeCall(func() (*mcp.ClientSession, error) {
		return c.client().Connect(ctx, c.transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	})
	c.session = session
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		close(c.closing)
		c.transport.Shutdown(c.closeSession)
		return nil, len(s.config.Command) > 0 && c.transport.Lost() != nil && ctx.Err() == nil, c.startError(ctx, err)
	}
	c.mu.Lock()
	c.ready = true
	c.mu.Unlock()
	c.wantLog(ctx)
	return c, false, nil
}

// newTransport makes the transport to the server, which starts nothing.
func (s *Server) newTransport(hear func(level, text string)) *transport.Transport {
	if s.config.URL != "" {
		return transport.NewHTTP(s.site(), hear)
	}
	env := environment(os.Environ(), s.config.Env)
	if s.options.Owner != "" {
		env = append(env, ownedBy(s.options.Owner).Entry())
	}
	var box func(argv []string) ([]string, error)
	if s.config.Sandbox != nil {
		box = func(argv []string) ([]string, error) {
			return s.config.Sandbox.Command(s.config.WorkingDirectory, argv...)
		}
	}
	return transport.NewStdio(transport.Program{
		Command: s.config.Command, Sandbox: box, Directory: s.config.WorkingDirectory,
		Environ: env, Secrets: slices.Collect(maps.Values(s.config.Env)), Family: newFamily(),
	}, hear)
}

func (s *Server) site() transport.Site {
	return transport.Site{
		URL: s.config.URL, Headers: s.config.Headers, OAuth: s.config.OAuth, Base: s.base, Name: s.config.Name, Logins: s.options.Logins,
	}
}

// environment is what a program gets: what it may inherit of ours, and more.
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

// roots are what a server is told of this machine.
func (s *Server) roots() []*mcp.Root {
	if s.config.WorkingDirectory == "" {
		return []*mcp.Root{}
	}
	return []*mcp.Root{{URI: (&url.URL{Scheme: "file", Path: s.config.WorkingDirectory}).String()}}
}

// client is our side of a connection, as far as the protocol is concerned.
func (c *connection) client() *mcp.Client {
	o := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.catalog.changed() },
		ProgressNotificationHandler: c.progress,
		LoggingMessageHandler:       c.heard,
		ElicitationCompleteHandler:  c.completed,
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true}, // see multiround.go
	}
	if c.server.options.Ask != nil {
		o.ElicitationHandler = c.ask
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	roots := c.server.roots()
	if len(roots) > 0 {
		o.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "lineclear", Version: version()}, o)
	client.AddRoots(roots...)
	client.AddSendingMiddleware(c.patience)
	client.AddReceivingMiddleware(transport.SafeHandlers, c.asked)
	return client
}

// patience leaves time for the older way to begin where a server does not answer
// the newest one.
func (c *connection) patience(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "server/discover" {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithTimeout(ctx, c.server.config.StartTimeout/2)
		defer cancel()
		return next(ctx, method, req)
	}
}

// wantLog asks for the server's log. A newer server is asked with each call.
func (c *connection) wantLog(ctx context.Context) {
	about := c.session.InitializeResult()
	if c.server.options.Log == nil || c.isNew() || about == nil || about.Capabilities == nil || about.Capabilities.Logging == nil {
		return
	}
	_, err := transport.SafeCall(func() (struct{}, error) {
		return struct{}{}, c.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: logLevel})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.say("warning", "the server's log can't be had: "+c.errorText(err))
	}
}

// logLevel is the least that a server is to log.
const logLevel = "info"

func (c *connection) isNew() bool {
	about := c.session.InitializeResult()
	return about != nil && about.ProtocolVersion >= newProtocol
}

// version is our own, as servers are told it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
