package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// Limits bound what one client may cost; a zero field means its default. No
// address is exempt, that of this machine included.
type Limits struct {
	AddressRate  float64 // requests a second from one address, in the long run; 400
	IdentityRate float64 // requests a second with one login or token, in the long run; 200
	FailureRate  float64 // invalid logins and tokens a second from one address, and separately terminals that ask to log in; 1

	// TrustedProxies may say, in X-Forwarded-For, for whom they ask.
	TrustedProxies []netip.Prefix
}

// burst is for how many seconds' worth a limit may be overdrawn: opening the
// dashboard is many requests at once.
const burst = 5

// limiters hold a client's requests against what it may.
type limiters struct {
	addresses, identities, failures, terminals *auth.Buckets
	known                                      *auth.Buckets // requests to open routes, by login or token
	work                                       *auth.Buckets // in milliseconds
	asking                                     *auth.Places  // questions that wait or are being answered
	reading                                    *auth.Places  // lists and journals that are being read
	exporting                                  *auth.Places  // exports that are under way
	exports                                    chan struct{} // held by the export that is reading a page
	atWork                                     chan struct{}
	proxies                                    []netip.Prefix
}

func newLimiters(l Limits) *limiters {
	orElse := func(given, otherwise float64) float64 {
		if given == 0 {
			return otherwise
		}
		return given
	}
	return &limiters{
		addresses:  auth.NewBuckets(orElse(l.AddressRate, 400), burst),
		identities: auth.NewBuckets(orElse(l.IdentityRate, 200), burst),
		known:      auth.NewBuckets(orElse(l.IdentityRate, 200), burst),
		failures:   auth.NewBuckets(orElse(l.FailureRate, 1), 10),
		terminals:  auth.NewBuckets(orElse(l.FailureRate, 1), 10),
		work:       auth.NewBuckets(200, 10),
		asking:     auth.NewPlaces(2, 0),
		reading:    auth.NewPlaces(16, 0),
		exporting:  auth.NewPlaces(1, 0),
		exports:    make(chan struct{}, 1),
		atWork:     make(chan struct{}, 2),
		proxies:    l.TrustedProxies,
	}
}

// mayWrite takes what a request makes durable from the hour's budget of who asks.
func (s *Server) mayWrite(c *call) error {
	if c.route.Free || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete}, c.r.Method) {
		return nil
	}
	size := c.r.ContentLength
	if size < 0 || size > c.route.limit() {
		size = c.route.limit()
	}
	return s.Places.Write(c.who, int(size))
}

// read takes a place for reading a list or a journal, which is held in memory, until over is
// called.
func (s *Server) read(c *call) (over func(), err error) {
	over, ok := s.limits.reading.Take(c.who)
	if !ok {
		err = errTooMany("too many lists and journals are being read with this login or token")
	}
	return over, err
}

// longest is how long a question or a search may take.
const longest = 10 * time.Second

var errTooLong = &fault{http.StatusServiceUnavailable, "this takes longer than 10 seconds: ask about less, or try again later"}

// costly does what may take long, for a few at a time, and takes the time from the budget
// of who asks. The call's context ends after longest.
func (s *Server) costly(c *call, do func() error) error {
	leave, ok := s.limits.asking.Take(c.who)
	if !ok {
		return errTooMany("two questions or searches with this login or token are being answered already")
	}
	defer leave()
	budget := s.limits.work.Of(c.who.Root)
	if budget.Tokens() < 1 {
		return errTooMany("questions and searches with this login or token have taken too much time")
	}
	select {
	case s.limits.atWork <- struct{}{}:
		defer func() { <-s.limits.atWork }()
	case <-c.r.Context().Done():
		return context.Cause(c.r.Context())
	}
	began := time.Now()
	defer func() {
		for took := int(time.Since(began).Milliseconds()); took > 0; took -= budget.Burst() {
			budget.ReserveN(time.Now(), min(took, budget.Burst())) // it may owe some
		}
	}()
	ctx, cancel := context.WithTimeoutCause(c.r.Context(), longest, errTooLong)
	defer cancel()
	c.r = c.r.WithContext(ctx)
	err := do()
	if err != nil && context.Cause(ctx) == error(errTooLong) {
		return errTooLong
	}
	return err
}

// address returns the address that a request counts for: its peer, or for IPv6 the customer's network.
func (s *Server) address(r *http.Request) string {
	peer := s.peer(r)
	if at, err := netip.ParseAddr(peer); err == nil {
		return customer(at).String()
	}
	return peer
}

// peer returns the address that a request comes from. X-Forwarded-For counts as
// far as trusted proxies wrote it: from its end to the first address that is
// none of theirs.
func (s *Server) peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && s.limits.trusted(host); i-- {
		text := strings.TrimSpace(chain[i])
		if with, err := netip.ParseAddrPort(text); err == nil { // as some proxies write it
			text = with.Addr().String()
		}
		next, err := netip.ParseAddr(text)
		if err != nil {
			break
		}
		host = next.Unmap().String()
	}
	if at, err := netip.ParseAddr(host); err == nil {
		return at.Unmap().String()
	}
	return host
}

func (l *limiters) trusted(host string) bool {
	at, err := netip.ParseAddr(host)
	return err == nil && within(l.proxies, at)
}

// customer is what counts as one client: an IPv4 address, or the network that one
// customer has of IPv6.
func customer(at netip.Addr) netip.Addr {
	at = at.Unmap().WithZone("")
	if at.Is4() {
		return at
	}
	network, err := at.Prefix(64)
	if err != nil {
		return at
	}
	return network.Addr()
}

// within reports whether an address is in one of the networks.
func within(networks []netip.Prefix, at netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(at.Unmap()) })
}
