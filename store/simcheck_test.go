package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// simPatience is how long a cluster may take to come to rest once nothing fails any more.
const simPatience = 5 * time.Minute

// settle says yes to all that waits until every session is at rest.
func (r *simulation) settle() {
	yes := r.answerer("yes", approval.Approved)
	dice := r.dice("settle")
	manual, lifted := false, false
	for began := time.Now(); time.Since(began) < simPatience/r.pace; _ = r.rest(context.Background(), time.Second) {
		up := r.working()
		if len(up) == 0 {
			continue
		}
		g := up[dice.IntN(len(up))]
		manual = manual || r.settings.setMode(g, approval.Manual)
		lifted = lifted || r.settings.lift(g)
		yes(context.Background(), g, dice)
		busy, err := g.store.Sessions().List(g.ctx, session.Query{Busy: true})
		reached := !slices.ContainsFunc(up, func(g *simGateway) bool { return g.layer.away() > 0 })
		if err == nil && len(busy) == 0 && manual && lifted && len(up) == len(simNames) && reached {
			return
		}
	}
	r.wrongf("not every session has come to rest")
}

// simWritten is what is in the database.
type simWritten struct {
	sessions []session.Session
	journals map[string][]session.Event
	rows     []approval.Approval
}

// read reads it through some gateway that works.
func (r *simulation) read() (w simWritten) {
	err := errors.New("no gateway works")
	for range 100 {
		for _, g := range r.working() {
			if w, err = g.read(context.Background()); err == nil {
				return w
			}
		}
		_ = r.rest(context.Background(), time.Second)
	}
	r.wrongf("%v", err)
	return w
}

func (g *simGateway) read(ctx context.Context) (w simWritten, err error) {
	w.journals = map[string][]session.Event{}
	w.sessions, err = g.store.Sessions().List(ctx, session.Query{})
	for _, s := range w.sessions {
		events, failed := g.store.Sessions().Events(ctx, s.ID, 0, 0)
		asked, failing := g.store.Approvals().Find(ctx, approval.Query{SessionID: s.ID})
		w.journals[s.ID], w.rows = events, append(w.rows, asked...)
		err = errors.Join(err, failed, failing)
	}
	if err == nil {
		if _, err = audit.Verify(g.store.Audit(ctx)); err != nil && !errors.Is(err, session.ErrUnwritten) {
			g.run.wrongf("the audit log: %v", err)
		}
	}
	return w, err
}

// check holds what there is against what people were told, and what happened.
func (r *simulation) check() {
	w := r.read()
	for _, s := range w.sessions {
		r.checkJournal(s, w.journals[s.ID])
	}
	byID, byCall := map[string]approval.Approval{}, map[string]approval.Approval{}
	for _, row := range w.rows {
		byID[row.ApprovalID] = row
		if before, there := byCall[row.ToolCallID]; !there || before.Round < row.Round {
			byCall[row.ToolCallID] = row
		}
	}
	r.checkSaid(w.journals)
	r.checkAnswers(byID)
	r.checkHeard(w.journals, byID)
	r.checkStarts(byCall)
	r.checkClaims(w.rows, w.journals)
	if len(r.wrong) == 0 {
		return
	}
	for id, events := range w.journals {
		for _, e := range events {
			r.notef("event %d of %s at %9.6f: %s %.200s", e.Seq, id, e.At.Sub(r.began).Seconds(), e.Type, e.Data)
		}
	}
}

func (r *simulation) checkJournal(s session.Session, events []session.Event) {
	var conv session.Conversation
	results := map[string]int{}
	var said time.Time // what the turn answers, the first of it
	for i, e := range events {
		if e.Seq != int64(i+1) {
			r.wrongf("event %d of %s has the number %d", i+1, s.ID, e.Seq)
		}
		if err := conv.Add(e); err != nil {
			r.wrongf("event %d of %s: %v", e.Seq, s.ID, err)
		}
		var ended session.TurnFinished
		switch {
		case e.Type == session.TypeGrantGiven:
			r.granted[s.ID] = true
		case e.Type == session.TypeUserMessage && said.IsZero():
			said = e.At
		case e.Type == session.TypeTurnFinished && e.Decode(&ended) == nil:
			r.checkEnd(s.ID, said, e, ended)
			said = time.Time{}
			if ended.Heard < int64(i) {
				said = firstSaid(events[ended.Heard:i])
			}
		}
		var result session.ToolResult
		if e.Type == session.TypeToolResult && e.Decode(&result) == nil {
			if results[result.CallID]++; results[result.CallID] > 1 {
				r.wrongf("call %s has several results", result.CallID)
			}
		}
	}
	if s.TurnOpen || conv.Waiting() || len(conv.Open()) > 0 {
		r.wrongf("session %s is not at rest", s.ID)
	}
}

func firstSaid(events []session.Event) time.Time {
	for _, e := range events {
		if e.Type == session.TypeUserMessage {
			return e.At
		}
	}
	return time.Time{}
}

// checkEnd looks for who wanted a turn to end that was stopped, after what it answers was said.
func (r *simulation) checkEnd(sessionID string, said time.Time, end session.Event, how session.TurnFinished) {
	for _, s := range r.stops {
		if how.Outcome == session.Cancelled && s.session == sessionID && s.asked.Before(end.At) && (s.told.IsZero() || !s.told.Before(said)) {
			return
		}
	}
	if how.Outcome != session.Completed {
		r.wrongf("event %d of %s: a turn has ended as %s, which nobody wanted: %s", end.Seq, sessionID, how.Outcome, how.Message)
	}
}

// checkSaid looks for what was said and acknowledged.
func (r *simulation) checkSaid(journals map[string][]session.Event) {
	for _, said := range r.said {
		var there session.UserMessage
		events := journals[said.session]
		if int64(len(events)) < said.seq || events[said.seq-1].Decode(&there) != nil || there.Text != said.text {
			r.wrongf("%q is not event %d of %s", said.text, said.seq, said.session)
		}
	}
}

// checkAnswers looks whether each approval has the one outcome that everybody was told.
func (r *simulation) checkAnswers(rows map[string]approval.Approval) {
	for _, told := range r.answered {
		id := told.row.ApprovalID
		if diff := cmp.Diff(rows[id].Response, told.row.Response); diff != "" {
			r.wrongf("of %s somebody was told otherwise (-is +told):\n%s", id, diff)
		}
	}
}

// checkHeard looks whether the bus of each process had what is written, and soon has all of it.
func (r *simulation) checkHeard(journals map[string][]session.Event, rows map[string]approval.Approval) {
	for range 30 {
		if len(r.behind(journals)) == 0 {
			break
		}
		_ = pause(context.Background(), time.Second/10)
	}
	for _, what := range r.behind(journals) {
		r.wrongf("%s", what)
	}
	for _, g := range r.gateways {
		g.heard.mu.Lock()
		defer g.heard.mu.Unlock()
		for _, e := range g.heard.events {
			if events := journals[e.SessionID]; int64(len(events)) < e.Seq || cmp.Diff(events[e.Seq-1], e) != "" {
				r.wrongf("%s heard another event %d of %s", g.name, e.Seq, e.SessionID)
			}
		}
		for _, a := range g.heard.answers {
			if row := rows[a.ApprovalID]; cmp.Diff(row.Response, a) != "" && cmp.Diff(row.Voided, a) != "" {
				r.wrongf("%s heard that %s is %s by %s", g.name, a.ApprovalID, a.Status, a.By.Subject)
			}
		}
	}
}

// behind says what has not reached the bus of which gateway.
func (r *simulation) behind(journals map[string][]session.Event) (all []string) {
	for _, g := range r.working() {
		g.heard.mu.Lock()
		for id, events := range journals {
			last := events[len(events)-1]
			if heard := g.heard.seqs[id]; heard != last.Seq && (heard != 0 || last.At.After(g.heard.since)) {
				all = append(all, fmt.Sprintf("%s heard %s up to event %d of %d", g.name, id, heard, last.Seq))
			}
		}
		g.heard.mu.Unlock()
	}
	return all
}

// checkStarts looks whether every call was cleared and began once, or may be entered again.
func (r *simulation) checkStarts(rows map[string]approval.Approval) {
	before := map[string]*simStart{}
	for _, s := range r.starts {
		row := rows[s.call.ID]
		if row.Status != approval.Approved || row.ClaimedAt.IsZero() || row.ClaimedAt.After(s.at) || row.Response.At.After(s.at) {
			r.wrongf("call %s began and was not cleared: %s, claimed %s", s.call.ID, row.Status, row.ClaimedAt)
		}
		if earlier := before[s.call.ID]; earlier != nil {
			if s.call.Tool != simToolName(tool.ResumeReenter) {
				r.wrongf("call %s began at %s and at %s", s.call.ID, earlier.by.name, s.by.name)
			}
			if earlier.by == s.by && (earlier.ended.IsZero() || earlier.ended.After(s.at)) {
				r.wrongf("call %s began twice at %s, at once", s.call.ID, s.by.name)
			}
		}
		before[s.call.ID] = s
	}
}

// holds reports whether who asked was told that it is done, by a process that was there for long enough to close the turn:
// a stop is not kept beyond it.
func (s simStop) holds() bool {
	over := s.by.over.Load()
	return !s.told.IsZero() && (over == nil || over.Sub(s.told) > 3*simLeaseFor/s.by.run.pace)
}

// checkClaims looks whether anything was claimed that could not be any more.
func (r *simulation) checkClaims(rows []approval.Approval, journals map[string][]session.Event) {
	for _, row := range rows {
		if row.ClaimedAt.IsZero() {
			continue
		}
		what := fmt.Sprintf("call %s (%s) was claimed at %9.6f", row.ToolCallID, row.ApprovalID, row.ClaimedAt.Sub(r.began).Seconds())
		for _, c := range r.closed {
			if c.calls(row) && row.ClaimedAt.After(c.from) && (c.to.IsZero() || row.ClaimedAt.Before(c.to)) {
				r.wrongf("%s under %s", what, c.what)
			}
		}
		var turn time.Time // in which it was asked
		for _, e := range journals[row.SessionID] {
			if e.Type == session.TypeTurnStarted && !e.At.After(row.RequestedAt) {
				turn = e.At
			}
		}
		for _, s := range r.stops {
			if s.session == row.SessionID && s.holds() && turn.Before(s.asked) && row.ClaimedAt.After(s.told) {
				r.wrongf("%s in a turn that was stopped", what)
			}
		}
	}
}
