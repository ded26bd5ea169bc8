package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/session"
)

const patience = 30 * time.Second // never waited for in a test that passes

const working = `
gateway: {localKey: answers}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo, tools: {shell: {approval: {required: true}}}}}
`

// settings are those of a file, in folders of the test's own.
func settings(t *testing.T, yaml string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	file := filepath.Join(dir, "agents", "agents.yaml")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Gateway.Data, s.Gateway.AuditKey = filepath.Join(dir, "data"), filepath.Join(dir, "keys", "audit.pem")
	return s
}

// embed runs a gateway on a server of the test's own, and returns a client of it.
func embed(t *testing.T, yaml string) *client.Client {
	t.Helper()
	settings := settings(t, yaml)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g, err := gateway.New(t.Context(), gateway.Config{Settings: settings, Mounted: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", g.Handler())
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- g.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	for {
		if c, err := client.Local(settings.Gateway.Data); err == nil {
			return c
		}
		select {
		case err := <-over:
			t.Fatalf("it ended before it served: %v", err)
		default:
		}
	}
}

func TestAnEmbeddedGatewayRunsACallOnceItIsApproved(t *testing.T) {
	c := embed(t, working)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.NewSession(ctx, "demo", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Say(ctx, s.ID, "run: echo cleared"); err != nil {
		t.Fatal(err)
	}
	for e, err := range c.Events(ctx, s.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		var journal session.Event
		if e.Name != session.Events.Name() || e.Decode(&journal) != nil {
			continue
		}
		switch journal.Type {
		case session.TypeApprovalRequested:
			var r approval.Request
			if err := journal.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Answer(ctx, approval.Answer{ApprovalID: r.ApprovalID, Status: approval.Approved}); err != nil {
				t.Fatal(err)
			}
		case session.TypeToolResult:
			var r session.ToolResult
			if err := journal.Decode(&r); err != nil || !strings.HasPrefix(r.Result.Text, "cleared\n") {
				t.Errorf("it came to %+v, %v", r.Result, err)
			}
			return
		}
	}
	t.Fatalf("the call did not run: %v", ctx.Err())
}

func TestAGatewayThatCanNotBeMadeSaysWhatToChange(t *testing.T) {
	dir := t.TempDir()
	settings := &config.Config{Agents: []config.Agent{{ID: "demo", WorkingDirectory: dir}}}
	settings.Gateway.Data, settings.Gateway.AuditKey, settings.Gateway.DataSet = filepath.Join(dir, "data"), filepath.Join(t.TempDir(), "k", "key"), true
	_, err := gateway.New(t.Context(), gateway.Config{Settings: settings, Mounted: "http://127.0.0.1:1"})
	if err == nil || !strings.Contains(err.Error(), "gateway.data") {
		t.Errorf("with its data where an agent works: %v", err)
	}
}

func TestAGatewayThatIsMadeHasStartedNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	g, err := gateway.New(t.Context(), gateway.Config{Settings: settings(t, working), Mounted: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := goleak.Find(before, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener")); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
