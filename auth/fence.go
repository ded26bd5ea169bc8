package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Fence keeps out requests that a foreign web page could make. A page on
// another origin reaches a local port freely, and can make its own host name
// point there (DNS rebinding); so the Host header must be one that we serve
// under, and whatever changes something, or opens a WebSocket, must carry
// exactly one Origin header, equal to one of ours.
type Fence struct {
	hosts   []string
	origins []string
}

// NewFence makes a fence for a server that people open at the given origins,
// such as "http://127.0.0.1:8787". The comparison is exact.
func NewFence(origins ...string) (*Fence, error) {
	f := &Fence{}
	for _, o := range origins {
		scheme, host, ok := strings.Cut(o, "://")
		if !ok || (scheme != "http" && scheme != "https") || host == "" || strings.ContainsAny(host, "/?#@ ") {
			return nil, fmt.Errorf("auth: origin %q: want scheme://host[:port], such as https://gate.example", o)
		}
		host = strings.ToLower(host)
		// Browsers leave the scheme's own port out.
		host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
		f.origins = append(f.origins, scheme+"://"+host)
		f.hosts = append(f.hosts, host)
	}
	return f, nil
}

// LoopbackOrigins are the origins under which a server on a loopback address
// is opened.
func LoopbackOrigins(address netip.AddrPort) []string {
	port := strconv.Itoa(int(address.Port()))
	origins := []string{"http://" + address.String()}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		origins = append(origins, "http://"+net.JoinHostPort(host, port))
	}
	return origins
}

// Handler lets through to next what passes the fence: 421 for a Host that is
// not ours, 403 for an Origin that is missing where it is needed or not ours.
func (f *Fence) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(f.hosts, strings.ToLower(r.Host)) {
			http.Error(w, "this server is not known under that host name: open it at "+f.origins[0],
				http.StatusMisdirectedRequest)
			return
		}
		if !f.OriginAllowed(r) {
			http.Error(w, "requests from that origin are not taken: open "+f.origins[0], http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// OriginAllowed reports whether the request's Origin is ours. A plain GET or
// HEAD without Origin is what a browser sends for an address typed in, and
// changes nothing; anything else needs the header.
func (f *Fence) OriginAllowed(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		return safe && r.Header.Get("Upgrade") == ""
	}
	return len(given) == 1 && slices.Contains(f.origins, given[0])
}
