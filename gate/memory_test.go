package gate_test

import (
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
)

func topics() []bus.Named {
	return append(approval.Topics(), session.Events)
}

func memory(*testing.T) approvaltest.Fixture {
	promises := gate.NewPromises()
	b := bus.New(topics(), promises.Inline())
	log := session.NewMemory(b)
	rows := approval.NewMemory(b, log)
	return approvaltest.Fixture{Store: rows, Grants: rows, Log: log, Bus: b, Promises: promises}
}
