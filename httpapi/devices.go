package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/lineclear/lineclear/auth"
)

// How long a terminal waits to be allowed, and how long it stays logged in.
const (
	deviceWait   = 5 * time.Minute
	defaultHours = 12
	maxHours     = 7 * 24
)

type deviceBody struct {
	Name string `json:"name"` // what the terminal calls itself
}

type askedDeviceBody struct {
	auth.Device
	DeviceCode string `json:"deviceCode"` // secret, for collecting
	URL        string `json:"url"`        // where a person allows it
}

func (s *Server) askDevice(c *call, in deviceBody) (askedDeviceBody, error) {
	if err := auth.CheckSubject(in.Name); err != nil {
		return askedDeviceBody{}, invalid("name: %v", err)
	}
	if !s.limits.terminals.allow(s.address(c.r)) {
		return askedDeviceBody{}, errTooMany("too many terminals ask from this address")
	}
	asked, code, err := s.devices.Ask(in.Name, s.address(c.r), deviceWait)
	return askedDeviceBody{asked, code, s.LinkBase + "/#/terminal/" + asked.UserCode}, err
}

type collectBody struct {
	DeviceCode string `json:"deviceCode"`
}

type collectedBody struct {
	Waiting bool             `json:"waiting"`          // nobody has answered yet: ask again in a second
	Secret  string           `json:"secret,omitempty"` // what is sent as the bearer token; it can't be had again
	Login   *auth.Credential `json:"login,omitempty"`
}

func (s *Server) collectDevice(c *call, in collectBody) (collectedBody, error) {
	allowed, err := s.devices.Collect(in.DeviceCode)
	switch {
	case errors.Is(err, auth.ErrWaiting):
		return collectedBody{Waiting: true}, nil
	case errors.Is(err, auth.ErrUnknown):
		return collectedBody{}, &fault{http.StatusNotFound, "this device code is not known, was collected, or its time is over: begin again"}
	case err != nil:
		return collectedBody{}, err
	}
	login, secret, err := s.Keyring.NewTerminal(c.r.Context(), allowed.Who, allowed.Name, allowed.Life)
	return collectedBody{Secret: secret, Login: &login}, err
}

func (s *Server) device(c *call, _ none) (auth.Device, error) {
	asked, err := s.devices.Get(c.r.PathValue("code"))
	if errors.Is(err, auth.ErrUnknown) {
		err = errNoDevice
	}
	return asked, err
}

var errNoDevice = &fault{http.StatusNotFound, "no terminal with this code waits: it was answered, or its 5 minutes are over"}

type answerDeviceBody struct {
	Allow bool  `json:"allow"`
	Hours int64 `json:"hours,omitzero"` // how long the terminal stays logged in; 12 where left out, at most 168
}

// answerDevice is for browsers alone: a terminal is allowed by a press, and a
// program can't press.
func (s *Server) answerDevice(c *call, in answerDeviceBody) (none, error) {
	if c.r.Header.Get("Authorization") != "" {
		return none{}, &fault{http.StatusForbidden, "a terminal is allowed in the dashboard, by a person"}
	}
	hours := cmp.Or(in.Hours, defaultHours)
	if hours < 0 || hours > maxHours {
		return none{}, invalid("hours: want 1 to %d", maxHours)
	}
	who := &c.who
	if !in.Allow {
		who = nil
	}
	err := s.devices.Answer(c.r.PathValue("code"), who, time.Duration(hours)*time.Hour)
	if errors.Is(err, auth.ErrUnknown) {
		err = errNoDevice
	}
	return none{}, err
}
