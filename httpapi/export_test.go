package httpapi

import (
	"net"
	"net/http"
	"net/netip"
)

// AddressBehind returns the address that a request counts for, given one network of proxies. PeerBehind returns
// the address that it comes from.
func AddressBehind(peer, forwarded, proxies string) string {
	s, r := behind(peer, forwarded, proxies)
	return s.address(r)
}

func PeerBehind(peer, forwarded, proxies string) string {
	s, r := behind(peer, forwarded, proxies)
	return s.peer(r)
}

func behind(peer, forwarded, proxies string) (*Server, *http.Request) {
	s := New(Backend{Limits: Limits{TrustedProxies: []netip.Prefix{netip.MustParsePrefix(proxies)}}})
	r := &http.Request{RemoteAddr: net.JoinHostPort(peer, "1"), Header: http.Header{}}
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	return s, r
}

// Recognised has a test's handler let somebody in.
func Recognised(r *http.Request) (left func()) {
	arrived(r)
	return recognised(r, r.Header.Get("As"))
}

// Unread is how much of headers is being read beyond what each connection may send.
func (c *Connections) Unread() int64 { return c.unread.Load() }

// WordLists are the lists of words by the names of their types.
func WordLists() map[string][]any {
	all := map[string][]any{}
	for _, l := range lists {
		all[l.of.String()] = l.words
	}
	return all
}
