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

// hear takes the next event: of the session's own stream, whose events have an
// id, or of the one for everyone.
func (r *runner) hear(ctx context.Context, h heard, message string) error {
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
	switch e := h.event; {
	case e.Name == session.Deltas.Name():
		return decoded(e, func(d session.Delta) error {
			r.talk.delta(d)
			return nil
		})
	case e.Name == session.Events.Name() && e.ID != "":
		return decoded(e, func(e session.Event) error { return r.journaled(ctx, e) })
	case e.Name == session.Events.Name():
		return decoded(e, r.headline)
	case e.Name == "snapshot":
		if err := decoded(e, func(s client.Snapshot) error { return r.begin(ctx, s, message) }); err != nil {
			return err
		}
	}
	asked, replies, err := r.board.take(ctx, h.event)
	if err != nil {
		return err
	}
	r.beneath(ctx, asked, replies)
	return nil
}

func decoded[T any](e client.Event, f func(T) error) error {
	var v T
	if err := e.Decode(&v); err != nil {
		return err
	}
	return f(v)
}

// begin learns which sessions there are, and says the message at the first
// time: from then on nothing below the session can be missed.
func (r *runner) begin(ctx context.Context, s client.Snapshot, message string) error {
	for i := len(s.Sessions) - 1; i >= 0; i-- { // those that ask others are older
		r.learn(s.Sessions[i])
		if own := s.Sessions[i]; own.ID == r.session.ID && r.said > 0 && !own.TurnOpen {
			r.noticed = true
		}
	}
	if r.said > 0 {
		return nil
	}
	var err error
	r.said, err = r.gateway.Say(ctx, r.session.ID, message)
	r.talk.own = r.said
	return err
}

// learn keeps a session that is below the one that is followed.
func (r *runner) learn(s session.Session) {
	if r.below[s.ParentID] {
		r.below[s.ID] = true
	}
}

// journaled takes an event of the session.
func (r *runner) journaled(ctx context.Context, e session.Event) error {
	if err := r.talk.event(e); err != nil {
		return err
	}
	switch e.Type {
	case session.TypeApprovalRequested:
		return then(e, func(q approval.Request) { r.askOrShow(ctx, q) })
	case session.TypeApprovalResolved, session.TypeApprovalVoided:
		return then(e, r.asker.drop)
	case session.TypeTurnFinished:
		return then(e, func(f session.TurnFinished) {
			if r.said > 0 && f.Heard >= r.said {
				r.over, r.followed = f, true
			}
		})
	default:
		return nil
	}
}

// headline takes an event that is told to everyone.
func (r *runner) headline(e session.Event) error {
	switch e.Type {
	case session.TypeCreated:
		return then(e, func(c session.Created) { r.learn(c.Session) })
	case session.TypeTurnFinished:
		return then(e, func(f session.TurnFinished) {
			if e.SessionID == r.session.ID && r.said > 0 && f.Heard >= r.said {
				r.noticed = true
			}
		})
	default:
		return nil
	}
}

// beneath takes what the agents ask that the agent has handed work to; what it
// asks itself comes from its journal.
func (r *runner) beneath(ctx context.Context, asked []approval.Request, replies []reply) {
	for _, a := range replies {
		if id := a.request.SessionID; id != r.session.ID && r.below[id] {
			r.asker.drop(a.response)
			r.talk.answer(a.request, a.response)
		}
	}
	for _, q := range asked {
		if q.SessionID != r.session.ID && r.below[q.SessionID] {
			r.askOrShow(ctx, q)
		}
	}
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
		}{r.session.ID, r.over.Outcome, r.over.Message, r.talk.last, r.talk.refused}
		if err := printJSON(r.results, result, jsontext.WithIndent("  ")); err != nil {
			return err
		}
	}
	switch r.over.Outcome {
	case session.Completed:
		if r.talk.refused {
			return &exit{code: exitRefused}
		}
		return nil
	case session.Cancelled:
		if r.why != nil {
			return r.why
		}
		return &exit{exitRefused, errors.New(turnWords(r.over))}
	default:
		return errors.New(turnWords(r.over))
	}
}
