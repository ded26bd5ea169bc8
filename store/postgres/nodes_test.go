//go:build postgres

package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store/postgres"
)

// nodes opens some on one new database.
func nodes(t *testing.T, names ...string) (all []node, url string) {
	t.Helper()
	url = server.Database(t)
	dir := t.TempDir() // with the key of all
	for _, name := range names {
		all = append(all, open(t, postgres.Options{URL: url, Node: name}, filepath.Join(dir, name)))
	}
	return all, url
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (n node) session(t *testing.T) string {
	t.Helper()
	return must[session.Session](t)(n.Log.Create(t.Context(), session.Session{AgentID: "demo"})).ID
}

func (n node) ask(t *testing.T, sessionID, call string, change ...func(*approval.Request)) approval.Approval {
	t.Helper()
	r := approvaltest.Request(t, sessionID, call)
	for _, c := range change {
		c(&r)
	}
	return must[approval.Approval](t)(n.Store.Create(t.Context(), approval.New(r)))
}

func answer(id string, status approval.Status, by string) approval.Response {
	r := approval.Response{ApprovalID: id, Status: status, By: approval.By{Subject: by, Via: approval.ViaREST}}
	if status == approval.Denied {
		r.Reason = approval.UserDenied
	}
	return r
}

// heard is what a node's bus has, each as a short line.
type heard struct {
	bus   *bus.Subscription
	lines []string
}

func hear(t *testing.T, n node) *heard {
	t.Helper()
	sub := n.Bus.Subscribe(1000, append(approval.Topics(), session.Events)...)
	t.Cleanup(sub.Close)
	return &heard{bus: sub}
}

// until waits until enough holds of the lines, and returns them.
func (h *heard) until(t *testing.T, enough func(lines []string) bool) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !enough(h.lines) {
		e, err := h.bus.Next(ctx)
		if err != nil {
			t.Fatalf("%v; heard was only\n%s", err, strings.Join(h.lines, "\n"))
		}
		if v, ok := session.Events.From(e); ok {
			h.lines = append(h.lines, fmt.Sprintf("%s %d %s", v.SessionID, v.Seq, v.Type))
		}
		if v, ok := approval.Requests.From(e); ok {
			h.lines = append(h.lines, "request "+v.ApprovalID)
		}
		if v, ok := approval.Responses.From(e); ok {
			h.lines = append(h.lines, fmt.Sprintf("%s %s by %s", v.Status, v.ApprovalID, v.By.Subject))
		}
	}
	return h.lines
}

func has(line string) func([]string) bool {
	return func(lines []string) bool {
		return strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+line+"\n")
	}
}

func TestWhatOneNodeAsksAnotherAnswersAndBothHearIt(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	one, two := hear(t, all[0]), hear(t, all[1])
	id := all[0].session(t)
	a := all[0].ask(t, id, "call")
	two.until(t, has("request "+a.ApprovalID))
	if _, err := all[1].Store.Settle(t.Context(), answer(a.ApprovalID, approval.Approved, "ada"), nil); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*heard{one, two} {
		lines := h.until(t, has("approved "+a.ApprovalID+" by ada"))
		want := []string{
			id + " 1 session.created", id + " 2 approval.requested", "request " + a.ApprovalID,
			id + " 3 approval.resolved", "approved " + a.ApprovalID + " by ada",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("(-want +heard):\n%s", diff)
		}
	}
}

func TestEveryNodeHearsTheEventsOfASessionInTheirOrderWhoeverMadeThem(t *testing.T) {
	all, _ := nodes(t, "one", "two", "three")
	ears := []*heard{hear(t, all[0]), hear(t, all[1]), hear(t, all[2])}
	id := all[0].session(t)
	const each = 40
	var writers sync.WaitGroup
	for _, n := range all {
		for range 2 {
			writers.Go(func() {
				for range each / 2 {
					if _, err := n.Log.Append(t.Context(), id, session.UserMessage{Text: "hi", By: "ada"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	var want []string
	for seq := range 3*each + 1 {
		kind := session.TypeUserMessage
		if seq == 0 {
			kind = session.TypeCreated
		}
		want = append(want, fmt.Sprintf("%s %d %s", id, seq+1, kind))
	}
	for i, h := range ears {
		if diff := cmp.Diff(want, h.until(t, func(lines []string) bool { return len(lines) >= len(want) })); diff != "" {
			t.Errorf("%s (-want +heard):\n%s", all[i].name, diff)
		}
	}
}

func TestOfOppositeAnswersThroughTwoNodesOneCounts(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	id := all[0].session(t)
	for i := range 30 {
		a := all[i%2].ask(t, id, fmt.Sprint("call", i))
		statuses := []approval.Status{approval.Approved, approval.Denied}
		var outcomes [2]approval.Approval
		var both sync.WaitGroup
		for n, status := range statuses {
			both.Go(func() {
				got, err := all[n].Store.Settle(t.Context(), answer(a.ApprovalID, status, string(status)), nil)
				if err != nil && !errors.Is(err, approval.ErrDecided) {
					t.Error(err)
				}
				outcomes[n] = got
			})
		}
		both.Wait()
		if diff := cmp.Diff(outcomes[0].Response, outcomes[1].Response); diff != "" || outcomes[0].Status == approval.Pending {
			t.Errorf("the two were told different outcomes:\n%s", diff)
		}
	}
}

// holding begins a transaction that holds the head, as a node that writes does.
func holding(t *testing.T, url string) *sql.Tx {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	t.Cleanup(func() { _ = db.Close() })
	tx := must[*sql.Tx](t)(db.BeginTx(t.Context(), nil))
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), "UPDATE head SET position = position + 1"); err != nil {
		t.Fatal(err)
	}
	return tx
}

// waitsForHead returns once a transaction waits for the head.
func waitsForHead(t *testing.T, url string) {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	for range 1000 {
		var waits bool
		err := db.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
		if waits {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatal("nobody waits for the head")
}

func TestADeadlineThatPassesWhileAnAnswerWaitsForTheHeadCounts(t *testing.T) {
	all, url := nodes(t, "one")
	id := all[0].session(t)
	a := all[0].ask(t, id, "call", func(r *approval.Request) { r.ExpiresAt = time.Now().Add(700 * time.Millisecond).UTC() })
	before := holding(t, url)
	settled := make(chan approval.Approval, 1)
	go func() {
		got, err := all[0].Store.Settle(context.Background(), answer(a.ApprovalID, approval.Approved, "ada"), nil)
		if err != nil && !errors.Is(err, approval.ErrDecided) && !errors.Is(err, approval.ErrExpired) {
			t.Error(err)
		}
		settled <- got
	}()
	waitsForHead(t, url)
	if !time.Now().Before(a.ExpiresAt) {
		t.Fatal("the answer was not in time to begin with")
	}
	<-time.After(time.Until(a.ExpiresAt))
	if err := before.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := <-settled; got.Status != approval.Denied || got.Response.Reason != approval.Timeout {
		t.Errorf("it is %s, %q", got.Status, got.Response.Reason)
	}
}

func TestANodeThatHangsWithTheHeadIsCutOffAndTheOthersGoOn(t *testing.T) {
	all, url := nodes(t, "one")
	id := all[0].session(t)
	hung := must[*postgres.DB](t)(postgres.Open(t.Context(), postgres.Options{URL: url, Node: "two"}))
	defer func() { _ = hung.Close() }()
	if err := hung.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := hung.Begin(); err != nil { // and nothing more
		t.Fatal(err)
	}
	if a := all[0].ask(t, id, "call"); a.Status != approval.Pending {
		t.Errorf("it is %s", a.Status)
	}
	if _, err := hung.Commit(t.Context(), "[]", false); !errors.Is(err, session.ErrUnwritten) {
		t.Errorf("the node that hung is told %v", err)
	}
}

func TestPositionsAreInTheOrderOfTheCommitsAndARolledBackOneLeavesNoGap(t *testing.T) {
	all, url := nodes(t, "one", "two")
	id := all[0].session(t)
	first := holding(t, url)
	done := make(chan error, 1)
	go func() {
		_, err := all[1].Log.Append(context.Background(), id, session.UserMessage{Text: "second", By: "ada"})
		done <- err
	}()
	waitsForHead(t, url)
	if err := first.Rollback(); err != nil { // it would have been the one before
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := all[0].Log.Append(t.Context(), "nowhere", session.UserMessage{Text: "refused"}); !errors.Is(err, session.ErrUnknown) {
		t.Fatal(err)
	}
	if _, err := all[0].Log.Append(t.Context(), id, session.UserMessage{Text: "third", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	db := must[*sql.DB](t)(sql.Open("pgx", url))
	defer func() { _ = db.Close() }()
	var commits, newest, head int64
	if err := db.QueryRow("SELECT count(*), max(position), (SELECT position FROM head) FROM commits").Scan(&commits, &newest, &head); err != nil {
		t.Fatal(err)
	}
	if commits != 3 || newest != 3 || head != 3 {
		t.Errorf("%d commits, the newest %d, the head %d; want 3 each", commits, newest, head)
	}
}

func TestACommitWhoseAnswerIsLostIsLookedUpAndCountsOnce(t *testing.T) {
	for name, reply := range map[string]bool{"the commit is lost": false, "its answer is lost": true} {
		t.Run(name, func(t *testing.T) {
			url := server.Database(t)
			proxy, through := server.Between(t, url)
			n := open(t, postgres.Options{URL: through, Direct: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
			id := n.session(t)
			proxy.Lose("COMMIT\x00", reply)
			_, err := n.Log.Append(t.Context(), id, session.UserMessage{Text: "hi", By: "ada"})
			written := 1
			if reply {
				written = 2
			}
			if (err == nil) != reply || err != nil && !errors.Is(err, session.ErrUnwritten) {
				t.Errorf("it is told %v", err)
			}
			events := must[[]session.Event](t)(n.Log.Events(t.Context(), id, 0, 0))
			if len(events) != written {
				t.Errorf("there are %d events, want %d", len(events), written)
			}
			if _, err := n.Log.Append(t.Context(), id, session.UserMessage{Text: "again", By: "ada"}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A pooler says that its server is gone where the server has committed and the pooler alone has not heard it.
func TestACommitWhoseAnswerAPoolerHasLostIsLookedUp(t *testing.T) {
	url := server.Database(t)
	proxy, _ := server.Between(t, url)
	pooled := server.Pooled(t, proxy)
	n := open(t, postgres.Options{URL: pooled(url), Direct: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
	id := n.session(t)
	proxy.Lose("COMMIT\x00", true)
	if _, err := n.Log.Append(t.Context(), id, session.UserMessage{Text: "hi", By: "ada"}); err != nil {
		t.Errorf("it is told %v", err)
	}
	if events := must[[]session.Event](t)(n.Log.Events(t.Context(), id, 0, 0)); len(events) != 2 {
		t.Errorf("there are %d events", len(events))
	}
}

func TestAStatementThatIsLostUndoesTheWholeChange(t *testing.T) {
	for _, text := range []string{"INSERT INTO events", "INSERT INTO audit"} {
		for _, reply := range []bool{false, true} {
			t.Run(fmt.Sprint(text, " done: ", reply), func(t *testing.T) {
				url := server.Database(t)
				proxy, through := server.Between(t, url)
				n := open(t, postgres.Options{URL: through, Direct: url, Node: "one"}, filepath.Join(t.TempDir(), "one"))
				id := n.session(t)
				proxy.Lose(text, reply)
				r := approvaltest.Request(t, id, "call")
				if _, err := n.Store.Create(t.Context(), approval.New(r)); !errors.Is(err, session.ErrUnwritten) {
					t.Errorf("it is told %v", err)
				}
				found := must[[]approval.Approval](t)(n.Store.Find(t.Context(), approval.Query{SessionID: id}))
				events := must[[]session.Event](t)(n.Log.Events(t.Context(), id, 0, 0))
				if len(found) != 0 || len(events) != 1 {
					t.Errorf("there are %d requests and %d events", len(found), len(events))
				}
				if a := n.ask(t, id, "call"); a.Status != approval.Pending {
					t.Errorf("afterwards it is %s", a.Status)
				}
			})
		}
	}
}

func TestAServerThatWasStartedAgainIsUsedAgain(t *testing.T) {
	all, _ := nodes(t, "one", "two")
	id := all[0].session(t)
	two := hear(t, all[1])
	server.Restart(t)
	a := all[0].ask(t, id, "call")
	two.until(t, has("request "+a.ApprovalID))
}
