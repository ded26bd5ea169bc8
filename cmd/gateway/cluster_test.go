//go:build postgres

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"

	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

// cluster is gateways that share a database, each with a folder of its own.
type cluster struct {
	t        *testing.T
	dir      string
	server   *postgrestest.Server
	database string
	nats     string // where it is; empty: there is none
	key      string // the file of the audit log's key
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	server := postgrestest.Start(t)
	return &cluster{t: t, dir: dir, server: server, database: server.Database(t), key: filepath.Join(dir, "keys", "audit.pem")}
}

// start starts a gateway and waits until it serves. All have the same file, but for what is replaced, and each a data folder of its own.
func (c *cluster) start(node string, replaced ...string) *process {
	c.t.Helper()
	yaml := strings.NewReplacer(replaced...).Replace(agents)
	yaml = strings.Replace(yaml, "gateway: {", fmt.Sprintf("cluster: {postgres: %q, "+c.alsoNATS()+"node: \"${NODE}\"}\ngateway: {auditKey: %q, ",
		c.database, c.key), 1)
	p := start(c.t, "gateway", c.dir, yaml, []string{"--data", filepath.Join(c.dir, "data-"+node)}, "NODE="+node)
	p.serves()
	return p
}

// alsoNATS is what stands in the file about it.
func (c *cluster) alsoNATS() string {
	if c.nats == "" {
		return ""
	}
	return fmt.Sprintf("nats: %q, ", c.nats)
}

// resumed is a process with the login of another one, as a browser behind a load balancer has it.
func (p *process) resumed(from *process) *process {
	again := *p
	again.cookie, again.csrf = from.cookie, from.csrf
	return &again
}

func TestClusterGoesOnWithWhatAKilledGatewayWasDoing(t *testing.T) {
	c := newCluster(t)
	one, two := c.start("one"), c.start("two")
	c.start("three")
	session, id := one.ask(one.tab(), proof(c.dir))
	two = two.resumed(one) // who is logged in at one gateway is at all of them
	ws := two.tab()
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, session)
	if err := one.end(syscall.SIGKILL); err == nil {
		t.Fatal("it did not die")
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "turn.finished")
	if got := ran(t, c.dir); len(got) != 1 {
		t.Errorf("it ran %d times", len(got))
	}
}

func TestClusterWhatIsAskedAtOneGatewayIsAnsweredSteeredAndStoppedAtAnother(t *testing.T) {
	c := newCluster(t)
	one, two := c.start("one"), c.start("two")
	here, there := one.tab(), two.resumed(one).tab()
	session, id := one.ask(here, proof(c.dir))
	send(t, there, `{"event":"subscribe","data":{"session":%q}}`, session)
	send(t, there, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, here, "approvalResponse", id) // every tab is told
	until(t, there, "sessionEvent", "turn.finished")
	begun, late := filepath.Join(c.dir, "begun"), filepath.Join(c.dir, "late")
	send(t, there, `{"event":"message","data":{"sessionId":%q,"text":%q}}`, session, fmt.Sprintf("run: echo > %s; sleep 600; echo > %s", begun, late))
	var asked struct {
		ApprovalID string `json:"approvalId"`
	}
	if err := json.Unmarshal(until(t, there, "approvalRequest", late).Data, &asked); err != nil {
		t.Fatal(err)
	}
	send(t, here, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, asked.ApprovalID)
	exists(t, begun)
	send(t, there, `{"event":"cancel","data":{"sessionId":%q}}`, session)
	until(t, there, "sessionEvent", `"outcome":"cancelled"`)
	if left := processesWith(t, late); len(left) > 0 {
		t.Errorf("what it ran goes on: %v", left)
	}
}

// A gateway whose file says something else about the agent, or that is not among those that work for it, leaves what is
// said there to another one.
func TestClusterLeavesAnAgentToTheGatewaysThatMayWorkForIt(t *testing.T) {
	for name, c := range map[string]struct {
		first, second []string // what stands in their files instead
		says          string   // the second one, in its log
	}{
		"another file":     {nil, []string{"timeout: none", "timeout: 1h"}, "agents.yaml says something else about an agent"},
		"another's agents": {[]string{"  demo:\n", "  demo:\n    nodes: [one]\n"}, []string{"  demo:\n", "  demo:\n    nodes: [one]\n"}, "serving"},
	} {
		t.Run(name, func(t *testing.T) {
			all := newCluster(t)
			one := all.start("one", c.first...)
			two := all.start("two", c.second...).resumed(one)
			two.logged(c.says)
			ws := two.tab()
			session, id := two.ask(ws, proof(all.dir))
			send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
			until(t, ws, "sessionEvent", "turn.finished")
			if got := ran(t, all.dir); len(got) != 1 {
				t.Errorf("it ran %d times", len(got))
			}
			if err := one.end(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if name == "another file" { // which counts now
				send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":"run: true"}}`, session)
				until(t, ws, "approvalRequest", "true")
			}
		})
	}
}

func TestClusterHandsOverAtAPlannedStop(t *testing.T) {
	c := newCluster(t)
	at := c.start("node0")
	var sessions, asked []string
	for i := range 3 {
		session, id := at.ask(at.tab(), proof(c.dir))
		sessions, asked = append(sessions, session), append(asked, id)
		next := c.start(fmt.Sprint("node", i+1)).resumed(at)
		if err := at.end(os.Interrupt); err != nil {
			t.Fatalf("it ended with %v: %s", err, at.stderr)
		}
		at = next
	}
	ws := at.tab()
	for i, id := range asked {
		send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, sessions[i])
		send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
		until(t, ws, "sessionEvent", "turn.finished")
	}
	got := ran(t, c.dir)
	slices.Sort(got)
	if len(got) != 3 || len(slices.Compact(got)) != 3 {
		t.Errorf("ran: %v", got)
	}
}

// A gateway that hangs while it runs a call is taken over: nobody runs the call again, and once it goes
// on it ends what it runs, and itself.
func TestClusterTakesOverFromAGatewayThatHangsWhichEndsWhatItRuns(t *testing.T) {
	c := newCluster(t)
	one, two := c.start("one"), c.start("two")
	ws := one.tab()
	begun, late := filepath.Join(c.dir, "begun"), filepath.Join(c.dir, "late")
	session, id := one.ask(ws, fmt.Sprintf("echo > %s; sleep 600; echo > %s", begun, late))
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	exists(t, begun)
	if err := one.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ws = two.tab()
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, session)
	until(t, ws, "sessionEvent", "Outcome unknown")
	if err := one.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := one.cmd.Wait(); err == nil {
		t.Errorf("it ended as if all were well: %s", one.stderr)
	}
	one.logged("it has lost its lease")
	if left := processesWith(t, late); len(left) > 0 {
		t.Errorf("what it ran goes on: %v", left)
	}
	var v struct {
		Status string `json:"status"`
	}
	two.post("/api/sessions/"+session+"/cancel", struct{}{}, &v)
}

// Gateways are killed right after people have answered, and the database is started again in between.
// Whatever came of each call, there is one outcome, and none has run twice.
func TestClusterKeepsOneOutcomeACallWhateverIsKilled(t *testing.T) {
	c := newCluster(t)
	at := c.start("node0")
	const rounds, calls = 4, 4
	for round := range rounds {
		ws := at.tab()
		var ids []string
		for range calls {
			_, id := at.ask(ws, proof(c.dir))
			ids = append(ids, id)
		}
		next := c.start(fmt.Sprint("node", round+1)).resumed(at)
		tabs := []*websocket.Conn{ws, next.tab()}
		for i, id := range ids {
			send(t, tabs[i%2], `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
		}
		if err := at.end(syscall.SIGKILL); err == nil {
			t.Fatal("it did not die")
		}
		if round%2 == 1 {
			c.server.Restart(t)
		}
		at = next
		var again *websocket.Conn
		patiently(t.Context(), func() (err error) { // the database may just be starting
			again, err = at.connect()
			return err
		})
		err := approveAll(again, func(frame) bool {
			rest, err := at.atRest()
			return rest || err != nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := at.end(os.Interrupt); err != nil {
		t.Errorf("it ended with %v: %s", err, at.stderr)
	}
	got := ran(t, c.dir)
	slices.Sort(got)
	if len(got) > rounds*calls || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("ran: %v", got)
	}
	if out, err := c.run("doctor"); err != nil || !strings.Contains(out, "16 approvals of which 0 wait") {
		t.Errorf("%v: %s", err, out)
	}
}

// A gateway that can't reach the database ends what it runs, and itself, while it still can't.
func TestClusterGatewayThatIsCutOffEndsWithWhatItRuns(t *testing.T) {
	c := newCluster(t)
	direct := c.database
	proxy, through := c.server.Between(t, direct)
	c.database = through
	one := c.start("one")
	ws := one.tab()
	begun, late := filepath.Join(c.dir, "begun"), filepath.Join(c.dir, "late")
	session, id := one.ask(ws, fmt.Sprintf("echo > %s; sleep 600; echo > %s", begun, late))
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	exists(t, begun)
	proxy.Cut()
	if err := one.cmd.Wait(); err == nil {
		t.Errorf("it ended as if all were well: %s", one.stderr)
	}
	one.logged("it has lost its lease")
	if left := processesWith(t, late); len(left) > 0 {
		t.Errorf("what it ran goes on: %v", left)
	}
	c.database = direct
	two := c.start("two")
	ws = two.tab()
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, session)
	until(t, ws, "sessionEvent", "Outcome unknown")
}

// exists waits for a file.
func exists(t *testing.T, file string) {
	t.Helper()
	late := time.After(patience)
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-late:
			t.Fatalf("%s never came", file)
		}
	}
}

// processesWith lists the processes with a text on their command line.
func processesWith(t *testing.T, text string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), text) { // it may have ended
			found = append(found, file)
		}
	}
	return found
}

// run runs a verb of the program with the cluster's file.
func (c *cluster) run(args ...string) (string, error) {
	verb := exec.Command("gateway", append(args, "--config", filepath.Join(c.dir, "agents", "agents.yaml"), "--data", filepath.Join(c.dir, "data-verb"))...)
	verb.Env = append((&process{dir: c.dir}).environment(), "NODE=verb")
	out, err := verb.CombinedOutput()
	return string(out), err
}

func TestClusterTakesAFolderIntoItsDatabaseWhole(t *testing.T) {
	dir := t.TempDir()
	alone := launch(t, dir)
	ws := alone.tab()
	done, first := alone.ask(ws, proof(dir))
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, first)
	until(t, ws, "sessionEvent", "turn.finished")
	session, id := alone.ask(ws, proof(dir))
	if err := alone.end(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	migrate := func(dir string) (string, error) {
		verb := exec.Command("gateway", "migrate", "--config", filepath.Join(dir, "agents", "agents.yaml"), "--data", filepath.Join(dir, "data"), "--to", c.database)
		verb.Env = (&process{dir: dir}).environment()
		out, err := verb.CombinedOutput()
		return string(out), err
	}
	for range 2 { // it can be run again
		if out, err := migrate(dir); err != nil || !strings.Contains(out, "chain holds") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	other := t.TempDir()
	if err := launch(t, other).end(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if out, err := migrate(other); err == nil || !strings.Contains(out, "data of another gateway") {
		t.Errorf("another folder: %v: %s", err, out)
	}
	key, err := filepath.Glob(filepath.Join(dir, "config", "lineclear", "keys", "*.pem"))
	if err != nil || len(key) != 1 {
		t.Fatal(key, err)
	}
	c.key = key[0]
	one := c.start("one")
	ws = one.tab()
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, session)
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"denied"}}`, id)
	until(t, ws, "sessionEvent", "turn.finished")
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, done)
	until(t, ws, "sessionEvent", "turn.finished")
	backup := filepath.Join(t.TempDir(), "backup")
	for _, v := range []struct{ verb, says string }{
		{"audit verify", "records"}, {"audit head", ":"}, {"doctor", "2 sessions"}, {"backup " + backup, "verified"},
	} {
		if out, err := c.run(strings.Fields(v.verb)...); err != nil || !strings.Contains(out, v.says) {
			t.Errorf("%s: %v: %s", v.verb, err, out)
		}
	}
}
