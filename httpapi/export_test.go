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

// Recognised has a test's handler let somebody in.
func Recognised(r *http.Request) {
	arrived(r)
	recognised(r)
}

// WordLists are the lists of words by the names of their types.
func WordLists() map[string][]any {
	all := map[string][]any{}
	for _, l := range lists {
		all[l.of.String()] = l.words
	}
	return all
}
