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

// OriginCheck keeps out requests that a foreign web page could make. A page on
// another origin reaches a local port freely, and can make its own host name
// point there (DNS rebinding); so the Host header must be one that we serve
// under, and whatever changes something, or opens a WebSocket, must carry
// exactly one Origin header, equal to one of ours. A request with a bearer token needs
// none, since no page can be made to send one; what it has must be ours all the same.
type OriginCheck struct {
	hosts   []string
	origins []string
}

// NewOriginCheck makes a fence for a server that people open at the given origins,
// such as "http://127.0.0.1:8787". The comparison is exact.
func NewOriginCheck(origins ...string) (*OriginCheck, error) {
	f := &OriginCheck{}
	for _, o := range origins {
		scheme, host, ok := strings.Cut(o, "://")
		if !ok || (scheme != "http" && scheme != "https") || host == "" || strings.ContainsAny(host, "/?#@ ") {
			return nil, fmt.Errorf("auth: origin %q: want scheme://host[:port], such as https://gate.example", o)
		}
		host = strings.ToLower(host)
		// Browsers leave the scheme's own port out.
		host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
		other := map[string]string{"http": "https", "https": "http"}[scheme] + "://" + host
		if slices.Contains(f.origins, other) {
			return nil, fmt.Errorf("auth: origin %q: this host is named with and without TLS; name it once", o)
		}
		f.origins = append(f.origins, scheme+"://"+host)
		f.hosts = append(f.hosts, host)
	}
	return f, nil
}

// LoopbackOrigins are the origins under which a server on a loopback address
// is opened.
func LoopbackOrigins(address netip.AddrPort) []string {
	port := strconv.Itoa(int(address.Port()))
	var origins []string
	if !address.Addr().IsUnspecified() {
		origins = append(origins, "http://"+address.String())
	}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		origins = append(origins, "http://"+net.JoinHostPort(host, port))
	}
	return origins
}

// Refuse says whether the request stays outside, with a status and why: 421 for
// a Host that is not ours, 403 for an Origin that is missing where it is needed
// or not ours. The status of an allowed one is 0.
func (f *OriginCheck) Refuse(r *http.Request) (status int, why string) {
	switch {
	case !slices.Contains(f.hosts, strings.ToLower(r.Host)):
		return http.StatusMisdirectedRequest, "this server is not known under that host name: open it at " + f.origins[0]
	case !f.OriginAllowed(r):
		if r.Header["Origin"] == nil && r.Header["Cookie"] == nil {
			return http.StatusForbidden, "send a token, as Authorization: Bearer lct_…, or, from a page, your Origin"
		}
		return http.StatusForbidden, "requests from that origin are not taken: open " + f.origins[0]
	}
	return 0, ""
}

// Secure reports whether browsers reach the request's host by TLS.
func (f *OriginCheck) Secure(r *http.Request) bool {
	return slices.Contains(f.origins, "https://"+strings.ToLower(r.Host))
}

// OriginAllowed reports whether the request's Origin is ours. A plain GET or
// HEAD without Origin is what a browser sends for an address typed in, and
// changes nothing; anything else needs the header, but for a program with a token.
func (f *OriginCheck) OriginAllowed(r *http.Request) bool {
	given := r.Header.Values("Origin")
	if len(given) == 0 {
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ")
		return safe && r.Header.Get("Upgrade") == ""
	}
	return len(given) == 1 && slices.Contains(f.origins, given[0])
}
