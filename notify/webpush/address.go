package webpush

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/lineclear/lineclear/notify"
)

// maxEndpoint bounds an endpoint's length, in bytes.
const maxEndpoint = 2048

// errAddress refuses to connect.
var errAddress = errors.New("webpush: this address is not public")

// notPublic are networks that are reached from inside alone, or through which such are reached.
var notPublic = func() []netip.Prefix {
	var all []netip.Prefix
	for _, network := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		all = append(all, netip.MustParsePrefix(network))
	}
	return all
}()

// unicast is all that has been given out of IPv6.
var unicast = netip.MustParsePrefix("2000::/3")

// public reports whether an address is one of the internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && (ip.Is4() || unicast.Contains(ip)) &&
		!slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// publicOnly refuses connections to other addresses. It is asked with the address that a name has
// led to, right before it is used.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !public(to.Addr()) {
		return errAddress
	}
	return nil
}

// endpointOf reads the address of a subscription. Hosts are those that are allowed; none: all of the
// internet.
func endpointOf(text string, hosts []string) (*url.URL, error) {
	at, err := url.Parse(text)
	switch {
	case err != nil, len(text) > maxEndpoint, at.Host == "", at.Opaque != "", at.User != nil, at.Fragment != "":
		return nil, fmt.Errorf("%w: endpoint: want the address that the browser was given by its push service", notify.ErrInvalid)
	case at.Scheme != "https":
		return nil, fmt.Errorf("%w: endpoint: want an address that begins with https://", notify.ErrInvalid)
	case len(hosts) > 0 && !slices.ContainsFunc(hosts, func(allowed string) bool { return matches(allowed, at) }):
		return nil, fmt.Errorf("%w: endpoint: this gateway sends nothing to %s: its operator can add it to gateway.pushHosts", notify.ErrInvalid, at.Host)
	case len(hosts) > 0:
		return at, nil
	case at.Port() != "" && at.Port() != "443":
		return nil, fmt.Errorf("%w: endpoint: want port 443", notify.ErrInvalid)
	}
	if ip, err := netip.ParseAddr(at.Hostname()); err == nil && !public(ip) {
		return nil, fmt.Errorf("%w: endpoint: %s is not a public address", notify.ErrInvalid, at.Host)
	}
	return at, nil
}

// matches reports whether an address is at an allowed host: push.example.com, push.example.com:8443,
// or *.push.example.com. Without a port, the port is 443.
func matches(allowed string, at *url.URL) bool {
	host := strings.ToLower(at.Hostname())
	name, port, err := net.SplitHostPort(allowed)
	if err != nil {
		name, port = allowed, "443"
	}
	given := at.Port()
	if given == "" {
		given = "443"
	}
	fits, err := path.Match(strings.ToLower(name), host)
	return err == nil && fits && port == given
}
