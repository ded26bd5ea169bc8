package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
)

// simulation is a cluster of gateways over a layer that fails, as a seed has it.
type simulation struct {
	t    *testing.T
	seed uint64
	plan simPlan
	dir  string
	db   simDatabase
	pace time.Duration // how many times faster than usual everything goes
	long time.Duration // things fail for, at the usual pace

	healed atomic.Bool // nothing fails any more
	over   atomic.Bool // no process is started again
	all    sync.WaitGroup
	count  atomic.Int64 // statements of the first process

	mu       sync.Mutex
	began    time.Time
	notes    []string
	wrong    []string
	gateways []*simGateway // as they were started
	starts   []*simStart
	said     []simSaid
	answered []simAnswer
	closed   []simClosed
	stops    []simStop
	settings *simSettings
	granted  map[string]bool // sessions in which a grant was given
}

// simStart is a call that a tool has begun with.
type simStart struct {
	by        *simGateway
	call      tool.Call
	at, ended time.Time
	number    int // from 1 on
}

// simDatabase is what the nodes of a simulated cluster share.
type simDatabase interface {
	// enter has a process work under the name of a node, and returns how its store is opened.
	enter(g *simGateway, node string) (simOpen, error)
	// runner is the turn that works in a session.
	runner(sessionID string) (turn int64, err error)
	// works reports whether a node's turn has not ended.
	works(turn int64) bool
	close()
}

type simOpen func(dir, keyFile string, b *bus.Bus) (*store.Store, error)

// rest waits for so long at the usual pace.
func (r *simulation) rest(ctx context.Context, d time.Duration) error { return pause(ctx, d/r.pace) }

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *simulation) notef(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf("%9.6f ", time.Since(r.began).Seconds())+fmt.Sprintf(format, args...))
}

func (r *simulation) wrongf(format string, args ...any) {
	r.notef("WRONG: "+format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// fault is what becomes of one statement of a process.
func (r *simulation) fault(process string, dice *rand.Rand) simFault {
	if r.healed.Load() {
		return simNone
	}
	if r.plan.nth > 0 {
		if process == "one.1" && r.count.Add(1) == r.plan.nth {
			return r.plan.fault
		}
		return simNone
	}
	if dice.Float64() >= r.plan.rate {
		return simNone
	}
	if dice.IntN(4) > 0 { // what is over soon is more frequent
		return simRefused + simFault(dice.IntN(int(simSlow)))
	}
	return simHung + simFault(dice.IntN(int(simFaults-simHung)))
}

// worksIn looks whether nobody else works in a session: a process that does not work any more need not know.
func (r *simulation) worksIn(g *simGateway, sessionID string) {
	runner, err := r.db.runner(sessionID)
	if err != nil || runner != g.layer.Turn() && r.db.works(g.layer.Turn()) && !g.dead.Load() {
		r.wrongf("%s, turn %d, works in %s, and so does turn %d: %v", g.name, g.layer.Turn(), sessionID, runner, err)
	}
}

func (r *simulation) started(by *simGateway, call tool.Call) *simStart {
	s := &simStart{by: by, call: call, at: time.Now()}
	r.notef("%s starts %s %s", by.name, call.Tool, call.ID)
	r.worksIn(by, call.SessionID)
	if !r.db.works(by.layer.Turn()) {
		r.wrongf("%s starts call %s after its lease has ended", by.name, call.ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starts = append(r.starts, s)
	s.number = len(r.starts)
	return s
}

func (r *simulation) ended(by *simGateway, s *simStart) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !by.dead.Load() {
		s.ended = time.Now()
	}
}

var simNames = []string{"one", "two", "three"}

// node runs the processes of one node, one after the other.
func (r *simulation) node(name string) {
	dice := r.dice("node " + name)
	for n := 1; !r.over.Load(); n++ {
		r.process(name, fmt.Sprintf("%s.%d", name, n), time.Duration(dice.ExpFloat64()*20*float64(time.Second)))
		_ = r.rest(context.Background(), time.Duration(dice.Int64N(int64(2*time.Second))))
	}
}

// process runs one, for so long while things fail.
func (r *simulation) process(node, name string, life time.Duration) {
	g := &simGateway{run: r, name: name, sessions: map[string]struct{}{}, wake: make(chan struct{}, 1)}
	g.ctx, g.end = context.WithCancel(context.Background())
	defer g.end()
	g.layer = &simLayer{run: r, process: name, dead: &g.dead, kill: g.kill, asked: map[string]uint64{}}
	open, err := r.db.enter(g, node)
	if err != nil {
		r.notef("%s may not work: %v", name, err)
		return
	}
	if err = g.build(open); err != nil {
		r.notef("%s does not open: %v", name, err)
		return
	}
	r.notef("%s works, turn %d", name, g.layer.Turn())
	r.mu.Lock()
	r.gateways = append(r.gateways, g)
	if r.over.Load() {
		g.end()
	}
	r.mu.Unlock()
	if !r.healed.Load() && r.plan.nth == 0 {
		stop := time.AfterFunc(life/r.pace, func() {
			if !r.healed.Load() {
				r.notef("%s is stopped", name)
				g.end()
			}
		})
		defer stop.Stop()
	}
	g.serve()
}

// working are the gateways that take what people say, in the order of their nodes.
func (r *simulation) working() (all []*simGateway) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.gateways {
		if g.up.Load() && !g.dead.Load() {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b *simGateway) int { return strings.Compare(a.name, b.name) })
	return all
}

// simulate runs one seed to its end, and returns what happened.
func simulate(t *testing.T, seed uint64) (notes []string) {
	synctest.Test(t, func(t *testing.T) {
		r := &simulation{t: t, seed: seed, dir: t.TempDir(), pace: 1, long: 20 * time.Second}
		r.db = newSimFile(t, r.dir)
		notes = r.live()
	})
	return notes
}

// live runs it to its end, and returns what happened.
func (r *simulation) live() (notes []string) {
	r.began = time.Now()
	r.plan = simPlanOf(r.dice("plan"))
	r.plan.nth /= int64(r.pace) // there are fewer statements in less time
	r.plan.rate *= float64(r.pace)
	r.settings, r.granted = &simSettings{run: r}, map[string]bool{}
	for _, name := range simNames {
		r.all.Go(func() { r.node(name) })
	}
	r.people()
	r.settle()
	r.check()
	notes = r.notes[:len(r.notes):len(r.notes)]
	r.mu.Lock()
	r.over.Store(true)
	for _, g := range r.gateways {
		g.end()
	}
	r.mu.Unlock()
	r.all.Wait()
	r.db.close()
	notes = named(notes)
	if len(r.wrong) > 0 {
		r.t.Errorf("%s\nseed %d, %+v; again with LINECLEAR_SEED=%d; what happened:\n%s",
			strings.Join(r.wrong, "\n"), r.seed, r.plan, r.seed, strings.Join(notes, "\n"))
	}
	return notes
}

var simID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// named has each id numbered in its order: they differ from run to run.
func named(notes []string) []string {
	numbers := map[string]string{}
	for i, note := range notes {
		notes[i] = simID.ReplaceAllStringFunc(note, func(id string) string {
			if numbers[id] == "" {
				numbers[id] = fmt.Sprintf("#%d", len(numbers)+1)
			}
			return numbers[id]
		})
	}
	return notes
}

// simPlanOf has one statement fail, or many.
func simPlanOf(dice *rand.Rand) simPlan {
	p := simPlan{crowd: []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond}[dice.IntN(3)]}
	if dice.IntN(3) == 0 {
		p.nth, p.fault = 1+dice.Int64N(1500), simRefused+simFault(dice.IntN(int(simFaults-1)))
	} else {
		p.rate = []float64{0.001, 0.003, 0.01, 0.03}[dice.IntN(4)]
	}
	return p
}

func TestSimulationOfAClusterOverALayerThatFails(t *testing.T) {
	seeds := 20
	if os.Getenv("LINECLEAR_LONG") != "" {
		seeds = 1000
	}
	runSeeds(t, seeds, simulate)
}

// runSeeds runs each of so many seeds, or those that are asked for.
func runSeeds(t *testing.T, seeds int, simulate func(t *testing.T, seed uint64) (notes []string)) {
	first := uint64(1)
	if again := os.Getenv("LINECLEAR_SEED"); again != "" {
		seed, err := strconv.ParseUint(again, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, seeds = seed, 1
	}
	if many, err := strconv.Atoi(os.Getenv("LINECLEAR_SEEDS")); err == nil {
		seeds = many
	}
	for i := range seeds {
		t.Run(fmt.Sprint(first+uint64(i)), func(t *testing.T) {
			t.Parallel()
			notes := simulate(t, first+uint64(i))
			if file := os.Getenv("LINECLEAR_NOTES"); file != "" {
				_ = os.WriteFile(filepath.Clean(file), []byte(strings.Join(notes, "\n")), 0o600)
			}
		})
	}
}
