package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/model/scripted"
)

const (
	defaultListen    = "127.0.0.1:8787"
	defaultRunWithin = 10 * time.Minute
	defaultRunIdle   = time.Hour
	maxScript        = 1 << 20 // bytes

	defaultMaxPending = 200
)

// pushHost is what stands under pushHosts.
var pushHost = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?$`)

// resolver makes values of a file whose structure is sound. What the structure
// check has spoilt arrives as if it were left out.
type resolver struct {
	doc   *document
	found *faultList
	file  string
	base  string
	env   func(string) (string, bool)
}

func (r resolver) fault(at []string, format string, args ...any) {
	r.found.add(r.doc.nearest(at), "%s: %s", words(at), fmt.Sprintf(format, args...))
}

func (r resolver) config(f file) *Config {
	c := &Config{Gateway: r.gateway(f.Gateway)}
	c.Gateway.Cluster = r.cluster(f.Cluster)
	models := r.models(f.Models)
	for _, name := range r.doc.keys["agents"] {
		if a, ok := f.Agents[name]; ok && a.Kind == external {
			r.outside(name, a)
			c.Programs = append(c.Programs, r.agent(name, a, f, models))
		} else if ok {
			c.Agents = append(c.Agents, r.agent(name, a, f, models))
		}
	}
	r.delegates(f, c.Agents)
	r.unusedServers(f.MCPServers, slices.Concat(c.Agents, c.Programs))
	r.offered(c.Programs)
	if _, taken := f.Agents[ExternalID]; !taken {
		c.Programs = append(c.Programs, r.agent(ExternalID, agentFile{Kind: external, Description: "Programs that name no agent when they ask."}, f, models))
	}
	r.judgement(f, c)
	return c
}

// offered finds fault with servers that two external agents offer to MCP clients: the
// address names the server alone.
func (r resolver) offered(programs []Agent) {
	by := map[string]string{}
	for _, a := range programs {
		for _, s := range a.MCP {
			if first, taken := by[s.Name]; taken {
				r.fault([]string{"agents", a.ID, "mcp", s.Name}, "%s offers this server already: name it twice under mcpServers, or take it out of one", first)
			}
			by[s.Name] = a.ID
		}
	}
}

func (r resolver) gateway(f gatewayFile) Gateway {
	at := func(name string) []string { return []string{"gateway", name} }
	g := Gateway{Listen: defaultListen, Data: r.stateFolder(), PublicOrigins: f.PublicOrigins, LocalKey: LocalKeyAsks, RequireHello: f.RequireHello, Push: f.Push != "off"}
	if f.Listen != "" {
		g.Listen = f.Listen
		if !isListenAddress(f.Listen) {
			r.fault(at("listen"), "%s is no address: write host:port, such as %s", r.doc.given(at("listen")), defaultListen)
		}
	}
	if f.Data != "" {
		g.Data, g.DataSet = r.path(f.Data), true
	}
	if f.AuditKey != "" {
		g.AuditKey = r.path(f.AuditKey)
	}
	if f.LocalKey != "" {
		g.LocalKey = LocalKey(f.LocalKey) // the schema knows the same words
	}
	sound := true
	for i, origin := range f.PublicOrigins {
		sound = sound && isOrigin(origin)
		place := append(at("publicOrigins"), strconv.Itoa(i))
		switch {
		case !isOrigin(origin):
			r.fault(place, "%s is no origin: write the scheme, the host and a port where there is one, such as https://approvals.example.com", r.doc.given(place))
		case !isSafe(origin):
			r.fault(place, "%s is without TLS, and logins could be read on the way: write https://, or open it on the gateway's own machine", r.doc.given(place))
		}
	}
	if _, err := auth.NewOriginCheck(f.PublicOrigins...); err != nil && sound {
		r.fault(at("publicOrigins"), "%v", err)
	}
	g.TLS = r.tls(f.TLS, at("tls"))
	for i, text := range f.TrustedProxies {
		place := append(at("trustedProxies"), strconv.Itoa(i))
		network, err := readNetwork(text)
		if err != nil {
			r.fault(place, "%s: %v: write an address such as 10.0.0.2, or a network such as 10.0.0.0/24", r.doc.given(place), err)
			continue
		}
		g.TrustedProxies = append(g.TrustedProxies, network)
	}
	for i, host := range f.PushHosts {
		place := append(at("pushHosts"), strconv.Itoa(i))
		if host != "" && !pushHost.MatchString(host) {
			r.fault(place, "%s is no host: write push.example.com, push.example.com:8443 or *.push.example.com", r.doc.given(place))
		}
	}
	g.PushHosts = f.PushHosts
	l := f.Limits
	g.Limits = GatewayLimits{
		RequestRate: float64(l.RequestsPerSecond), AddressRate: float64(l.AddressRequestsPerSecond),
		Connections: int(l.Connections), PerAddress: int(l.ConnectionsPerAddress),
		Tabs: int(l.Tabs), OpenPerLogin: int(l.OpenPerLogin), Written: int(l.BytesPerHour),
	}
	g.Secrets = r.secrets(f.Secrets, at("secrets"))
	g.Traces = r.traces(f.Traces, at("traces"))
	g.Retention = r.retention(f.Retention, at("retention"))
	g.RunWithin = r.duration(f.RunWithin, defaultRunWithin, at("runWithin"))
	g.RunIdle = r.duration(f.RunIdle, defaultRunIdle, at("runIdle"))
	g.AskerGrace = r.duration(f.AskerGrace, gate.DefaultAskerGrace, at("askerGrace"))
	return g
}

// stateFolder is the default data folder: below the user's state folder (XDG Base
// Directory Specification), named after the file's path. It is empty if there is none.
func (r resolver) stateFolder() string {
	file := paths.Real(r.file)
	state, _ := r.env("XDG_STATE_HOME")
	if home, _ := r.env("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return ""
	}
	return filepath.Join(state, "lineclear", filepath.Base(filepath.Dir(file))+"-"+paths.Tag(file))
}

// tls takes a certificate and its key, both or none.
func (r resolver) tls(f tlsFile, at []string) TLS {
	switch {
	case f.Cert == "" && f.Key == "":
		return TLS{}
	case f.Cert == "":
		r.fault(at, "cert is missing: name the certificate that belongs to the key")
	case f.Key == "":
		r.fault(at, "key is missing: name the key that belongs to the certificate")
	}
	return TLS{Cert: r.path(f.Cert), Key: r.path(f.Key)}
}

// readNetwork reads an address, or a network in CIDR form (RFC 4632), as it is
// compared later. Everybody is no proxy.
func readNetwork(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(text)
	if addr, failed := netip.ParseAddr(text); failed == nil {
		network, err = addr.Prefix(addr.BitLen())
	}
	switch {
	case err != nil:
		return network, errors.New("is no address")
	case network.Addr().Is4In6():
		return network, fmt.Errorf("write %s as the IPv4 address that it is", network.Addr().Unmap())
	case network.Bits() == 0:
		return network, errors.New("is everybody")
	case network.Masked() != network:
		return network, fmt.Errorf("is within %s: say which of both is meant", network.Masked())
	}
	return network, nil
}

// isSafe reports whether logins at an origin stay unread: by TLS, or on this
// machine.
func isSafe(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// secrets says what is masked. A pattern that can't be used is a fault.
func (r resolver) secrets(f secretsFile, at []string) *mask.Secrets {
	o := mask.SecretOptions{Fields: f.Fields}
	for _, kind := range f.Off {
		o.Off = append(o.Off, mask.SecretKind(kind))
	}
	for i, pattern := range f.Patterns {
		place := append(slices.Clone(at), "patterns", strconv.Itoa(i))
		if _, err := mask.NewSecrets(mask.SecretOptions{Patterns: []string{pattern}}); err != nil {
			r.fault(place, "%s can't be used: %v", r.doc.given(place), errors.Unwrap(err))
			continue
		}
		o.Patterns = append(o.Patterns, pattern)
	}
	s, err := mask.NewSecrets(o)
	if err != nil {
		r.fault(at, "%v", err)
	}
	return s
}

func isListenAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == port
}

// isOrigin takes what a browser would send: nothing behind the host and port,
// and lower case, since it is compared letter by letter.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return s == u.Scheme+"://"+u.Host && s == strings.ToLower(s)
}

// path makes a path of the file absolute.
func (r resolver) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(r.base, p)
}

func (r resolver) duration(text duration, fallback time.Duration, at []string) time.Duration {
	if text == "" {
		return fallback
	}
	d, err := time.ParseDuration(string(text))
	switch {
	case err != nil:
		r.fault(at, "%s is no duration: write it like 500ms, 30s, 2m or 1h30m", r.doc.given(at))
		return fallback
	case d <= 0:
		r.fault(at, "%s is no time at all: want more than 0", r.doc.given(at))
		return fallback
	default:
		return d
	}
}

func (r resolver) script(path string, at []string) (scripted.Script, bool) {
	if path == "" {
		return scripted.Script{}, true
	}
	info, err := os.Stat(r.path(path))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxScript) {
		r.fault(at, "%s is no script: want a file of at most %d bytes", r.doc.given(at), maxScript)
		return scripted.Script{}, false
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(r.path(path))
	}
	if err != nil {
		r.fault(at, "%s can't be read: %s; paths start at the folder of this file", r.doc.given(at), reason(err))
		return scripted.Script{}, false
	}
	script, err := scripted.Parse(data)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			r.fault(at, "in %s: %s", r.doc.given(at), strings.TrimPrefix(line, "scripted: "))
		}
		return scripted.Script{}, false
	}
	return script, true
}

// mode is the agent's own, or that for all agents.
func (r resolver) mode(own, common mode) approval.Mode {
	for _, m := range []mode{own, common} {
		if m != "" {
			return approval.Mode(m) // the schema knows the same words
		}
	}
	return approval.Manual
}

func (r resolver) timeout(text waiting, at []string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	if text == noTimeout {
		return gate.NoTimeout, true
	}
	return r.duration(duration(text), gate.DefaultTimeout, at), true
}
