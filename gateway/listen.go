package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/httpapi"
)

// listener is where the gateway is reached. Where that is by TLS, programs on
// this machine come in beside it without.
type listener struct {
	config   config.Gateway
	mounted  string // the origin where another program serves the gateway: then there is no socket
	public   net.Listener
	local    net.Listener // for programs on this machine; public itself where that has no TLS
	guard    *httpapi.Connections
	standing []net.Listener
}

// checkListen refuses addresses that can't be listened on safely, and a certificate that can't be read. An
// address that other machines reach needs TLS, or a proxy in front that has it: anyone who overhears a
// login can answer for its owner.
func checkListen(c config.Gateway) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w; want host:port, such as 127.0.0.1:8787", err)
	}
	secure, loopback := isSecure(c), isLoopback(host)
	switch {
	case !loopback && !secure && len(c.TrustedProxies) == 0:
		return fmt.Errorf("listen: %s is no loopback address, and logins could be read on the network: listen on 127.0.0.1, "+
			"or give the gateway a certificate (gateway.tls), or name the TLS proxy in front of it (gateway.trustedProxies)", host)
	case !loopback && len(c.PublicOrigins) == 0:
		return fmt.Errorf("listen: other machines reach %s: say under which address browsers open the gateway there "+
			"(gateway.publicOrigins), such as https://gate.example.com", host)
	case secure:
		_, err = (&certificate{TLS: c.TLS}).get(nil)
	}
	return err
}

func isSecure(c config.Gateway) bool { return c.TLS != (config.TLS{}) }

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// openListener listens, on what checkListen lets pass.
func openListener(c config.Gateway, mounted string, log *zap.Logger, refused func()) (d *listener, err error) {
	if mounted != "" {
		return &listener{config: c, mounted: mounted}, nil
	}
	if err := checkListen(c); err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(c.Listen) // which has been checked
	secure, loopback := isSecure(c), isLoopback(host)
	limits := httpapi.ConnectionLimits{All: c.Limits.Connections, PerAddress: c.Limits.PerAddress, Trusted: c.TrustedProxies, Refused: refused}
	if !loopback && !secure {
		limits.Only = func(from netip.Addr) bool {
			return from.IsLoopback() || slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(from) })
		}
	}
	d = &listener{config: c, guard: httpapi.NewConnections(limits, log)}
	if d.public, err = d.listen(c.Listen); err != nil {
		return nil, err
	}
	if d.local = d.public; !secure {
		return d, nil
	}
	pair := &certificate{TLS: c.TLS}
	if d.local, err = d.listen("127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, d.close())
	}
	// HTTP/1.1 alone, which WebSockets need.
	d.public = tls.NewListener(d.public, &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: pair.get,
	})
	return d, nil
}

func (d *listener) listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	d.standing = append(d.standing, l)
	return d.guard.Listener(l), nil
}

func (d *listener) close() error {
	var errs []error
	for _, l := range d.standing {
		errs = append(errs, ignoreClosed(l.Close()))
	}
	return errors.Join(errs...)
}

// origins are the addresses under which browsers may open the gateway.
func (d *listener) origins() ([]string, error) {
	if d.mounted != "" {
		return append([]string{d.mounted}, d.config.PublicOrigins...), nil
	}
	var all []string
	for _, l := range []net.Listener{d.public, d.local} {
		at, err := netip.ParseAddrPort(l.Addr().String())
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		for _, origin := range auth.LoopbackOrigins(at) {
			if l == d.public && d.public != d.local {
				origin = "https://" + strings.TrimPrefix(origin, "http://")
			}
			all = append(all, origin)
		}
	}
	return append(all, d.config.PublicOrigins...), nil
}

// link is where people open the gateway.
func (d *listener) link() string {
	if d.mounted != "" {
		return d.mounted
	}
	if len(d.config.PublicOrigins) > 0 {
		return d.config.PublicOrigins[0]
	}
	if d.public != d.local {
		return "https://" + d.public.Addr().String()
	}
	return d.localURL()
}

// localURL is where programs on this machine reach the gateway.
func (d *listener) localURL() string {
	if d.mounted != "" {
		return d.mounted
	}
	at, err := netip.ParseAddrPort(d.local.Addr().String())
	if err == nil && at.Addr().IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", strconv.Itoa(int(at.Port())))
	}
	return "http://" + d.local.Addr().String()
}

// address is where the gateway listens.
func (d *listener) address() string {
	if d.mounted != "" {
		return d.mounted
	}
	return d.public.Addr().String()
}

// run serves until ctx ends.
func (d *listener) run(ctx context.Context, handler http.Handler, log *zap.Logger) error {
	if d.mounted != "" {
		<-ctx.Done()
		return nil
	}
	server := d.newServer(log)
	server.Handler = handler
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return ended(server.Serve(d.public)) })
	if d.local != d.public {
		all.Go(func() error { return ended(server.Serve(d.local)) })
	}
	all.Go(func() error {
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(closing); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return server.Close() // what is left is connections on which nothing is asked
	})
	return all.Wait()
}

// newServer is the HTTP server behind the listener: nobody holds a connection for
// long without asking something.
func (d *listener) newServer(log *zap.Logger) *http.Server {
	return &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 20, // what is larger than we take is told why
		ErrorLog: stdlog.New(serverLog{log}, "", 0), ConnState: d.guard.State, ConnContext: d.guard.Context,
	}
}

// certificate is read again when its file has changed, so that it can be renewed
// while the gateway runs.
type certificate struct {
	config.TLS

	mu   sync.Mutex
	read time.Time // when the file was written that was read
	pair *tls.Certificate
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.Cert)
	if err == nil && info.ModTime().Equal(c.read) {
		return c.pair, nil
	}
	if err := privateKey(c.Key); err != nil {
		return c.pair, orNil(c.pair, err)
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		// A new one that is half written does not take the old one away.
		return c.pair, orNil(c.pair, fmt.Errorf("gateway.tls: %w: name a certificate and its key as PEM files", err))
	}
	c.pair, c.read = &pair, info.ModTime()
	return c.pair, nil
}

func orNil(pair *tls.Certificate, err error) error {
	if pair != nil {
		return nil
	}
	return err
}

// privateKey refuses a key that others can read.
func privateKey(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("gateway.tls.key: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("gateway.tls.key: %s can be read by others (%#o): chmod go-rwx %s", path, mode, path)
	}
	return nil
}

// serverLog takes what the HTTP server has to say. It names addresses in its
// texts, so that a flood of them would not be one message.
type serverLog struct{ log *zap.Logger }

// Write implements io.Writer.
func (l serverLog) Write(line []byte) (int, error) {
	l.log.Info("the HTTP server says", zap.String("text", strings.TrimSpace(string(line))))
	return len(line), nil
}
