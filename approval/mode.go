package approval

import (
	"errors"
	"time"

	"github.com/lineclear/lineclear/bus"
)

// ErrModeChanged refuses to set a mode that somebody has set since it was seen.
var ErrModeChanged = errors.New("approval: the mode has been changed since you saw it")

// Modes carries each mode that was set. A store publishes on it after the change
// is durable.
var Modes = bus.NewTopic[ModeSetting]("mode")

// ModeSetting is the mode in which an agent works. It is set, never toggled,
// with the version at which it was seen, so that two people can't undo each
// other unawares.
type ModeSetting struct {
	AgentID    string    `json:"agentId"`
	Mode       Mode      `json:"mode"`
	Version    int64     `json:"version"`    // grows with each setting; 0: as configured
	Configured Mode      `json:"configured"` // what the configuration said when it was set
	SetBy      By        `json:"setBy,omitzero"`
	SetAt      time.Time `json:"setAt,omitzero"` // when it was set
}

// Set returns the setting that follows m, or m beside ErrModeChanged if its
// version is not that of next, which is the one seen.
func (m ModeSetting) Set(next ModeSetting, now time.Time) (ModeSetting, error) {
	if m.Version != next.Version {
		return m, ErrModeChanged
	}
	next.Version, next.SetAt, next.SetBy = m.Version+1, now, next.SetBy.kept()
	return next, nil
}
