//go:build postgres

package postgres_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/store/postgres"
	"github.com/lineclear/lineclear/store/postgres/postgrestest"
)

var server *postgrestest.Server

func TestMain(m *testing.M) {
	code := postgrestest.Run(m, func(s *postgrestest.Server) { server = s })
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}

// node is one of several gateways' stores on a database.
type node struct {
	approvaltest.Fixture
	name  string
	store *store.Store
	stop  func()

	called chan string                   // what it is told of sessions in which it works
	judged chan struct{}                 // that it has to judge again
	nodes  chan struct{}                 // that a node has come or is gone
	hears  *atomic.Pointer[auth.Keyring] // is told of other nodes' changes of who has access, if it is set
}

// open starts a node.
func open(t testing.TB, o postgres.Options, dir string) node {
	t.Helper()
	promises := gate.NewPromises()
	b := bus.New(append(approval.Topics(), session.Events), promises.Inline())
	s, err := store.OpenShared(t.Context(), o, dir, filepath.Join(filepath.Dir(dir), "key.pem"), b)
	if err != nil {
		t.Fatal(err)
	}
	n := node{
		Fixture: approvaltest.Fixture{Store: s.Approvals(), Grants: s.Approvals(), Log: s.Sessions(), Bus: b, Promises: promises}, name: o.Node, store: s,
		called: make(chan string, 100), judged: make(chan struct{}, 100), nodes: make(chan struct{}, 100), hears: &atomic.Pointer[auth.Keyring]{},
	}
	s.Watch(store.Hooks{
		Failed: func(what string, err error) { t.Logf("%s: %s: %v", o.Node, what, err) },
		Called: func(id string, _ session.Stop) { n.called <- id }, Judging: func() { n.judged <- struct{}{} }, Nodes: func() { n.nodes <- struct{}{} },
		Access: func(ctx context.Context, changes int64, ids ...string) error {
			if k := n.hears.Load(); k != nil {
				return k.Refresh(ctx, changes, ids...)
			}
			return nil
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	running := true
	n.stop = func() {
		if !running {
			return
		}
		running = false
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the writer ended with %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(n.stop)
	return n
}

// postgresAlone is a server for one test, which may disturb it.
func postgresAlone(t *testing.T) *postgrestest.Server { return postgrestest.Start(t) }

func TestTheNewestRecordIsRememberedAlsoAfterACommitThatHasNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	n := open(t, postgres.Options{URL: server.Database(t), Node: "one"}, dir)
	if err := n.store.Record(t.Context(), audit.GatewayStarted, "ada", "system", struct{}{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, store.HeadName))
	if err != nil || len(before) == 0 {
		t.Fatal(before, err)
	}
	if err := n.store.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, store.HeadName)); err != nil || string(after) != string(before) {
		t.Errorf("it was %q and is %q (%v)", before, after, err)
	}
}
