package httpapi

import (
	"net"
	"net/http"
	"net/netip"
)

// AddressBehind is whom a request comes from, with one network of proxies.
func AddressBehind(peer, forwarded, proxies string) string {
	s := New(Backend{Limits: Limits{TrustedProxies: []netip.Prefix{netip.MustParsePrefix(proxies)}}})
	r := &http.Request{RemoteAddr: net.JoinHostPort(peer, "1"), Header: http.Header{}}
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	return s.address(r)
}
