package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/failpoint"
	"github.com/lineclear/lineclear/session"
)

// The most changes in one commit. A cluster's is smaller: other nodes wait for it, and each change takes several
// trips to the server.
const (
	maxGroup       = 256
	maxSharedGroup = 32
)

// job is one change that waits for the writer.
type job struct {
	edge string // names the change for failpoints
	ctx  context.Context
	do   func(*change) error
	done chan error // has room for one
}

// change is one job's view of the transaction it is part of.
type change struct {
	store   *Store
	now     time.Time
	news    []news     // what to put on the bus once it is durable
	changed []string   // holders whose grants or refusals it changes
	head    audit.Head // of the newest audit record; zero: not known yet
}

// Run is the writer. It ends when ctx does, after the current group.
func (s *Store) Run(ctx context.Context) error {
	if s.ran.Swap(true) {
		return errors.New("store: Run was called twice")
	}
	defer close(s.ended)
	checkpoints := time.NewTicker(checkpointWithin)
	defer checkpoints.Stop()
	filling := time.NewTimer(0)
	defer filling.Stop()
	select {
	case <-s.filled:
		filling.Stop()
	default:
	}
	wake, stop := s.listen(ctx)
	defer stop()
	for {
		select { // other nodes' commits come before the next change, which they may outdate
		case <-wake:
			s.catchUp(ctx)
			continue
		default:
		}
		select {
		case <-wake:
			s.catchUp(ctx)
		case <-s.nodes:
			if s.watch.Nodes != nil {
				s.watch.Nodes()
			}
		case first := <-s.jobs:
			s.commit(ctx, s.gather(first))
		case <-filling.C:
			if after, more := s.fillMore(ctx); more {
				filling.Reset(after)
			}
		case <-checkpoints.C:
			j := signing()
			s.commit(ctx, []job{j})
			if err := <-j.done; err != nil {
				s.failed("checkpoint", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// write hands a change to the writer and returns its result, once it is durable. If ctx ends before the writer begins
// with the change, the change is not made. After that, write waits for it: a caller must not get an error, and act on
// it, for a change that is made all the same.
func write[T any](ctx context.Context, s *Store, edge string, do func(*change) (T, error)) (T, error) {
	var result T
	j := job{edge: edge, ctx: ctx, done: make(chan error, 1), do: func(c *change) (err error) {
		result, err = do(c)
		return err
	}}
	if err := s.hand(j); err != nil {
		return result, err
	}
	err := <-j.done // the writer answers every job that it has taken
	return result, err
}

// hand gives the writer a job.
func (s *Store) hand(j job) error {
	select {
	case s.jobs <- j:
		return nil
	case <-s.ended:
		return ErrStopped
	case <-j.ctx.Done():
		return context.Cause(j.ctx)
	}
}

// Ping makes an empty change, which is synced to disk all the same: an error says that nothing can be kept now. It
// stops waiting when ctx ends.
func (s *Store) Ping(ctx context.Context) error {
	j := job{edge: "ping", ctx: ctx, done: make(chan error, 1), do: func(c *change) error { return c.store.db.Touch() }}
	if err := s.hand(j); err != nil {
		return err
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// gather adds the jobs that are waiting at this moment, up to the limit.
func (s *Store) gather(first job) []job {
	group := []job{first}
	most := maxGroup
	if s.others != nil {
		most = maxSharedGroup
	}
	for len(group) < most {
		select {
		case j := <-s.jobs:
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// commit makes a group's changes durable, publishes them in order, and only
// then answers.
func (s *Store) commit(ctx context.Context, group []job) {
	results := make([]error, len(group))
	pass("before", group)
	began := time.Now()
	done, position, err := s.transact(ctx, group, results)
	s.forget(done.changed) // also after a failure: it costs one query
	pass("after", group)
	if err != nil {
		s.newest = audit.Head{} // after a failed commit, the head is read again
		for i := range results {
			results[i] = err
		}
	} else {
		if s.own = position; done.head.Seq == 0 && s.others != nil {
			s.newest = audit.Head{} // another node may have written one
		}
		s.noteHead(done.head)
		if s.watch.Committed != nil {
			s.watch.Committed(len(group), time.Since(began))
		}
		if s.watch.Shared != nil && position > 0 {
			s.watch.Shared(position)
		}
		s.publish(ctx, position, done.news)
	}
	if s.others != nil && slices.ContainsFunc(results, func(err error) bool { return errors.Is(err, approval.ErrOutdated) }) {
		s.catchUp(ctx) // so that the call is judged by the newest state next time
	}
	for i, j := range group {
		j.done <- results[i]
	}
}

func pass(when string, group []job) {
	for _, j := range group {
		failpoint.Here(when, j.edge)
	}
}

// transact runs the group in one transaction, and returns the news of all its changes together. An error of a job
// goes into results, and only that job is rolled back. An error of transact means that nothing was written, or that
// ctx ended before a lost commit was found.
func (s *Store) transact(ctx context.Context, group []job, results []error) (done change, position int64, err error) {
	next, err := s.db.Begin()
	if err != nil {
		return done, 0, err
	}
	if s.others == nil || next == s.own+1 { // no other node has written since
		done.head = s.newest
	}
	defer func() {
		if err != nil {
			s.db.Rollback()
		}
	}()
	for i, j := range group {
		// The time first: if the context is alive after that, it was alive at that time.
		now, err := s.db.Now()
		if err != nil {
			return done, 0, err
		}
		c := &change{store: s, now: now.UTC().Truncate(time.Microsecond), head: done.head}
		if j.ctx.Err() != nil {
			results[i] = context.Cause(j.ctx)
			continue
		}
		if len(group) == 1 { // there is no other job to protect from its error
			if err := j.do(c); err != nil {
				return done, 0, err
			}
			done = *c
			continue
		}
		if results[i], err = s.inSavepoint(j, c); err != nil {
			return done, 0, err
		}
		if results[i] == nil {
			done.news = append(done.news, c.news...)
			done.changed = append(done.changed, c.changed...)
			done.head = c.head
		}
	}
	if err := failpoint.Fault(); err != nil {
		return done, 0, fmt.Errorf("store: commit: %w: %w", session.ErrUnwritten, err)
	}
	told, err := s.newsText(done)
	if err != nil {
		return done, 0, err
	}
	position, err = s.db.Commit(ctx, told, done.judging())
	return done, position, err
}

// inSavepoint runs a job so that its error undoes only that job.
func (s *Store) inSavepoint(j job, c *change) (fault, err error) {
	if err := s.db.Exec("SAVEPOINT job"); err != nil {
		return nil, err
	}
	if fault = j.do(c); fault == nil {
		fault = s.db.Flush()
	}
	if fault != nil {
		if err := errors.Join(s.db.Exec("ROLLBACK TO job"), s.db.Flush()); err != nil {
			return nil, err
		}
	}
	return fault, s.db.Exec("RELEASE job")
}

func (c *change) exec(query string, args ...any) error { return c.store.db.Exec(query, args...) }

// row reads one row within the transaction.
func (c *change) row(query string, args ...any) scanner { return c.store.db.Row(query, args...) }

// rows reads rows within the transaction.
func (c *change) rows(query string, args ...any) (*sql.Rows, error) {
	return c.store.db.Rows(query, args...)
}
