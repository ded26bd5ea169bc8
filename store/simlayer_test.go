package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
)

// simFault is what becomes of one statement or commit.
type simFault int

const (
	simNone    simFault = iota
	simRefused          // it is not done, and the transaction takes nothing more until its savepoint
	simLost             // it is not done, and its connection is gone
	simUnheard          // it is done, and its connection is gone
	simSlow             // it takes some seconds
	simHung             // the process hangs, with all that it does, for longer than a lease
	simCut              // nothing gets through for longer than a lease
	simKilled           // the process ends before it is done
	simDied             // the process ends once it is done
	simFaults           // how many there are
)

func (f simFault) String() string {
	return [...]string{"none", "refused", "lost", "unheard", "slow", "hung", "cut", "killed before", "killed after"}[f]
}

// simPlan says what fails.
type simPlan struct {
	rate  float64  // of all statements and commits
	nth   int64    // of the first process's, one that fails; 0: none
	fault simFault // of that one

	crowd time.Duration // how long a transaction waits for its turn at most
}

// simNetwork is what is between a process and a real server.
type simNetwork interface {
	Lose(text string, reply bool) // the next message with a text, or its reply
	Cut()
	Heal()
	Kill() // ends it for good
}

// simLayer is between one process and the database, and has statements fail. What becomes of the nth one with a text
// follows from the seed, the process and n alone.
type simLayer struct {
	store.Shared
	run     *simulation
	process string
	dead    *atomic.Bool
	kill    func()
	net     simNetwork // nil: there is none

	mu    sync.Mutex
	asked map[string]uint64 // how often, by text
	until time.Time         // nothing gets through before
	hangs time.Time         // nothing is done before

	gone, refused bool // the transaction in hand; the writer's
}

// dice are those for one statement.
func (l *simLayer) dice(text string) (*rand.Rand, uint64) {
	l.mu.Lock()
	l.asked[text]++
	n := l.asked[text]
	l.mu.Unlock()
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, l.process, text, n)
	return rand.New(rand.NewPCG(l.run.seed, h.Sum64())), n
}

// pass takes its time, and says what is to go wrong. The error is why nothing is done at all.
func (l *simLayer) pass(ctx context.Context, text string) (fault simFault, err error) {
	dice, n := l.dice(text)
	fault = l.run.fault(l.process, dice)
	delay := time.Duration(dice.Int64N(int64(time.Millisecond)))
	if text == "BEGIN" {
		delay = time.Duration(dice.Int64N(int64(l.run.plan.crowd)))
	}
	long := simLeaseFor + time.Duration(dice.Int64N(int64(simLeaseFor)))
	switch fault {
	case simSlow:
		delay = time.Duration(dice.ExpFloat64() * float64(time.Second))
	case simHung, simCut:
		l.cut(long/l.run.pace, fault == simHung)
	case simKilled:
		l.kill()
	}
	if fault != simNone {
		l.run.notef("%s: %s %d is %s", l.process, head(text), n, fault)
	}
	if err := errors.Join(l.run.rest(ctx, delay), pause(ctx, l.away())); err != nil {
		return fault, away("nothing gets through")
	}
	if l.dead.Load() {
		return fault, away("the process was killed")
	}
	return fault, nil
}

// cut lets nothing through for so long, and with hangs has the process do nothing.
func (l *simLayer) cut(long time.Duration, hangs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Now().Add(long)
	if hangs {
		l.hangs = l.until
	}
	if l.net != nil {
		l.net.Cut()
		time.AfterFunc(long, l.net.Heal)
	}
}

// died lets nothing through any more.
func (l *simLayer) died() {
	if l.net != nil {
		l.net.Kill()
	}
}

// away is for how long nothing will get through.
func (l *simLayer) away() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, time.Until(l.until))
}

// head is the beginning of a query, for people.
func head(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(5, len(words))], " ")
}

// reach is the way of a renewal.
func (l *simLayer) reach(ctx context.Context) error {
	fault, err := l.pass(ctx, "renew")
	if err == nil && (fault == simRefused || fault == simLost) {
		err = away("the renewal is lost")
	}
	return err
}

// statement does one in the transaction.
func (l *simLayer) statement(text string, do func() error) error {
	if l.gone {
		return away("the connection is gone")
	}
	fault, err := l.pass(context.Background(), text)
	switch {
	case err != nil:
		l.end()
		return err
	case fault == simDied:
		l.kill()
		l.end()
		return away("the process was killed")
	case l.refused && text != "ROLLBACK TO job":
		return away("the transaction was refused")
	}
	l.refused = false
	switch {
	case fault == simRefused:
		l.refused = true
		return away("refused by the test")
	case fault == simLost || fault == simUnheard:
		return l.broken(text, fault == simUnheard, do)
	}
	return do()
}

// broken loses the connection, before or after a statement is done.
func (l *simLayer) broken(text string, done bool, do func() error) error {
	if l.net != nil {
		l.net.Lose(text[:min(20, len(text))], done)
		return do()
	}
	if done {
		_ = do() // whatever it says, nobody hears it
	}
	l.end()
	return away("lost by the test")
}

// end rolls back, as the server does when a connection ends.
func (l *simLayer) end() {
	if !l.gone {
		l.gone = true
		l.Shared.Rollback()
	}
}

func (l *simLayer) Begin() (position int64, err error) {
	l.gone, l.refused = false, false
	var fault simFault
	fault, err = l.pass(context.Background(), "BEGIN")
	if err == nil && fault == simRefused {
		err = away("refused by the test")
	}
	if err == nil {
		position, err = l.Shared.Begin()
	}
	l.gone = err != nil
	if err == nil && (fault == simLost || fault == simUnheard) {
		l.end()
		err = away("lost by the test")
	}
	return position, err
}

func (l *simLayer) Rollback() { l.end() }

func (l *simLayer) Exec(query string, args ...any) error {
	return l.statement(query, func() error { return l.Shared.Exec(query, args...) })
}

// Row reads the row at once, so that what is lost is lost here.
func (l *simLayer) Row(query string, args ...any) interface{ Scan(...any) error } {
	return scan(func(into []any) error {
		return l.statement(query, func() error { return l.Shared.Row(query, args...).Scan(into...) })
	})
}

func (l *simLayer) Rows(query string, args ...any) (rows *sql.Rows, err error) {
	err = l.statement(query, func() (err error) {
		rows, err = l.Shared.Rows(query, args...)
		return err
	})
	return lent(rows, err)
}

// lent closes rows beside an error.
func lent(rows *sql.Rows, err error) (*sql.Rows, error) {
	if err != nil && rows != nil {
		_ = rows.Close()
		rows = nil
	}
	return rows, err
}

// scan is a row that is read when it is scanned.
type scan func(into []any) error

// Scan implements what *sql.Row does.
func (s scan) Scan(into ...any) error { return s(into) }

func (l *simLayer) Commit(ctx context.Context, news string, judging bool) (position int64, err error) {
	if l.gone || l.refused {
		l.end()
		return 0, away("the connection is gone")
	}
	fault, err := l.pass(context.Background(), "COMMIT")
	if err == nil && (fault == simLost || fault == simUnheard) && l.net != nil {
		l.net.Lose("COMMIT\x00", fault == simUnheard)
	} else if err == nil && (fault == simRefused || fault == simLost) {
		err = away("the commit is lost")
	}
	if err != nil {
		l.end()
		return 0, err
	}
	if position, err = l.Shared.Commit(ctx, news, judging); err != nil {
		l.end()
		return 0, err
	}
	l.gone = true
	switch {
	case fault == simDied:
		l.kill()
		return 0, away("the process was killed")
	case fault != simUnheard || l.net != nil:
		return position, nil
	}
	// It is looked up until there is an answer.
	for {
		fault, err := l.pass(ctx, "look up")
		if err == nil && fault == simNone {
			return position, nil
		}
		if l.dead.Load() || l.run.rest(ctx, time.Second/4) != nil {
			return 0, away("whether it was written is not known")
		}
	}
}

func (l *simLayer) Now() (now time.Time, err error) {
	err = l.statement("now", func() (err error) {
		now, err = l.Shared.Now()
		return err
	})
	return now, err
}

func (l *simLayer) Touch() error { return l.statement("touch", l.Shared.Touch) }

// read is one beside the transactions.
func (l *simLayer) read(ctx context.Context, text string) error {
	fault, err := l.pass(ctx, text)
	switch {
	case err != nil:
		return err
	case fault == simDied:
		l.kill()
		return away("the process was killed")
	case fault == simRefused || fault == simLost || fault == simUnheard:
		return away("lost by the test")
	}
	return nil
}

func (l *simLayer) ReadRow(ctx context.Context, query string, args ...any) interface{ Scan(...any) error } {
	return scan(func(into []any) error {
		if err := l.read(ctx, query); err != nil {
			return err
		}
		return l.Shared.ReadRow(ctx, query, args...).Scan(into...)
	})
}

func (l *simLayer) ReadRows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := l.read(ctx, query); err != nil {
		return nil, err
	}
	return lent(l.Shared.ReadRows(ctx, query, args...))
}

func (l *simLayer) Position(ctx context.Context) (int64, error) {
	if err := l.read(ctx, "position"); err != nil {
		return 0, err
	}
	return l.Shared.Position(ctx)
}

func (l *simLayer) After(ctx context.Context, position int64, most int) ([]postgres.Commit, error) {
	if err := l.read(ctx, "after"); err != nil {
		return nil, err
	}
	return l.Shared.After(ctx, position, most)
}

// awake waits as long as the process hangs.
func (l *simLayer) awake() {
	l.mu.Lock()
	hangs := time.Until(l.hangs)
	l.mu.Unlock()
	_ = pause(context.Background(), hangs) // its error is the context's
}

// Held looks at the lease once the process does not hang.
func (l *simLayer) Held() error {
	l.awake()
	if l.dead.Load() {
		return postgres.ErrLost
	}
	return l.Shared.Held()
}
