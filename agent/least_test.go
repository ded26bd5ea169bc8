package agent_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
	"github.com/lineclear/lineclear/tool/shell"
)

// once is a model that calls one tool, and repeats what came of it.
func once(name, args string) modelFunc {
	return func(_ context.Context, p model.Prompt, _ func(model.Delta)) (model.Reply, error) {
		if last := p.Messages[len(p.Messages)-1]; last.Role == model.ToolRole {
			return model.Reply{Text: last.Text}, nil
		}
		return model.Reply{Calls: []model.Call{{Name: name, Args: tool.JSON(args)}}}, nil
	}
}

// kept is an agent whose journal and rows are in a database.
type kept struct {
	*agent.Agent
	runtime *agent.Runtime
	store   *store.Store
}

func newKept(t *testing.T, c agent.Config) *kept {
	t.Helper()
	promises := gate.NewPromises()
	b := bus.New(agent.Topics(), promises.Inline())
	s, err := store.Open(t.TempDir(), filepath.Join(t.TempDir(), "key"), b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	manager := gate.NewManager(s.Approvals(), promises, approval.Plain{Grants: s.Approvals()}, gate.Options{})
	k := &kept{store: s, runtime: &agent.Runtime{Bus: b, Sessions: s.Sessions(), Approvals: manager}}
	c.ID = "demo"
	if k.Agent, err = agent.New(c, agent.Options{Runtime: k.runtime}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.Stop(0)
		manager.Wait()
		stop()
		<-done
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// add gives it another tool and starts it.
func (k *kept) add(t *testing.T, tools ...agent.Tool) {
	t.Helper()
	for _, extra := range tools {
		if err := k.Add(extra); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rows are the requests of all sessions.
func (k *kept) rows(t *testing.T) []approval.Approval {
	t.Helper()
	found, err := k.store.Approvals().Search(t.Context(), approval.Search{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(found.Rows) // oldest first
	return found.Rows
}

// agrees approves every call, and fills in what a form of a plain answer needs.
func agrees() approval.Handler {
	return approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		answer := approval.Response{Status: approval.Approved, By: approval.By{Subject: "ada"}}
		if r.Type == approval.Elicitation {
			answer.FormData = tool.JSON(`{"answer":"so"}`)
		}
		return answer, nil
	})
}

// The least that a tool's schema allows is what models send first.
func TestEveryToolWorksWithTheLeastThatItsSchemaAllows(t *testing.T) {
	child := newKept(t, agent.Config{Model: once("none", "{}"), Handler: agrees()})
	child.add(t)
	for name, c := range map[string]struct{ args, want string }{
		"shell":           {`{"argv":["true"]}`, "exit"},
		"read_file":       {`{"path":"a.txt"}`, "hello"},
		"write_file":      {`{"path":"b.txt","content":""}`, "b.txt"},
		"edit_file":       {`{"path":"a.txt","old":"hello","new":""}`, "a.txt"},
		"list_files":      {`{}`, "a.txt"},
		agent.AskUserName: {`{"question":"Why?"}`, `{"answer":"so"}`},
		"ask_demo":        {`{"task":"look"}`, "no such tool"},
		"ui.show":         {`{}`, "shown {}"},
		"bare":            {`{}`, "shown {}"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
			folder, err := files.New(dir, files.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			k := newKept(t, agent.Config{Model: once(name, c.args), Handler: agrees(), WorkingDirectory: dir})
			tools := []agent.Tool{
				{Tool: shell.New(shell.Options{})}, agent.AskUser(k.runtime.Approvals), {Tool: child.Delegate()},
				{Tool: shown{tool.Spec{Name: "ui.show", Schema: tool.JSON(`{"type":"object"}`)}}}, {Tool: shown{tool.Spec{Name: "bare"}}},
			}
			for _, one := range folder.Tools() {
				tools = append(tools, agent.Tool{Tool: one})
			}
			k.add(t, tools...)
			wantLeast(t, tools, name, c.args)
			words, err := k.Run(t.Context(), "", "go")
			if err != nil || !strings.Contains(words, c.want) {
				t.Errorf("it says %q, %v", words, err)
			}
			for _, row := range k.rows(t) {
				if row.Type == approval.ToolConfirmation && string(row.Args) != c.args {
					t.Errorf("the row has the arguments %s, want %s", row.Args, c.args)
				}
			}
		})
	}
}

// wantLeast checks that the arguments are those that a tool can't do without.
func wantLeast(t *testing.T, tools []agent.Tool, name, args string) {
	t.Helper()
	i := slices.IndexFunc(tools, func(one agent.Tool) bool { return one.Tool.Spec().Name == name })
	if i < 0 {
		t.Fatalf("there is no tool %s", name)
	}
	var schema struct {
		Required []string `json:"required"`
		Else     struct {
			Required []string `json:"required"`
		} `json:"else"`
	}
	var given map[string]any
	raw := tools[i].Tool.Spec().Schema
	if len(raw) == 0 {
		raw = tool.JSON("{}")
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(args), &given); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(append(schema.Required, schema.Else.Required...)))
	if got := slices.Sorted(maps.Keys(given)); !slices.Equal(got, want) {
		t.Errorf("%s has to have %v, the test gives %v", name, want, got)
	}
}

// shown is a tool that repeats its arguments.
type shown struct{ spec tool.Spec }

func (s shown) Spec() tool.Spec { return s.spec }

func (s shown) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	return tool.Result{Text: "shown " + string(c.Args), Structured: c.Args}, nil
}

func TestNoArgumentsFromAModelAreAnEmptyObjectEverywhere(t *testing.T) {
	for name, args := range map[string]string{
		"an empty object": `{}`, "an empty object with blanks": " { } ", "nothing": "", "blanks": " \n\t", "null": "null", "null with blanks": " null\n",
		"an empty text": `""`, "a blank text": `"  "`,
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, agent.Config{Model: once("bare", args), Handler: agrees()})
			k.add(t, agent.Tool{Tool: shown{tool.Spec{Name: "bare"}}})
			if words, err := k.Run(t.Context(), "", "go"); err != nil || words != "shown {}" {
				t.Errorf("it says %q, %v", words, err)
			}
			rows := k.rows(t)
			if len(rows) != 1 || string(rows[0].Args) != "{}" {
				t.Errorf("the rows are %+v", rows)
			}
			journaled := calls(t, k, rows[0].SessionID)
			if !slices.Equal(journaled, []string{"{}"}) {
				t.Errorf("the journal has %q", journaled)
			}
		})
	}
}

// calls are the arguments of the calls in a session's journal.
func calls(t *testing.T, k *kept, sessionID string) []string {
	t.Helper()
	events, err := k.store.Sessions().Events(t.Context(), sessionID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range decoded[session.AssistantMessage](t, events, session.TypeAssistantMessage) {
		for _, c := range m.ToolCalls {
			all = append(all, string(c.Args))
		}
	}
	for _, r := range decoded[session.ToolResult](t, events, session.TypeToolResult) {
		if string(r.Result.Structured) != "{}" {
			t.Errorf("the journal has the structured result %s", r.Result.Structured)
		}
	}
	return all
}
