package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// How long a terminal's request lasts, and how long the terminal stays logged in.
const (
	deviceWait   = 5 * time.Minute
	defaultHours = 12
	maxHours     = 7 * 24
)

type deviceBody struct {
	Name string `json:"name"` // as the terminal shows it
}

type askedDeviceBody struct {
	auth.Device
	DeviceCode string `json:"deviceCode"` // secret, for collecting
	URL        string `json:"url"`        // the page where a person approves it
}

func (s *Server) askDevice(c *call, in deviceBody) (askedDeviceBody, error) {
	if err := auth.CheckSubject(in.Name); err != nil {
		return askedDeviceBody{}, invalid("name: %v", err)
	}
	if !s.limits.terminals.Allow(s.address(c.r)) {
		return askedDeviceBody{}, errTooMany("too many terminals ask to log in from this address")
	}
	asked, code, err := s.Terminals.Ask(c.r.Context(), in.Name, s.address(c.r), deviceWait)
	if err != nil {
		return askedDeviceBody{}, err
	}
	return askedDeviceBody{asked, code, s.LinkBase + "/terminal/" + asked.UserCode}, nil
}

type collectBody struct {
	DeviceCode string `json:"deviceCode"` // the secret one
}

type collectedBody struct {
	Waiting bool             `json:"waiting"`          // nobody has answered yet: poll again in a second
	Secret  string           `json:"secret,omitempty"` // the bearer token; shown only once
	Login   *auth.Credential `json:"login,omitempty"`
}

func (s *Server) collectDevice(c *call, in collectBody) (collectedBody, error) {
	allowed, err := s.Terminals.Collect(c.r.Context(), in.DeviceCode)
	switch {
	case errors.Is(err, auth.ErrWaiting):
		return collectedBody{Waiting: true}, nil
	case errors.Is(err, auth.ErrUnknown):
		return collectedBody{}, &fault{http.StatusNotFound, "this device code is unknown, used or expired: start again"}
	case err != nil:
		return collectedBody{}, err
	}
	login, secret, err := s.Keyring.NewTerminal(c.r.Context(), allowed.Who, allowed.Name, allowed.Life)
	s.Keyring.Used(login.ID, s.peer(c.r))
	return collectedBody{Secret: secret, Login: &login}, err
}

func (s *Server) device(c *call, _ none) (auth.Device, error) {
	asked, err := s.Terminals.Get(c.r.Context(), c.r.PathValue("code"))
	if errors.Is(err, auth.ErrUnknown) {
		err = errNoDevice
	}
	return asked, err
}

var errNoDevice = &fault{http.StatusNotFound, "no terminal is waiting with this code: it was answered, or has expired after 5 minutes"}

type answerDeviceBody struct {
	Allow bool  `json:"allow"`          // whether the terminal may log in as the caller
	Hours int64 `json:"hours,omitzero"` // how long the terminal stays logged in; default 12, at most 168
}

// answerDevice is for browsers only: a person has to approve, not a program with a
// token.
func (s *Server) answerDevice(c *call, in answerDeviceBody) (none, error) {
	if c.r.Header.Get("Authorization") != "" {
		return none{}, &fault{http.StatusForbidden, "only a person can allow a terminal, in the dashboard"}
	}
	hours := cmp.Or(in.Hours, defaultHours)
	if hours < 0 || hours > maxHours {
		return none{}, invalid("hours: want 1 to %d", maxHours)
	}
	who := &c.who
	if !in.Allow {
		who = nil
	}
	err := s.Terminals.Answer(c.r.Context(), c.r.PathValue("code"), who, time.Duration(hours)*time.Hour)
	if errors.Is(err, auth.ErrUnknown) {
		err = errNoDevice
	}
	return none{}, err
}
