//go:build postgres

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/cluster/natstest"
)

// calls is how many are asked about while gateways are killed: what make soak says, or a few.
var calls = func() int {
	if n, err := strconv.Atoi(os.Getenv("LINECLEAR_CHAOS")); err == nil {
		return n
	}
	return 150
}()

// crowd is people and programs at all stations.
type crowd struct {
	*cluster
	stations []*station
	messages *natstest.Server // nil: there is none
	who      *process         // who is logged in
	asked    atomic.Int64
	settled  atomic.Bool // nothing more is asked

	mu       sync.Mutex
	outcomes map[string]string // by approval, as some tab has heard it
}

func (c *crowd) any() *process { return c.stations[rand.IntN(len(c.stations))].browserOf(c.who) }

// patiently repeats what a gateway that dies can't do.
func patiently(ctx context.Context, do func() error) {
	for ctx.Err() == nil && do() != nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// converse has an agent ask about one call after the other, until there were enough.
func (c *crowd) converse(ctx context.Context) {
	var s struct {
		ID       string `json:"sessionId"`
		TurnOpen bool   `json:"turnOpen"`
	}
	patiently(ctx, func() error {
		err := c.any().request(http.MethodPost, "/api/sessions", map[string]string{"agentId": "demo"}, &s)
		if err == nil && s.ID == "" {
			err = errNothing
		}
		return err
	})
	for c.asked.Add(1) <= int64(calls) && ctx.Err() == nil {
		patiently(ctx, func() error {
			var sent struct {
				Seq int64 `json:"seq"`
			}
			err := c.any().request(http.MethodPost, "/api/sessions/"+s.ID+"/messages", map[string]string{"text": "run: " + proof(c.dir)}, &sent)
			if err == nil && sent.Seq == 0 {
				err = errNothing
			}
			return err
		})
		patiently(ctx, func() error {
			now := s
			now.ID = ""
			err := c.any().request(http.MethodGet, "/api/sessions/"+s.ID, struct{}{}, &now)
			if err == nil && (now.ID == "" || now.TurnOpen) {
				err = errNothing
			}
			return err
		})
	}
}

var errNothing = fmt.Errorf("nothing yet")

// watch is a tab that goes from gateway to gateway, and answers some of what it is shown: always yes, or always no. It
// returns what it still shows at the end.
func (c *crowd) watch(ctx context.Context, says string) (shows []string, err error) {
	for {
		shows, err = c.sit(ctx, says)
		if ctx.Err() != nil || c.settled.Load() && err == nil && len(shows) == 0 {
			return shows, err
		}
	}
}

// sit is a tab at one gateway, until that is gone or everything is settled.
func (c *crowd) sit(ctx context.Context, says string) (shows []string, err error) {
	ws, err := c.any().connect()
	if err != nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
		return nil, err
	}
	defer func() { _ = ws.Close() }()
	defer context.AfterFunc(ctx, func() { _ = ws.Close() })()
	pending := map[string]bool{}
	whole := false
	for {
		// Now and then it goes to another gateway.
		_ = ws.SetReadDeadline(time.Now().Add(time.Duration(2+rand.IntN(8)) * time.Second))
		_, raw, err := ws.ReadMessage()
		if err != nil {
			for id := range pending {
				shows = append(shows, id)
			}
			if !whole {
				return shows, err
			}
			return shows, nil
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, err
		}
		var said struct {
			ApprovalID string `json:"approvalId"`
			Status     string `json:"status"`
			More       bool   `json:"more"`
		}
		_ = json.Unmarshal(f.Data, &said) // what it is not about has none of it
		for _, id := range shown(f) {
			pending[id] = true
			if rand.IntN(8) == 0 || len(pending) > 2 {
				if err := write(ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":%q}}`, id, says); err != nil {
					return nil, err
				}
			}
		}
		whole = whole || f.Event == "snapshot" && !said.More
		if f.Event == "approvalResponse" {
			delete(pending, said.ApprovalID)
			c.heard(said.ApprovalID, said.Status)
		}
	}
}

// heard notes an outcome; there is one.
func (c *crowd) heard(id, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.outcomes[id]; before != "" && before != status {
		c.t.Errorf("%s is %s, and was %s", id, status, before)
	}
	c.outcomes[id] = status
}

// disturb breaks something every few seconds, until ctx ends, and mends it.
func (c *crowd) disturb(ctx context.Context) (done map[string]int) {
	done = map[string]int{}
	rest := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	kinds := []string{"killed", "cut off", "killed", "paused", "killed", "database restarted"}
	if c.messages != nil {
		kinds = append([]string{"NATS restarted"}, kinds...)
	}
	for n := 0; ctx.Err() == nil; n++ {
		s := c.stations[rand.IntN(len(c.stations))]
		long := time.Duration(1+rand.IntN(8)) * time.Second
		switch what := kinds[n%len(kinds)]; what {
		case "killed":
			s.signal(syscall.SIGKILL)
			done[what]++
		case "cut off":
			s.proxy.Cut()
			rest(long)
			s.proxy.Heal()
			done[what]++
		case "paused":
			s.signal(syscall.SIGSTOP)
			rest(long)
			s.signal(syscall.SIGCONT)
			done[what]++
		case "NATS restarted":
			c.messages.Kill()
			rest(long / 2)
			if err := c.messages.Again(); err != nil {
				c.t.Error(err)
			}
			done[what]++
		default:
			c.server.Restart(c.t)
			done[what]++
		}
		rest(5 * time.Second)
	}
	return done
}

// newCrowd starts three gateways, and logs somebody in. The NATS server may be nil.
func newCrowd(t *testing.T, server *natstest.Server) *crowd {
	t.Helper()
	c := &crowd{cluster: newCluster(t), messages: server, outcomes: map[string]string{}}
	if server != nil {
		c.nats = server.URL
	}
	yaml := strings.Replace(agents, "gateway: {", fmt.Sprintf("cluster: {postgres: \"${DATABASE}\", "+c.alsoNATS()+"listen: %q, node: \"${NODE}\"}\ngateway: {auditKey: %q, ",
		c.database, c.key), 1)
	if err := os.MkdirAll(filepath.Join(c.dir, "agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"agents.yaml": yaml, "boss.yaml": strings.ReplaceAll(script, "COMMAND", proof(c.dir))} {
		if err := os.WriteFile(filepath.Join(c.dir, "agents", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("DATABASE", c.database) // of verbs
	c.stations = c.cluster.stations("one", "two", "three")
	running, stop := context.WithCancel(context.Background())
	links := make(chan string, 1)
	var gateways sync.WaitGroup
	t.Cleanup(func() { stop(); gateways.Wait() })
	for _, s := range c.stations {
		gateways.Go(func() { s.keep(running, links) })
	}
	link := <-links
	c.who = &process{t: t, dir: c.dir}
	patiently(t.Context(), func() error {
		for _, s := range c.stations {
			p := s.browserOf(c.who)
			var told struct {
				CSRF string `json:"csrf"`
			}
			if p.request(http.MethodPost, "/api/login", map[string]string{"token": link}, &told) == nil && told.CSRF != "" {
				c.who, p.csrf = p, told.CSRF
				return nil
			}
		}
		return errNothing
	})
	return c
}

// Three gateways are killed, cut off and paused, and the database is started again, while agents ask and people
// answer each request with yes and no through all of them.
func TestClusterHasOneOutcomeACallAndTellsEveryTab(t *testing.T) {
	t.Run("Postgres alone", func(t *testing.T) { oneOutcomeACall(t, nil) })
	t.Run("with NATS, which is started again as well", func(t *testing.T) { oneOutcomeACall(t, natstest.Start(t)) })
}

func oneOutcomeACall(t *testing.T, server *natstest.Server) {
	c := newCrowd(t, server)
	began := time.Now()
	var tabs, sessions, trouble sync.WaitGroup
	watching, leave := context.WithTimeout(t.Context(), 20*time.Minute)
	defer leave()
	for n := range 24 {
		tabs.Go(func() {
			if shows, err := c.watch(watching, []string{"approved", "denied"}[n%2]); err != nil || len(shows) > 0 {
				t.Errorf("a tab shows %v at the end: %v", shows, err)
			}
		})
	}
	disturbing, enough := context.WithCancel(t.Context())
	var disturbed map[string]int
	trouble.Go(func() { disturbed = c.disturb(disturbing) })
	for range 12 {
		sessions.Go(func() { c.converse(watching) })
	}
	sessions.Wait()
	enough()
	trouble.Wait()
	took := time.Since(began)
	c.settled.Store(true)
	tabs.Wait()
	c.examine(t)
	t.Logf("%d requests in %s, during %v", len(c.outcomes), took.Round(time.Second), disturbed)
}

// examine holds what tabs have heard against the rows, and what has run.
func (c *crowd) examine(t *testing.T) {
	t.Helper()
	got := ran(t, c.dir)
	slices.Sort(got)
	if twice := len(got) - len(slices.Compact(slices.Clone(got))); twice > 0 {
		t.Errorf("%d calls ran twice", twice)
	}
	var rows []client.Approval
	patiently(t.Context(), func() (err error) {
		rows, err = everyRequest(c.any(), "")
		return err
	})
	if len(rows) < calls {
		t.Errorf("there are %d requests of %d", len(rows), calls)
	}
	called := map[string]bool{}
	for _, id := range got {
		called[id] = true
	}
	for _, a := range rows {
		if a.Status == "pending" {
			t.Errorf("%s waits", a.ApprovalID)
		}
		if heard := c.outcomes[a.ApprovalID]; heard != "" && heard != string(a.Status) {
			t.Errorf("%s is %s, and tabs were told %s", a.ApprovalID, a.Status, heard)
		}
		if called[a.ToolCallID] && a.Status != "approved" {
			t.Errorf("%s ran, and is %s", a.ToolCallID, a.Status)
		}
	}
	for _, verb := range []string{"doctor", "audit verify"} {
		if out, err := c.run(strings.Fields(verb)...); err != nil {
			t.Errorf("%s: %v: %s", verb, err, out)
		}
	}
}
