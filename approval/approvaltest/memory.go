package approvaltest

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
)

// Memory is a fixture of the store in memory.
func Memory(*testing.T) Fixture {
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	return Fixture{Store: rows, Grants: rows, Log: log, Bus: b, Promises: promises}
}
