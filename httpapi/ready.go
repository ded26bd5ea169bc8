package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Check is something that has to be so for the gateway to be of use.
type Check struct {
	Name string // what is not ready, where it fails: in one word
	Do   func(ctx context.Context) error
}

const (
	readyWithin = 3 * time.Second // for all checks
	readyFor    = time.Second     // how long an outcome is good: asking costs nobody more than that
)

// readiness is the newest outcome of the checks.
type readiness struct {
	turn chan struct{} // has room for one: who looks

	// Whose turn it is has these.
	at      time.Time
	missing []string
}

func newReadiness() *readiness { return &readiness{turn: make(chan struct{}, 1)} }

type readyBody struct {
	Status string `json:"status" enum:"ready"` // ready
}

// ready says whether the gateway can do its work now. It asks nobody in, and so
// says what is missing in words that tell nothing else.
func (s *Server) ready(c *call, _ none) (readyBody, error) {
	missing := s.missing(c.r.Context())
	if len(missing) > 0 {
		return readyBody{}, &unreadyError{missing}
	}
	return readyBody{"ready"}, nil
}

// unreadyError is the answer while something is missing.
type unreadyError struct{ missing []string }

func (u *unreadyError) Error() string { return "not ready: " + strings.Join(u.missing, ", ") }

func (s *Server) missing(ctx context.Context) []string {
	if s.Closing.Err() != nil {
		return []string{"stopping"}
	}
	// Who asks and goes away must not have the others told that something is
	// missing: the checks run outside any request.
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	select {
	case s.readiness.turn <- struct{}{}:
		defer func() { <-s.readiness.turn }()
	case <-looking.Done():
		return []string{"checks"} // someone looks, and has waited for too long already
	}
	if time.Since(s.readiness.at) < readyFor {
		return s.readiness.missing
	}
	var missing []string
	for _, check := range s.Checks {
		if err := check.Do(looking); err != nil {
			missing = append(missing, check.Name)
			s.log.Warn("the gateway is not ready", zap.String("missing", check.Name), zap.Error(err))
		}
	}
	s.readiness.at, s.readiness.missing = time.Now(), missing
	return missing
}

// metrics answers with what was counted, of all agents together: who is for some
// of them is not to learn that there are others.
func (s *Server) metrics(c *call) error {
	switch {
	case s.Metrics == nil:
		return &fault{http.StatusNotFound, "this gateway counts nothing"}
	case len(c.who.Agents) > 0:
		return &fault{http.StatusForbidden, "metrics are about all agents, and you are let in for some"}
	}
	s.Metrics.ServeHTTP(c.w, c.r)
	return nil
}
