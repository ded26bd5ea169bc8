package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/lineclear/lineclear/audit"
)

// ErrNotReloaded says that a configuration was not taken over; the text after it says why.
var ErrNotReloaded = errors.New("nothing was taken over")

// ConfigChange is a difference to the configuration before; values are masked.
type ConfigChange audit.Change

type reloadedBody struct {
	Changes []ConfigChange `json:"changes"`
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
