package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/session"
)

// hear takes the next event.
func (r *runner) hear(ctx context.Context, h heard) error {
	if errors.Is(h.err, client.ErrReconnecting) {
		if !r.lost {
			fmt.Fprintln(r.screen, "\nThe connection to the gateway broke off. Trying again until it is back…")
		}
		r.lost = true
		return nil
	}
	if h.err != nil {
		return h.err
	}
	r.lost = false
	switch e := h.event; e.Name {
	case session.Deltas.Name():
		return decoded(e, func(d session.Delta) error {
			r.talk.delta(d)
			return nil
		})
	case session.Events.Name():
		return decoded(e, r.journaled)
	case approval.Requests.Name():
		return decoded(e, func(q approval.Request) error {
			r.askOrShow(ctx, q)
			return nil
		})
	default:
		return nil
	}
}

func decoded[T any](e client.Event, f func(T) error) error {
	var v T
	if err := e.Decode(&v); err != nil {
		return err
	}
	return f(v)
}

// journaled takes an event of the session.
func (r *runner) journaled(e session.Event) error {
	if err := r.talk.event(e); err != nil {
		return err
	}
	switch e.Type {
	case session.TypeApprovalResolved, session.TypeApprovalVoided:
		return then(e, r.drop)
	case session.TypeBelowResolved:
		return then(e, func(a approval.BelowResponse) {
			r.drop(approval.Response{ApprovalID: a.ApprovalID, Status: a.Status, Reason: a.Reason, By: a.By, At: a.At})
		})
	case session.TypeTurnFinished:
		return then(e, func(f session.TurnFinished) {
			if r.said > 0 && f.Heard >= r.said {
				r.over, r.ended = f, true
			}
		})
	default:
		return nil
	}
}

// drop takes away what need not be asked any more.
func (r *runner) drop(a approval.Response) {
	r.asker.drop(a)
	delete(r.waits, a.ApprovalID)
}

// end says how the turn has ended.
func (r *runner) end() error {
	if r.o.json {
		result := struct {
			SessionID string          `json:"sessionId"`
			Outcome   session.Outcome `json:"outcome"`
			Message   string          `json:"message,omitempty"`
			Text      string          `json:"text"` // what the agent said last
			Refused   bool            `json:"refused"`
		}{r.session.ID, r.over.Outcome, r.over.Message, r.talk.last, r.talk.code != 0 && r.talk.code != exitFailed}
		if err := printJSON(r.results, result, jsontext.WithIndent("  ")); err != nil {
			return err
		}
	}
	switch r.over.Outcome {
	case session.Completed:
		if r.talk.code != 0 {
			return &exit{code: r.talk.code}
		}
		return nil
	case session.Cancelled:
		if r.why != nil {
			return r.why
		}
		return &exit{exitWithdrawn, errors.New(turnWords(r.over))}
	default:
		return errors.New(turnWords(r.over))
	}
}
