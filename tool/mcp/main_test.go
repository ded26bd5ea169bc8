package mcp_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// kindVariable says which server the test binary is to be, instead of running
// tests.
const kindVariable = "TEST_SERVER_KIND"

func TestMain(m *testing.M) {
	if kind := os.Getenv(kindVariable); kind != "" {
		beServer(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// program is the config of a server that this binary is.
func program(t *testing.T, kind string) mcp.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Config{Name: "files", Command: []string{self}, Env: map[string]string{kindVariable: kind}}
}

func newServer(t *testing.T, c mcp.Config, o mcp.Options) *mcp.Server {
	t.Helper()
	s, err := mcp.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// find is a tool of a server, by the server's own name for it.
func find(t *testing.T, s *mcp.Server, session, name string) tool.Tool {
	t.Helper()
	tools, err := s.Tools(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range tools {
		if each.Spec().Name == s.Name()+"__"+name {
			return each
		}
	}
	t.Fatalf("there is no tool %s among %d", name, len(tools))
	return nil
}

func call(session, id, args string) tool.Call {
	return tool.Call{
		ID: id, SessionID: session, AgentID: "demo", Args: tool.JSON(args), WorkingDirectory: "/srv/" + session,
	}
}

// run calls a tool in the session "one".
func run(t *testing.T, s *mcp.Server, name, args string) tool.Result {
	t.Helper()
	return runAs(t, t.Context(), find(t, s, "one", name), call("one", "call-"+name, args))
}

func runAs(t *testing.T, ctx context.Context, which tool.Tool, c tool.Call) tool.Result {
	t.Helper()
	result, err := which.Run(ctx, c)
	if err != nil {
		t.Fatalf("%s: %v", which.Spec().Name, err)
	}
	return result
}

// journal keeps what a server has said.
type journal struct {
	mu      sync.Mutex
	entries []string
	came    chan struct{} // has room for one; filled at each entry
}

func newJournal() *journal { return &journal{came: make(chan struct{}, 1)} }

func (j *journal) log(session, level, text string) { j.add(session + " " + level + ": " + text) }

func (j *journal) add(entry string) {
	j.mu.Lock()
	j.entries = append(j.entries, entry)
	j.mu.Unlock()
	select {
	case j.came <- struct{}{}:
	default:
	}
}

func (j *journal) has(part string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		if strings.Contains(e, part) {
			return true
		}
	}
	return false
}

// await waits until the journal has a part of a text.
func (j *journal) await(t *testing.T, part string) {
	t.Helper()
	for !j.has(part) {
		select {
		case <-j.came:
		case <-t.Context().Done():
			t.Fatalf("%q never came", part)
		}
	}
}

func wantText(t *testing.T, r tool.Result, isError bool, parts ...string) {
	t.Helper()
	if r.IsError != isError {
		t.Errorf("the result's IsError is %v: %s", r.IsError, r.Text)
	}
	for _, part := range parts {
		if !strings.Contains(r.Text, part) {
			t.Errorf("the result does not say %q:\n%s", part, r.Text)
		}
	}
}

// options write down all that is told.
func (j *journal) options() mcp.Options {
	return mcp.Options{Log: j.log, Progress: func(c tool.Call, p mcp.Progress) {
		j.add(fmt.Sprintf("progress of %s: %g of %g, %s", c.ID, p.Done, p.Total, p.Message))
	}}
}
