//go:build postgres

package postgres_test

import (
	"testing"

	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/session/sessiontest"
)

func TestNodesHandCallsOfClientToolsToEachOther(t *testing.T) {
	sessiontest.RunClientCalls(t, func(t *testing.T, n int) (all []session.ClientCalls, leave []func()) {
		opened, _ := nodes(t, []string{"one", "two", "three"}[:n]...)
		for _, one := range opened {
			all, leave = append(all, one.store.ClientCalls()), append(leave, one.stop)
		}
		return all, leave
	})
}
