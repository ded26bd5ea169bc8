package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/session"
)

// Approvals is the store as an approval.Store and as approval.Grants.
func (s *Store) Approvals() *Approvals { return &Approvals{s} }

// Approvals keeps the rows of approvals, and grants.
type Approvals struct{ store *Store }

var (
	_ approval.Store  = (*Approvals)(nil)
	_ approval.Grants = (*Approvals)(nil)
)

// Create implements approval.Store.
func (t *Approvals) Create(ctx context.Context, a approval.Approval) (approval.Approval, error) {
	asked := t.store.requested(a.Request) // outside the writer, since masking a long request takes time
	words := t.store.wordsOf(a.Request, asked)
	return write(ctx, t.store, "create", func(c *change) (approval.Approval, error) { return c.create(a, asked, words) })
}

func (c *change) create(a approval.Approval, asked audit.Requested, words string) (approval.Approval, error) {
	if err := c.requireOpen(a.SessionID, session.TypeApprovalRequested); err != nil {
		return approval.Approval{}, err
	}
	if a.ToolCallID != "" {
		// call_id <> '' is repeated so that the partial index serves.
		before, err := scanApproval(c.row(selectApprovals+
			"WHERE session_id = ? AND call_id = ? AND call_id <> '' ORDER BY round DESC LIMIT 1", a.SessionID, a.ToolCallID))
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return approval.Approval{}, err
		case before.Round >= a.Round:
			if before, err = approval.Same(before, a); err == nil && before.Origin.Waits {
				err = c.adopt(before.ApprovalID)
			}
			return before, err
		default:
			if err := c.supersede(before); err != nil {
				return approval.Approval{}, err
			}
		}
	}
	halt, err := c.halt(a.AgentID)
	if err == nil {
		a, err = halt.Born(a)
	}
	if err == nil {
		a, err = c.admitted(a)
	}
	if err != nil {
		return approval.Approval{}, err
	}
	if err := c.consumeGrant(a.Response); err != nil {
		return approval.Approval{}, err
	}
	if a.Above, err = c.above(a.SessionID); err != nil {
		return approval.Approval{}, err
	}
	if a.Response.Reason == approval.TooManyPending { // its request was cut down
		words = c.store.wordsOf(a.Request, c.store.requested(a.Request))
	}
	if err := errors.Join(c.insert(a), c.keepRest(a), c.enlist(a, words)); err != nil {
		return approval.Approval{}, err
	}
	a.Preview.Rest = ""
	announced, err := c.journal(a.SessionID, session.TypeApprovalRequested, a.Request)
	if err != nil {
		return approval.Approval{}, err
	}
	if err := c.audit(audit.ApprovalRequested, requester(a.Request), asked); err != nil {
		return approval.Approval{}, err
	}
	if a.Status != approval.Pending {
		return a, errors.Join(c.remember(a), c.resolved(a.Request, a.Response))
	}
	c.tell(news{Of: newRequest, ID: a.ApprovalID}, func() { approval.Requests.Publish(c.store.bus, a.Request) })
	return a, c.waits(a.Request, announced)
}

// admitted counts the asker's pending requests and checks their limit, if there is one.
func (c *change) admitted(a approval.Approval) (approval.Approval, error) {
	if a.MaxPending == 0 {
		return a, nil
	}
	var waiting int
	// The status is a literal, so that the partial index serves.
	err := c.row("SELECT count(*) FROM approvals WHERE agent_id = ? AND asker = ? AND status = 'pending'", a.AgentID, a.Origin.Subject).Scan(&waiting)
	if err != nil {
		return a, fmt.Errorf("store: approvals: %w", err)
	}
	return a.CheckLimit(waiting)
}

// resolved records an answer in the journal, the session's counts and the audit log.
func (c *change) resolved(asked approval.Request, r approval.Response) error {
	if _, err := c.journal(r.SessionID, session.TypeApprovalResolved, r); err != nil {
		return err
	}
	if err := c.settledCall(asked, r); err != nil {
		return err
	}
	return c.audit(audit.ApprovalResolved, r.By, c.store.answered(asked, r))
}

// voided records that a call was taken back, and queues it for the bus.
func (c *change) voided(a approval.Approval) error {
	r := a.Voided
	if _, err := c.journal(r.SessionID, session.TypeApprovalVoided, r); err != nil {
		return err
	}
	c.tell(news{Of: newVoid, ID: a.ApprovalID}, func() { approval.Responses.Publish(c.store.bus, r) })
	return errors.Join(c.relist(a), c.audit(audit.ApprovalVoided, r.By, c.store.answered(a.Request, r)))
}

func (c *change) supersede(before approval.Approval) error {
	void, changed := before.Supersede(c.now)
	if !changed {
		return nil
	}
	if err := c.update(void); err != nil {
		return err
	}
	return c.voided(void)
}

// publishResolved records an answer and queues it for the bus.
func (c *change) publishResolved(a approval.Approval) error {
	r := a.Response
	err := c.resolved(a.Request, r)
	c.tell(news{Of: newAnswer, ID: a.ApprovalID}, func() { approval.Responses.Publish(c.store.bus, r) })
	return errors.Join(err, c.relist(a))
}

// Settle implements approval.Store.
func (t *Approvals) Settle(ctx context.Context, r approval.Response, g *approval.Grant) (approval.Approval, error) {
	return t.transition(ctx, "settle", r.ApprovalID, func(c *change, before approval.Approval) (approval.Approval, error) {
		if err := c.mayAnswer(r, before.AgentID); err != nil {
			return approval.Approval{}, err
		}
		after, err := before.Settle(r, c.now)
		if err == nil && r.Reason == approval.AskerGone && r.By == approval.BySystem() {
			err = c.notElsewhere(before.ApprovalID)
		}
		if err != nil {
			return before, err
		}
		if before.Status != approval.Pending {
			return after, c.voided(after)
		}
		if after.Status == approval.Approved {
			if err := c.notHalted(after.AgentID); err != nil {
				return before, err
			}
		}
		if err := c.consumeGrant(after.Response); err != nil {
			return before, err
		}
		if err := errors.Join(c.remember(after), c.publishResolved(after), c.waitsNoMore(after)); err != nil {
			return before, err
		}
		if g != nil && after.Status == approval.Approved {
			return after, c.insertGrant(*g)
		}
		return after, nil
	})
}

// Extend implements approval.Store.
func (t *Approvals) Extend(ctx context.Context, id string, until time.Time) (approval.Approval, error) {
	return t.transition(ctx, "extend", id, func(c *change, before approval.Approval) (approval.Approval, error) {
		after, err := before.Extend(until, c.now)
		if err != nil {
			return before, err
		}
		request, err := json.Marshal(after.Request)
		if err != nil {
			return before, fmt.Errorf("store: request: %w", err)
		}
		err = c.exec("UPDATE approvals SET expires_at = ?, request = ? WHERE id = ?", until.UnixMicro(), string(request), id)
		if err == nil {
			_, err = c.journal(after.SessionID, session.TypeApprovalExtended, approval.ExtensionOf(after))
		}
		if err != nil {
			return before, err
		}
		return after, c.audit(audit.ApprovalExtended, requester(after.Request), audit.Call{About: about(after.Request), ExpiresAt: until})
	})
}

// Revealed implements approval.Store.
func (t *Approvals) Revealed(ctx context.Context, id string, by approval.By) error {
	_, err := write(ctx, t.store, "reveal", func(c *change) (struct{}, error) {
		row, err := scanApproval(c.row(selectApprovals+"WHERE id = ?", id))
		if errors.Is(err, sql.ErrNoRows) {
			return struct{}{}, approval.ErrUnknown
		}
		if err != nil {
			return struct{}{}, err
		}
		if err := c.may(by.Credential, row.AgentID, auth.Answer); err != nil {
			return struct{}{}, err
		}
		seen := approval.Revealed{ApprovalID: id, By: by}
		if _, err := c.journal(row.SessionID, session.TypeApprovalRevealed, seen); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, c.audit(audit.ApprovalRevealed, by, audit.Call{About: about(row.Request)})
	})
	return err
}

// transition reads a row, changes it with next and writes it back, in one change. If next refuses, its row is
// returned beside the error.
func (t *Approvals) transition(
	ctx context.Context, edge, id string, next func(*change, approval.Approval) (approval.Approval, error),
) (approval.Approval, error) {
	return write(ctx, t.store, edge, func(c *change) (approval.Approval, error) {
		before, err := scanApproval(c.row(selectApprovals+"WHERE id = ?", id))
		if errors.Is(err, sql.ErrNoRows) {
			return approval.Approval{}, approval.ErrUnknown
		}
		if err != nil {
			return approval.Approval{}, err
		}
		row, err := next(c, before)
		if err != nil {
			return row, err
		}
		return row, c.update(row)
	})
}

func (c *change) insert(a approval.Approval) error {
	request, err := json.Marshal(a.Request)
	if err != nil {
		return fmt.Errorf("store: request: %w", err)
	}
	response, err := answerOf(a.Response)
	if err != nil {
		return err
	}
	touches, err := touchesOf(a.Touches)
	if err != nil {
		return err
	}
	return c.exec(`INSERT INTO approvals
		(id, session_id, agent_id, asker, tool_name, call_id, round, status, run, node, requested_at, expires_at, answered_at, rev, request, response, touches)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ApprovalID, a.SessionID, a.AgentID, a.Origin.Subject, a.ToolName, a.ToolCallID, a.Round, string(a.Status), string(a.Run), c.store.node(),
		a.RequestedAt.UnixMicro(), timeOf(a.ExpiresAt), timeOf(a.Response.At), a.Rev, string(request), response, touches)
}

// timeOf returns a time for a column; NULL for the zero time.
func timeOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// keepRest stores the rest of a long diff beside the request, since lists read the request.
func (c *change) keepRest(a approval.Approval) error {
	if a.Preview.Rest == "" {
		return nil
	}
	return c.exec("INSERT INTO diffs (approval_id, rest) VALUES (?, ?)", a.ApprovalID, a.Preview.Rest)
}

func (c *change) update(a approval.Approval) error {
	response, err := answerOf(a.Response)
	if err != nil {
		return err
	}
	voided, err := answerOf(a.Voided)
	if err != nil {
		return err
	}
	return c.exec("UPDATE approvals SET status = ?, run = ?, told = ?, rev = ?, answered_at = ?, response = ?, voided = ?, claimed_at = ?, result_seq = ?, node = ? WHERE id = ?",
		string(a.Status), string(a.Run), is(a.HasResult), a.Rev, timeOf(a.Response.At), response, voided, timeOf(a.ClaimedAt), a.ResultSeq, c.store.node(), a.ApprovalID)
}

// answerOf returns an answer for a column; NULL if there is none.
func answerOf(r approval.Response) (any, error) {
	if r.Status == "" {
		return nil, nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("store: response: %w", err)
	}
	return string(raw), nil
}

const selectApprovals = "SELECT status, run, told, rev, request, response, voided, touches, claimed_at, result_seq FROM approvals "

func scanApproval(row scanner) (approval.Approval, error) {
	var a approval.Approval
	var request, touches string
	var response, voided sql.NullString
	var rev int64
	var claimed sql.NullInt64
	if err := row.Scan(&a.Status, &a.Run, &a.HasResult, &rev, &request, &response, &voided, &touches, &claimed, &a.ResultSeq); err != nil {
		return a, fmt.Errorf("store: approval: %w", err)
	}
	if err := json.Unmarshal([]byte(request), &a.Request); err != nil {
		return a, fmt.Errorf("store: request: %w", err)
	}
	for _, answer := range []struct {
		raw  sql.NullString
		into *approval.Response
	}{{response, &a.Response}, {voided, &a.Voided}} {
		if answer.raw.Valid {
			if err := json.Unmarshal([]byte(answer.raw.String), answer.into); err != nil {
				return a, fmt.Errorf("store: response: %w", err)
			}
		}
	}
	a.Rev = rev
	if claimed.Valid {
		a.ClaimedAt = time.UnixMicro(claimed.Int64).UTC()
	}
	var err error
	a.Touches, err = readTouches(touches)
	return a, err
}
