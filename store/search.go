package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
)

// Search implements approval.Finder. Pending requests, and those of a session, have their own indexes. Any
// other search examines at most approval.SearchReach rows at once.
func (t *Approvals) Search(ctx context.Context, q approval.Search) (approval.Found, error) {
	if slices.ContainsFunc(q.Words, func(word string) bool { return strings.Contains(word, "\x00") }) {
		return approval.Found{}, nil // no shown word has it
	}
	s := &search{Search: q, t: t, from: oldest, to: newest}
	s.agents, s.all = s.Of()
	select {
	case <-t.store.filled: // after an upgrade, this takes a while
	case <-ctx.Done():
		return approval.Found{}, context.Cause(ctx)
	}
	if err := s.begin(ctx); err != nil {
		return approval.Found{}, err
	}
	if err := s.bound(ctx); err != nil {
		return approval.Found{}, err
	}
	if err := s.fill(ctx); err != nil {
		return approval.Found{}, err
	}
	return s.found, nil
}

// search is a search in progress. The place from is included, the place to is not.
type search struct {
	approval.Search
	t        *Approvals
	agents   []string
	all      bool // for all agents
	from, to place
	partial  bool // there are older rows to examine
	found    approval.Found
}

// place is the position of a row in the history.
type place struct {
	at int64
	id string
}

// All rows are between these.
var oldest, newest = place{at: math.MinInt64}, place{at: math.MaxInt64}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.at, other.at), strings.Compare(p.id, other.id))
}

// begin sets where the search starts and ends.
func (s *search) begin(ctx context.Context) error {
	if !s.Since.IsZero() {
		s.from.at = micros(s.Since)
	}
	if !s.Until.IsZero() {
		s.to.at = micros(s.Until)
	}
	if s.Before == "" {
		return nil
	}
	var agent string
	before := place{id: s.Before}
	err := s.t.store.db.ReadRow(ctx, "SELECT requested_at, agent_id FROM approvals WHERE id = ?", s.Before).Scan(&before.at, &agent)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !s.all && !slices.Contains(s.agents, agent):
		return approval.ErrUnknown
	case err != nil:
		return fmt.Errorf("store: search: %w", err)
	case before.compare(s.to) < 0:
		s.to = before
	}
	return nil
}

// micros returns the first whole microsecond that is not before a time.
func micros(t time.Time) int64 { return t.Add(time.Microsecond - time.Nanosecond).UnixMicro() }

// indexed reports whether only few rows can match, and an index finds them.
func (s *search) indexed() bool { return s.SessionID != "" || s.Waiting() }

// bound limits the search to the rows that may be examined at once. It counts only rows of the wanted
// agents, so that where a page ends reveals nothing about others.
func (s *search) bound(ctx context.Context) error {
	if s.indexed() {
		return nil
	}
	const order = " ORDER BY requested_at DESC, id DESC LIMIT 1 OFFSET ?"
	each := s.Most() + 1
	if s.Sifts() {
		each = max(s.t.store.reach/max(len(s.agents), 1), 1)
	}
	if s.all {
		return s.reach(ctx, "SELECT requested_at, id FROM history WHERE (requested_at, id) < (?, ?)"+order, s.to.at, s.to.id, each-1)
	}
	for _, agent := range s.agents {
		err := s.reach(ctx, "SELECT requested_at, id FROM history WHERE agent_id = ? AND (requested_at, id) < (?, ?)"+order,
			agent, s.to.at, s.to.id, each-1)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) reach(ctx context.Context, query string, args ...any) error {
	var end place
	switch err := s.t.store.db.ReadRow(ctx, query, args...).Scan(&end.at, &end.id); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return fmt.Errorf("store: search: %w", err)
	case end.compare(s.from) > 0:
		s.from, s.partial = end, true
	}
	return nil
}

// fill adds rows to the page until it is full or the search is at its end.
func (s *search) fill(ctx context.Context) error {
	for {
		most := s.Most() + 1 - len(s.found.Rows)
		places, err := s.places(ctx, most)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(places, readAtOnce) {
			if full, err := s.read(ctx, some); err != nil || full {
				return err
			}
		}
		if len(places) < most {
			break
		}
	}
	if s.partial {
		s.found.Next, s.found.NextAt = s.from.id, time.UnixMicro(s.from.at).UTC()
	}
	return nil
}

// readAtOnce is how many rows are read before checking whether the page is full.
const readAtOnce = 20

// read adds the rows at some places to the page. The history may have words that an earlier configuration
// did not mask. Rows that match only by those are skipped, and full does not reveal them.
func (s *search) read(ctx context.Context, some []place) (full bool, err error) {
	ids := make([]string, len(some))
	for i, p := range some {
		ids[i] = p.id
	}
	rows, err := s.t.Find(ctx, approval.Query{IDs: ids})
	if err != nil {
		return false, err
	}
	for _, row := range slices.Backward(rows) {
		if len(s.Words) > 0 && !s.Matches(row.Masked(s.t.store.secrets)) {
			continue
		}
		if s.found.Add(s.Search, row) {
			return true, nil
		}
	}
	s.to = some[len(some)-1]
	return false, nil
}

// places returns the places of the next rows that meet the conditions.
func (s *search) places(ctx context.Context, most int) ([]place, error) {
	query, args, err := s.query()
	if err != nil {
		return nil, err
	}
	rows, err := s.t.store.db.ReadRows(ctx, query, append(args, most)...)
	return scanned("search", rows, err, func(row scanner) (p place, err error) {
		err = row.Scan(&p.at, &p.id)
		return p, err
	})
}

// query returns the search as SQL. There are only a few different texts, so that few are kept prepared.
func (s *search) query() (query string, args []any, err error) {
	agents, err := json.Marshal(s.agents)
	if err != nil {
		return "", nil, fmt.Errorf("store: search: %w", err)
	}
	const beside = "approvals AS a CROSS JOIN history AS h ON h.requested_at = a.requested_at AND h.id = a.id WHERE "
	from := "history AS h WHERE true"
	switch {
	case s.SessionID != "" && s.Waiting():
		from, args = beside+"a.id IN (SELECT approval_id FROM waiting WHERE session_id = ?)", append(args, s.SessionID)
	case s.SessionID != "":
		from, args = beside+"a."+inTree, append(args, s.SessionID)
	case s.Waiting():
		from = beside + "a.status = 'pending'" // literally, so that the partial index serves
	case !s.all:
		from = "history AS h INDEXED BY history_agent WHERE true"
	}
	switch {
	case len(s.agents) == 1:
		from, args = from+" AND h.agent_id = ?", append(args, s.agents[0]) // needs no sorting
	case !s.all:
		from, args = from+" AND h.agent_id IN (SELECT value FROM json_each(?))", append(args, string(agents))
	}
	args = append(args, s.from.at, s.from.id, s.to.at, s.to.id, orNull(s.ToolName), orNull(string(s.Status)),
		orNull(string(s.Outcome)), orNull(string(s.Risk)), orNull(s.AnsweredBy))
	for i := range approval.MaxWords {
		word := ""
		if i < len(s.Words) {
			word = s.Words[i]
		}
		args = append(args, word)
	}
	return "SELECT h.requested_at, h.id FROM " + from + " AND (h.requested_at, h.id) >= (?, ?) AND (h.requested_at, h.id) < (?, ?)" +
		" AND h.tool_name = coalesce(?, h.tool_name) AND h.status = coalesce(?, h.status) AND h.outcome = coalesce(?, h.outcome)" +
		" AND h.risk = coalesce(?, h.risk) AND h.answered_by = coalesce(?, h.answered_by)" +
		strings.Repeat(" AND instr(h.words, ?) > 0", approval.MaxWords) + " ORDER BY h.requested_at DESC, h.id DESC LIMIT ?", args, nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
