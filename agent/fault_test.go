package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
)

// flaky is a log on a disk that can be full.
type flaky struct {
	*session.Memory
	full atomic.Bool
}

func (f *flaky) Append(ctx context.Context, id string, body session.Body) (session.Event, error) {
	if f.full.Load() {
		return session.Event{}, errors.New("no space left")
	}
	return f.Memory.Append(ctx, id, body)
}

// A turn whose end could not be written is gone on with once that can be done.
func TestATurnThatTheStoreFailsIsGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		promises := gate.NewPromises()
		b := bus.New(agent.Topics(), promises.Inline())
		log := &flaky{Memory: session.NewMemory(b)}
		rows := approval.NewMemory(b, log.Memory)
		manager := gate.NewManager(rows, promises, approval.Plain{Grants: rows}, gate.Options{})
		said := 0
		a, err := agent.New(agent.Config{ID: "demo", Mode: approval.AutoDeny, Model: modelFunc(
			func(context.Context, model.Prompt, func(model.Delta)) (model.Reply, error) {
				said++
				log.full.Store(said == 1)
				return model.Reply{Text: "here"}, nil
			})}, agent.Options{Runtime: &agent.Runtime{Bus: b, Sessions: log, Approvals: manager}})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer a.Stop(0)
		s, err := a.NewSession(t.Context(), ada(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Run(t.Context(), s.ID, "go"); err == nil {
			t.Error("the turn ended well on a full disk")
		}
		time.Sleep(10 * time.Second) // the bubble's clock: it is tried, and fails
		log.full.Store(false)
		time.Sleep(time.Minute)
		if got, err := log.Get(t.Context(), s.ID); err != nil || got.Status != session.StatusCompleted {
			t.Errorf("the session is %s, %v", got.Status, err)
		}
	})
}
