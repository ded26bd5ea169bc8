package httpapi

import (
	"errors"
	"net/http"
	"strings"
)

// ErrNotReloaded says that a configuration was not taken over; the text after it says why.
var ErrNotReloaded = errors.New("nothing was taken over")

// ConfigChange is a difference to the configuration before; values are masked.
type ConfigChange struct {
	Place  string `json:"place"`            // such as agents.demo.toolConfirmation.rules[0]
	Before string `json:"before,omitempty"` // left out where there was nothing
	After  string `json:"after,omitempty"`  // left out where there is nothing
}

type reloadedBody struct {
	Changes []ConfigChange `json:"changes"` // by their places
}

// reload reads the configuration again. What is wrong with it is for whoever may manage.
func (s *Server) reload(c *call, _ none) (reloadedBody, error) {
	if s.Reload == nil {
		return reloadedBody{}, &fault{http.StatusNotFound, "this gateway is embedded in a program that gives it its configuration"}
	}
	changes, err := s.Reload(c.r.Context(), c.who)
	if errors.Is(err, ErrNotReloaded) {
		text := s.Door.Text(strings.TrimPrefix(err.Error(), ErrNotReloaded.Error()+": "))
		return reloadedBody{}, invalid("%s: %s", ErrNotReloaded, text)
	}
	body := reloadedBody{}
	for _, change := range changes {
		body.Changes = append(body.Changes, ConfigChange(change))
	}
	return body, err
}
