package auth

import (
	"context"
	"errors"
	"math/rand/v2" // seeded by the system; a user code is no secret
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrWaiting is returned while a terminal's request is pending.
var ErrWaiting = errors.New("auth: nobody has allowed this terminal yet")

// ErrRefused is returned for a terminal that a person has refused.
var ErrRefused = errors.New("auth: the login of this terminal was refused in the browser")

// MaxDevices is how many terminals can wait at a time.
const MaxDevices = 1000

// Device is a terminal that is waiting to log in. Its user code is shown in the
// terminal and in the browser, so that a person can compare them.
type Device struct {
	UserCode  string    `json:"userCode"`  // the code that a person compares and approves
	Name      string    `json:"name"`      // as given by the terminal
	Address   string    `json:"address"`   // where it asks from
	AskedAt   time.Time `json:"askedAt"`   // when it asked
	ExpiresAt time.Time `json:"expiresAt"` // when the code ends
}

// Terminals keeps the terminals that are waiting to log in, after the OAuth device
// grant (RFC 8628): the terminal holds a secret device code, a person approves in a
// browser, and the terminal collects its login once.
type Terminals interface {
	// Ask adds a terminal that waits for at most life, and returns its secret device code.
	// If MaxDevices wait, the oldest one from the busiest address is dropped.
	Ask(ctx context.Context, name, address string, life time.Duration) (Device, string, error)
	// Get returns the waiting terminal with a user code, or ErrUnknown.
	Get(ctx context.Context, userCode string) (Device, error)
	// Answer lets a terminal log in as who, for life, or refuses it if who is nil. The
	// first answer counts.
	Answer(ctx context.Context, userCode string, who *Identity, life time.Duration) error
	// Collect returns an approved login, once; otherwise ErrWaiting, ErrRefused or
	// ErrUnknown.
	Collect(ctx context.Context, deviceCode string) (Allowed, error)
}

// Devices is Terminals in memory. The zero value is ready to use.
type Devices struct {
	mu  sync.Mutex
	all []*device
}

var _ Terminals = (*Devices)(nil)

type device struct {
	Device
	code    string // the device code's fingerprint
	refused bool
	allowed *Allowed
}

// NewDevice makes a terminal's request, and its secret device code.
func NewDevice(name, address string, life time.Duration) (Device, string) {
	now := time.Now().UTC()
	return Device{UserCode: newUserCode(), Name: name, Address: address, AskedAt: now, ExpiresAt: now.Add(life)}, DeviceSecret.fresh()
}

// Allowed is a login that a person has approved for a terminal.
type Allowed struct {
	Who  Identity // who approved it
	Name string
	Life time.Duration
}

// Ask implements Terminals.
func (d *Devices) Ask(_ context.Context, name, address string, life time.Duration) (Device, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.forget(func(known *device) bool { return !now.Before(known.ExpiresAt) })
	if len(d.all) >= MaxDevices {
		d.makeRoom()
	}
	asked, secret := NewDevice(name, address, life)
	d.all = append(d.all, &device{Device: asked, code: Fingerprint(secret)})
	return asked, secret, nil
}

// Get implements Terminals.
func (d *Devices) Get(_ context.Context, userCode string) (Device, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.waiting(func(known *device) bool { return known.UserCode == userCode && !known.answered() })
	if found == nil {
		return Device{}, ErrUnknown
	}
	return found.Device, nil
}

// Answer implements Terminals.
func (d *Devices) Answer(_ context.Context, userCode string, who *Identity, life time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.waiting(func(known *device) bool { return known.UserCode == userCode && !known.answered() })
	if found == nil {
		return ErrUnknown
	}
	if found.refused = who == nil; who != nil {
		found.allowed = &Allowed{Who: *who, Name: found.Name, Life: life}
	}
	return nil
}

// Collect implements Terminals.
func (d *Devices) Collect(_ context.Context, deviceCode string) (Allowed, error) {
	code := Fingerprint(deviceCode)
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.waiting(func(known *device) bool { return known.code == code })
	switch {
	case found == nil:
		return Allowed{}, ErrUnknown
	case !found.answered():
		return Allowed{}, ErrWaiting
	}
	d.forget(func(known *device) bool { return known == found })
	if found.refused {
		return Allowed{}, ErrRefused
	}
	return *found.allowed, nil
}

// makeRoom drops the oldest terminal of the address with the most terminals waiting.
func (d *Devices) makeRoom() {
	from := map[string]int{}
	for _, known := range d.all {
		from[known.Address]++
	}
	first := d.all[0]
	for _, known := range d.all {
		if from[known.Address] > from[first.Address] {
			first = known
		}
	}
	d.forget(func(known *device) bool { return known == first })
}

func (d *device) answered() bool { return d.refused || d.allowed != nil }

// waiting returns the terminal that matches, unless it has expired.
func (d *Devices) waiting(is func(*device) bool) *device {
	for _, known := range d.all {
		if is(known) && time.Now().Before(known.ExpiresAt) {
			return known
		}
	}
	return nil
}

func (d *Devices) forget(is func(*device) bool) { d.all = slices.DeleteFunc(d.all, is) }

// newUserCode returns a code that people can compare: consonants that can't be
// mistaken for each other and spell no words (RFC 8628, section 6.1).
func newUserCode() string {
	const letters = "BCDFGHJKLMNPQRSTVWXZ"
	var b strings.Builder
	for b.Len() < len("BCDF-GHJK") {
		if b.Len() == 4 {
			b.WriteByte('-')
		}
		b.WriteByte(letters[rand.IntN(len(letters))])
	}
	return b.String()
}
