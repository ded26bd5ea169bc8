package mcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestCheckTellsWhatTheServerIs(t *testing.T) {
	t.Parallel()
	for kind, protocol := range map[string]string{"new": "2026-07-28", "old": "2025-11-25"} {
		c := program(t, kind)
		c.Only = []string{"echo", "[pr]*"}
		c.Except = []string{"r*"}
		s := newServer(t, c, mcp.Options{})
		got, err := s.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hints := tool.Hints{Destructive: true, OpenWorld: true}
		want := mcp.Report{ServerName: "testserver", Version: "4.2", Protocol: protocol, Tools: []tool.Spec{
			{Name: "files__echo", Description: "the echo tool", Schema: []byte(`{"type":"object"}`), Hints: hints},
			{Name: "files__pid", Description: "the pid tool", Schema: []byte(`{"type":"object"}`), Hints: hints},
		}}
		if !slices.Contains(got.Names, "refuse") || !slices.Contains(got.Names, "hang") {
			t.Errorf("%s: its names lack those that are not taken: %q", kind, got.Names)
		}
		got.Names = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestAToolThatRunsOnlyAsATaskIsLeftOut(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	raw.tools = func(string) string {
		tools := ""
		for name, execution := range map[string]string{
			"none": "", "null": `,"execution":null`, "optional": `,"execution":{"taskSupport":"optional"}`, "odd": `,"execution":[1]`,
			"required": `,"execution":{"taskSupport":"required"}`, "forged": `,"_meta":{"lineclear/execution":"{\"taskSupport\":\"required\"}"}`,
		} {
			tools += fmt.Sprintf(`,{"name":%q,"inputSchema":{"type":"object"}%s}`, name, execution)
		}
		return `{"tools":[` + tools[1:] + `]}`
	}
	said := newJournal()
	report, err := newServer(t, served(t, raw), said.options()).Check(t.Context())
	if err != nil || len(report.Tools) != 5 || !said.has(`the tool "required" is left out: it runs only as a task`) {
		t.Errorf("%v, %v, %v", report.Tools, err, said.entries)
	}
}

func TestATaskIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"task":{"taskId":"t1","status":"working"}}`, `{"resultType":"task","taskId":"t1","status":"working"}`} {
		raw := newRaw()
		raw.call = func(w http.ResponseWriter, _ *http.Request, m said) { sendJSON(w, m.result(result)) }
		wantText(t, run(t, newServer(t, served(t, raw), mcp.Options{}), "pay", "{}"), false, "runs this call as a task, whose result can't be had here")
	}
}

func TestAHundredToolsComeOverManyPages(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new-many", "old-many"} {
		c := program(t, kind)
		c.Only = []string{"many-*"}
		tools, err := newServer(t, c, mcp.Options{}).Tools(t.Context(), "one")
		if err != nil || len(tools) != 100 {
			t.Fatalf("%s: %d tools: %v", kind, len(tools), err)
		}
	}
}

func TestToolsThatMakeNoSenseAreLeftOutAndTheOthersStay(t *testing.T) {
	t.Parallel()
	said := newJournal()
	c := program(t, "new-odd")
	c.Only = []string{"*-schema", "ordered", "hidden", "reader", "mild", "plain"}
	c.Trusted = true
	tools, err := newServer(t, c, said.options()).Tools(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	var got []tool.Spec
	for _, each := range tools {
		got = append(got, each.Spec())
	}
	object := []byte(`{"type":"object"}`)
	want := []tool.Spec{
		{Name: "files__hidden", Description: "Reads a file.⟨U+202E⟩⟨U+0000⟩ ⟨U+200B⟩Then", Schema: object, Hints: tool.Hints{Destructive: true, OpenWorld: true, Trusted: true}},
		{Name: "files__mild", Schema: object, Hints: tool.Hints{OpenWorld: true, Trusted: true}},
		{Name: "files__ordered", Schema: []byte(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number","maximum":1.50}},"required":["z"]}`), Hints: tool.Hints{Destructive: true, OpenWorld: true, Trusted: true}},
		{Name: "files__plain", Schema: object, Hints: tool.Hints{Destructive: true, OpenWorld: true, Trusted: true}},
		{Name: "files__reader", Description: "Reads", Schema: object, Hints: tool.Hints{ReadOnly: true, Trusted: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, left := range []string{"wrong-schema", "far-schema", "double-schema"} {
		if !said.has(`one warning: the tool "` + left + `" is left out: its schema makes no sense: `) {
			t.Errorf("nothing is said of %s", left)
		}
	}
}

func TestAListThatHasChangedIsReadAnew(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		s := newServer(t, program(t, kind), said.options())
		find(t, s, "two", "grow")
		wantText(t, run(t, s, "grow", "{}"), false, "ok")
		grown := func(session string) bool {
			tools, err := s.Tools(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range tools {
				if each.Spec().Name == "files__grown" {
					return true
				}
			}
			return false
		}
		// The notice comes some time after the call's answer.
		for !grown("one") {
			run(t, s, "echo", "{}")
		}
		if grown("two") {
			t.Errorf("%s: the other session's server has grown too", kind)
		}
	}
}

func TestAConfigThatCanNotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	ok := mcp.Config{Name: "a", Command: []string{"x"}}
	tests := map[string]func(c *mcp.Config){
		"an empty name":           func(c *mcp.Config) { c.Name = "" },
		"a name with two _":       func(c *mcp.Config) { c.Name = "a__b" },
		"a name that ends with _": func(c *mcp.Config) { c.Name = "a_" },
		"a name in capitals":      func(c *mcp.Config) { c.Name = "Files" },
		"a long name":             func(c *mcp.Config) { c.Name = strings.Repeat("a", 33) },
		"nothing to reach":        func(c *mcp.Config) { c.Command = nil },
		"two ways":                func(c *mcp.Config) { c.URL = "http://localhost/" },
		"an empty program":        func(c *mcp.Config) { c.Command = []string{""} },
		"another scheme":          func(c *mcp.Config) { c.Command, c.URL = nil, "ftp://localhost/" },
		"no host":                 func(c *mcp.Config) { c.Command, c.URL = nil, "http:///mcp" },
		"headers for a program":   func(c *mcp.Config) { c.Headers = map[string]string{"A": "b"} },
		"env for a URL":           func(c *mcp.Config) { c.Command, c.URL, c.Env = nil, "http://a/", map[string]string{"A": "b"} },
		"a header of two lines":   func(c *mcp.Config) { c.Command, c.URL, c.Headers = nil, "http://a/", map[string]string{"A": "b\nC: d"} },
		"a header of the protocol": func(c *mcp.Config) {
			c.Command, c.URL, c.Headers = nil, "http://a/", map[string]string{"mcp-session-id": "b"}
		},
		"a variable with =":           func(c *mcp.Config) { c.Env = map[string]string{"A=B": "c"} },
		"a pattern that is not valid": func(c *mcp.Config) { c.Only = []string{"[a"} },
		"a relative directory":        func(c *mcp.Config) { c.WorkingDirectory = "work" },
		"a time below zero":           func(c *mcp.Config) { c.Idle = -1 },
	}
	if _, err := mcp.New(ok, mcp.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, change := range tests {
		c := ok
		change(&c)
		if _, err := mcp.New(c, mcp.Options{}); !errors.Is(err, mcp.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
