package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// editor is one that has started "gateway acp" in front of its agent.
type editor struct {
	*process
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	folder string
}

// edit starts an agent, which was given a prompt, behind the gateway.
func (p *process) edit(env ...string) *editor {
	p.t.Helper()
	e := &editor{process: p, folder: p.t.TempDir(), cmd: p.command("acp")}
	e.cmd.Args = append(e.cmd.Args, "--", "opencode", "acp")
	e.cmd.Dir, e.cmd.Env = e.folder, append(e.cmd.Env, env...)
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = e.in.Close(); _ = e.cmd.Wait() })
	e.out = bufio.NewScanner(out)
	e.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}}`)
	e.hears(`"protocolVersion":1`)
	e.say(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/srv","mcpServers":[]}}`)
	e.hears(`"sessionId":"ses_1"`)
	e.say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"ses_1","prompt":[{"type":"text","text":"go"}]}}`)
	return e
}

func (e *editor) say(message string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, message+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// hears waits for a message with a text; before it comes none with one of never.
func (e *editor) hears(text string, never ...string) string {
	e.t.Helper()
	for e.out.Scan() {
		for _, other := range never {
			if strings.Contains(e.out.Text(), other) {
				e.t.Errorf("the editor is told %s", e.out.Text())
			}
		}
		if strings.Contains(e.out.Text(), text) {
			return e.out.Text()
		}
	}
	e.t.Fatalf("the editor was not told %s", text)
	return ""
}

// told is what the agent was told of what it wanted.
func (e *editor) told() string {
	e.hears(`"end_turn"`)
	text, _ := os.ReadFile(filepath.Join(e.folder, "told")) // none: nothing
	return string(text)
}

func TestWhatAnAgentWantsOfItsEditorIsClearedFirst(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strict+`
    - {tool: "*", when: 'tool == "fs/read_text_file"', paths: [/srv], effect: allow}
`)
	for wants, c := range map[string]struct{ params, args string }{
		"fs/write_text_file": {`"path":"/srv/a.txt","content":"x"`, `"path":"/srv/a.txt"`},
		"fs/read_text_file":  {`"path":"/etc/passwd"`, `"path":"/etc/passwd"`},
		"terminal/create":    {`"command":"make","args":["all"],"env":[{"name":"A","value":"b"}]`, `"argv":["make","all"]`},
	} {
		env := []string{"FAKE_WANTS=" + wants, "FAKE_PARAMS=" + c.params}
		e := p.edit(env...)
		id := e.waits()
		var row struct {
			Args json.RawMessage `json:"args"`
			In   string          `json:"workingDirectory"`
		}
		p.post("/api/approvals/"+id, json.RawMessage(`{"status":"approved"}`), &row)
		if !strings.Contains(string(row.Args), c.args) || row.In != "/srv" {
			t.Errorf("%s: it was asked about %s in %s", wants, row.Args, row.In)
		}
		if got := e.hears(`"method":"` + wants + `"`); !strings.Contains(got, c.params) {
			t.Errorf("%s: the editor is asked %s", wants, got)
		}
		e.say(`{"jsonrpc":"2.0","id":0,"result":{"here":"it is"}}`)
		if got := e.told(); !strings.Contains(got, "it is") {
			t.Errorf("%s: the agent was told %q", wants, got)
		}

		e = p.edit(env...)
		p.post("/api/approvals/"+e.waits(), json.RawMessage(`{"status":"denied","message":"not on a Saturday"}`), &row)
		e.hears(`"end_turn"`, wants)
		text, _ := os.ReadFile(filepath.Join(e.folder, "told")) // none: nothing
		if !strings.Contains(string(text), "not on a Saturday") {
			t.Errorf("%s: denied, the agent was told %q", wants, text)
		}
	}
	e := p.edit("FAKE_WANTS=fs/read_text_file", `FAKE_PARAMS="path":"/srv/b.txt"`)
	e.hears(`"/srv/b.txt"`) // by the rule
}

// waits waits for the agent's request.
func (e *editor) waits() (id string) {
	e.until("it asks", func() bool { id = strings.Join(e.waiting(), ""); return id != "" })
	return id
}

func TestAnEditorThatCancelsTakesTheQuestionBack(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strict)
	e := p.edit("FAKE_CALL=" + marks)
	e.waits()
	e.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"ses_1"}}`)
	e.hears(`"end_turn"`, `"completed"`, "request_permission")
	p.until("it is withdrawn", func() bool { return len(p.waiting()) == 0 })
	if _, err := os.Stat(filepath.Join(e.folder, "marker")); err == nil {
		t.Error("it ran")
	}
}
