package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// What people were told has been done.
type (
	simSaid struct { // a message, with the number of its event
		session, text string
		seq           int64
	}
	simAnswer struct{ row approval.Approval } // as they were told it stands
	simClosed struct {                        // from one moment to another no such call may be claimed
		from, to time.Time // to is zero while it holds
		what     string
		calls    func(row approval.Approval) bool
	}
	simStop struct { // of a session's turn
		session     string
		by          *simGateway
		asked, told time.Time // told is zero where nobody was told that it is done
	}
)

func person(name string) auth.Identity {
	return auth.Identity{Subject: name, Roles: []auth.Role{auth.Admin}}
}

// people do what they do at once, each through any gateway, until things have failed for long enough.
func (r *simulation) people() {
	ctx, cancel := context.WithTimeout(context.Background(), r.long/r.pace)
	defer cancel()
	var all sync.WaitGroup
	does := func(name string, mean time.Duration, what func(ctx context.Context, g *simGateway, dice *rand.Rand)) {
		dice := r.dice(name)
		all.Go(func() {
			for r.rest(ctx, time.Duration(dice.ExpFloat64()*float64(mean))) == nil {
				if up := r.working(); len(up) > 0 {
					what(ctx, up[dice.IntN(len(up))], dice)
				}
			}
		})
	}
	for i := range 1 + r.dice("sessions").IntN(3) {
		does(fmt.Sprint("talker ", i), 5*time.Second, r.talker(fmt.Sprint("talker ", i)))
	}
	does("yes", time.Second, r.answerer("yes", approval.Approved))
	does("also yes", time.Second, r.answerer("also yes", approval.Approved))
	does("no", 2*time.Second, r.answerer("no", approval.Denied))
	does("stopper", 8*time.Second, r.stopper)
	does("settings", 3*time.Second, r.settings.change)
	all.Wait()
	r.healed.Store(true)
	r.notef("nothing fails any more")
}

// acknowledged reports whether somebody was told that something is done.
func acknowledged(g *simGateway, err error) bool { return err == nil && !g.dead.Load() }

// talker says something in a session of its own, again and again.
func (r *simulation) talker(name string) func(context.Context, *simGateway, *rand.Rand) {
	var in string
	var n int
	return func(_ context.Context, g *simGateway, _ *rand.Rand) {
		if in == "" {
			s, err := g.roster.NewSession(g.ctx, person(name), simAgent, name)
			if !acknowledged(g, err) {
				return
			}
			in = s.ID
		}
		n++
		text := fmt.Sprint(name, " says ", n)
		seq, err := g.roster.Send(g.ctx, person(name), in, text)
		r.notef("%s at %s: %v", text, g.name, err)
		if acknowledged(g, err) {
			r.mu.Lock()
			r.said = append(r.said, simSaid{in, text, seq})
			r.mu.Unlock()
		}
	}
}

// answerer answers one of the requests that wait.
func (r *simulation) answerer(name string, status approval.Status) func(context.Context, *simGateway, *rand.Rand) {
	return func(_ context.Context, g *simGateway, dice *rand.Rand) {
		waiting, err := g.manager.Pending(g.ctx, "")
		if err != nil || len(waiting) == 0 {
			return
		}
		answer := approval.Response{ApprovalID: waiting[dice.IntN(len(waiting))].ApprovalID, Status: status, By: approval.By{Via: approval.ViaREST}}
		if status == approval.Approved && dice.IntN(4) == 0 {
			answer.Scope, answer.Grant.Covers = approval.Session, approval.CoverTool
		}
		row, err := g.manager.Decide(g.ctx, person(name), answer)
		r.notef("%s answers %s at %s: %s, %v", name, answer.ApprovalID, g.name, row.Status, err)
		if (err == nil || errors.Is(err, approval.ErrDecided) || errors.Is(err, approval.ErrExpired)) && !g.dead.Load() {
			r.mu.Lock()
			r.answered = append(r.answered, simAnswer{row})
			r.mu.Unlock()
		}
	}
}

// stopper stops the turn of a session.
func (r *simulation) stopper(ctx context.Context, g *simGateway, dice *rand.Rand) {
	list, err := g.store.Sessions().List(g.ctx, session.Query{})
	if err != nil || len(list) == 0 {
		return
	}
	stop := simStop{by: g, session: list[dice.IntN(len(list))].ID, asked: time.Now()}
	over, err := g.roster.Interrupt(g.ctx, person("stopper"), approval.ViaREST, stop.session)
	r.notef("stopper stops %s at %s: %v", stop.session, g.name, err)
	defer func() {
		r.mu.Lock()
		r.stops = append(r.stops, stop)
		r.mu.Unlock()
	}()
	if !acknowledged(g, err) {
		return
	}
	told := time.Now()
	select {
	case <-over:
	case <-g.ctx.Done():
	case <-ctx.Done():
	}
	if g.ctx.Err() == nil && ctx.Err() == nil { // who asked may close what nobody works in
		stop.told = told
	}
}

// simSettings is who changes by what calls are judged.
type simSettings struct {
	run  *simulation
	mode int // the place of the newest mode in closed; 0: none
	halt int
	auto []simClosed // while the mode may have been auto-approve
}

// free reports whether the mode may have let everything through at a moment.
func (s *simSettings) free(at time.Time) bool {
	return slices.ContainsFunc(s.auto, func(c simClosed) bool { return at.After(c.from) && (c.to.IsZero() || at.Before(c.to)) })
}

// close notes that some calls may not be claimed from now on; its place is returned, from 1 on.
func (r *simulation) close(what string, calls func(approval.Approval) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = append(r.closed, simClosed{from: time.Now(), what: what, calls: calls})
	return len(r.closed)
}

// reopen notes that they may be again.
func (r *simulation) reopen(place *int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *place > 0 {
		r.closed[*place-1].to = time.Now()
	}
	*place = 0
}

// ungranted leaves out what a grant may have cleared.
func (r *simulation) ungranted(calls func(approval.Approval) bool) func(approval.Approval) bool {
	return func(row approval.Approval) bool { return calls(row) && !r.granted[row.SessionID] }
}

func anyCall(approval.Approval) bool { return true }

func (s *simSettings) change(_ context.Context, g *simGateway, dice *rand.Rand) {
	switch what := dice.IntN(4); {
	case s.halt > 0:
		s.lift(g)
	case what == 0:
		s.setHalt(g)
	case what == 1:
		s.revoke(g, dice)
	default:
		s.setMode(g, []approval.Mode{approval.Manual, approval.AutoApprove, approval.AutoDeny}[dice.IntN(3)])
	}
}

func (s *simSettings) setMode(g *simGateway, mode approval.Mode) bool {
	s.run.reopen(&s.mode)
	if mode == approval.AutoApprove {
		s.auto = append(s.auto, simClosed{from: time.Now()})
	}
	_, err := g.manager.SetMode(g.ctx, person("settings"), approval.ViaREST, simAgent, mode, g.roster.Agents()[0].ModeVersion)
	s.run.notef("mode %s at %s: %v", mode, g.name, err)
	if !acknowledged(g, err) {
		return false
	}
	if n := len(s.auto); n > 0 && mode != approval.AutoApprove {
		s.auto[n-1].to = time.Now()
	}
	switch mode {
	case approval.AutoDeny:
		s.mode = s.run.close("mode auto-deny", s.run.ungranted(anyCall))
	case approval.Manual:
		s.mode = s.run.close("mode manual", s.run.ungranted(func(row approval.Approval) bool { return row.Response.By == approval.ByPolicy() }))
	case approval.AutoApprove:
	}
	return true
}

func (s *simSettings) setHalt(g *simGateway) {
	_, err := g.manager.Halt(g.ctx, person("settings"), approval.ViaREST, simAgent)
	s.run.notef("halt at %s: %v", g.name, err)
	if acknowledged(g, err) {
		s.halt = s.run.close("a halt", anyCall)
	}
}

func (s *simSettings) lift(g *simGateway) bool {
	s.run.reopen(&s.halt)
	_, err := g.manager.Lift(g.ctx, person("settings"), approval.ViaREST, simAgent)
	s.run.notef("lift at %s: %v", g.name, err)
	return acknowledged(g, err)
}

func (s *simSettings) revoke(g *simGateway, dice *rand.Rand) {
	grants, err := g.manager.Grants(g.ctx, approval.GrantQuery{Live: true})
	if err != nil || len(grants) == 0 {
		return
	}
	id := grants[dice.IntN(len(grants))].ID
	_, err = g.manager.Revoke(g.ctx, person("settings"), approval.ViaREST, id)
	s.run.notef("revoke %s at %s: %v", id, g.name, err)
	if acknowledged(g, err) {
		s.run.close("the end of grant "+id, func(row approval.Approval) bool {
			return row.Response.ByGrant() && row.Response.GrantID == id && !s.free(row.ClaimedAt)
		})
	}
}
