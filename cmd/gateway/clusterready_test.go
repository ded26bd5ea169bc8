//go:build postgres

package main

import (
	"database/sql"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/session"
)

// ready is what a gateway says of itself.
func (p *process) ready() (status int, body string) {
	p.t.Helper()
	response, body := p.fetch("/readyz", "")
	return response.StatusCode, body
}

func TestClusterGatewayIsNotReadyWhilePostgresIsAwayAndThenEnds(t *testing.T) {
	c := newCluster(t)
	one := c.start("one")
	c.server.Down(t)
	if status, body := one.ready(); status != http.StatusServiceUnavailable || !strings.Contains(body, `"notReady":["store"]`) {
		t.Errorf("it says %d %s", status, body)
	}
	if err := one.cmd.Wait(); err == nil {
		t.Errorf("it ended as if all were well: %s", one.stderr)
	}
	one.logged("it has lost its lease")
	c.server.Up(t)
	if status, body := c.start("one").ready(); status != http.StatusOK {
		t.Errorf("once it is back: %d %s", status, body)
	}
}

func TestClusterGatewayIsNotReadyWhilePostgresTakesNoChangesAndThenIs(t *testing.T) {
	c := newCluster(t)
	one := c.start("one")
	db, err := sql.Open("pgx", c.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	hangs, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hangs.Rollback() }() // after the other one it does nothing
	if _, err := hangs.ExecContext(t.Context(), "SELECT 1 FROM head FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	is := func(want int) func() bool {
		return func() bool { status, _ := one.ready(); return status == want }
	}
	one.until("it is not ready", is(http.StatusServiceUnavailable))
	if err := hangs.Rollback(); err != nil {
		t.Fatal(err)
	}
	one.until("it is ready", is(http.StatusOK))
}

func TestClusterGatewaysAreListedWithWhatTheyDo(t *testing.T) {
	c := newCluster(t)
	one := c.start("one")
	two := c.start("two").resumed(one)
	one.ask(one.tab(), proof(c.dir))
	listed := func(at *process) []session.Node {
		t.Helper()
		var body struct {
			Nodes []session.Node `json:"nodes"`
		}
		if err := at.request(http.MethodGet, "/api/nodes", struct{}{}, &body); err != nil || len(body.Nodes) != 2 {
			t.Fatalf("%v: %+v", err, body)
		}
		return body.Nodes
	}
	for i, at := range []*process{one, two} {
		list := listed(at)
		if list[0].Name != "one" || list[1].Name != "two" || list[0].Sessions != 1 || list[1].Sessions != 0 || !list[i].Here || list[1-i].Here {
			t.Errorf("at %d: %+v", i, list)
		}
		for _, n := range list {
			if n.State != session.NodeWorks || n.Version == "" || n.Since.IsZero() {
				t.Errorf("at %d: %+v", i, n)
			}
		}
	}
	verb := exec.Command("gateway", "nodes", "--data", filepath.Join(c.dir, "data-two"))
	verb.Env = two.environment()
	if out, err := verb.CombinedOutput(); err != nil || !strings.Contains(string(out), "\ntwo (answers)  works") || !strings.Contains(string(out), "\none ") {
		t.Errorf("%v: %s", err, out)
	}
}
