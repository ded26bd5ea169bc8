package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/canary"
)

// strict is a gateway whose local key may ask, and no more.
const strict = `
gateway: {listen: "127.0.0.1:0", limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}}
agents: {demo: {model: demo}}
toolConfirmation:
  rules:
    - {tool: "*", command: ["rm *"], effect: deny, reason: nothing is deleted for good}
`

// road is how an agent is started by the gateway's verbs.
type road struct {
	agent string
	verb  []string
	start []string // its program and its arguments, before those that lead it to the model
	why   bool     // its model is told why a call was denied
	edits bool
	words bool // it tells no arguments
	mute  bool // it reports no results

	// run starts it by itself, with the gateway's hook; nil: a verb starts it.
	run func(h *hosted, a prepared)
}

// hosted is an agent that has been started, and told to run one command line in its folder.
type hosted struct {
	*process
	cmd    *exec.Cmd
	folder string
	done   chan struct{} // closed once the verb has ended
	out    bytes.Buffer
	failed *logBuffer
}

// prepared is an agent's program, real or fake: what leads it to a model that calls a command line.
type prepared struct {
	folder    string
	home      string // with its settings
	model     *canary.Model
	args, env []string
	heard     func(text string) bool // whether its model was told
}

// host starts the agent.
func (r road) host(p *process, a prepared, flags ...string) *hosted {
	p.t.Helper()
	h := &hosted{process: p, folder: a.folder, done: make(chan struct{}), failed: newLogBuffer()}
	if r.run != nil {
		r.run(h, a)
		return h
	}
	h.cmd = p.command(slices.Concat(r.verb, []string{"--print", canary.Prompt}, flags)...)
	h.cmd.Args = slices.Concat(h.cmd.Args, []string{"--"}, r.start, a.args)
	h.cmd.Dir, h.cmd.Stdout, h.cmd.Stderr = a.folder, &h.out, h.failed
	h.cmd.Env = append(h.cmd.Env, a.env...)
	if err := h.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(h.done)
		_ = h.cmd.Wait()
	}()
	p.t.Cleanup(func() { _ = h.cmd.Process.Kill(); <-h.done })
	return h
}

// asks waits for the agent's request, which is not one of the earlier ones.
func (h *hosted) asks(earlier ...string) (id string) {
	h.t.Helper()
	h.until("it asks", func() bool {
		id = strings.Join(slices.DeleteFunc(h.waiting(), func(id string) bool { return slices.Contains(earlier, id) }), "")
		select {
		case <-h.done:
			return true
		default:
			return id != ""
		}
	})
	if id == "" {
		h.t.Fatalf("it has not asked:\n%s%s", &h.out, h.failed)
	}
	return id
}

// wrote waits for the end of the agent, and is what its command has written to the marker.
func (h *hosted) wrote() string {
	h.t.Helper()
	<-h.done
	h.until("the agent has ended", func() bool {
		folders, _ := filepath.Glob("/proc/[0-9]*/cwd")
		return !slices.ContainsFunc(folders, func(link string) bool { at, _ := os.Readlink(link); return at == h.folder })
	})
	h.t.Logf("%s%s", &h.out, h.failed)
	text, _ := os.ReadFile(filepath.Join(h.folder, "marker")) // none: ""
	return string(text)
}

const marks = "echo ran > marker"

// takesTheAnswer tries each answer that a person can give.
func (r road) takesTheAnswer(t *testing.T, prepare func(t *testing.T, line string) prepared) {
	p := launchWith(t, "gateway", t.TempDir(), strict)
	h := r.host(p, prepare(t, marks))
	id := h.asks()
	var row struct {
		Args json.RawMessage `json:"args"`
		Run  approval.Run    `json:"run"`
	}
	p.post("/api/approvals/"+id, json.RawMessage(`{"status":"approved"}`), &row)
	if !strings.Contains(string(row.Args), marks) {
		t.Errorf("it was asked about %s", row.Args)
	}
	if got := h.wrote(); got != "ran\n" {
		t.Errorf("approved, it wrote %q", got)
	}
	if !strings.Contains(h.out.String(), "done") {
		t.Error("its words were not shown")
	}
	if err := p.request("GET", "/api/approvals/"+id, struct{}{}, &row); err != nil || !r.words && !r.mute && row.Run != approval.RunFinished {
		t.Errorf("its result was not reported: %s, %v", row.Run, err)
	}

	a := prepare(t, marks)
	h = r.host(p, a)
	p.post("/api/approvals/"+h.asks(), json.RawMessage(`{"status":"denied","message":"not on a Saturday"}`), &row)
	if got := h.wrote(); got != "" || r.run == nil && !strings.Contains(h.failed.String(), "not on a Saturday") {
		t.Errorf("denied, it wrote %q", got)
	}
	if told := a.heard("not on a Saturday"); told != r.why {
		t.Errorf("its model was told why: %t", told)
	}
	if !r.edits {
		return
	}
	h = r.host(p, prepare(t, marks))
	p.post("/api/approvals/"+h.asks(), json.RawMessage(`{"status":"approved","edit":{"command":"echo changed > marker"}}`), &row)
	if got := h.wrote(); got != "changed\n" {
		t.Errorf("changed, it wrote %q", got)
	}
}

// runsNothing tries all in which nobody clears the call.
func (r road) runsNothing(t *testing.T, prepare func(t *testing.T, line string) prepared) {
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, strict)
	if !r.words { // of words a person is asked
		if got := r.host(p, prepare(t, marks+"; rm -rf x")).wrote(); got != "" {
			t.Errorf("denied by a rule, it wrote %q", got)
		}
	}
	brief := launchWith(t, "gateway", t.TempDir(), strings.Replace(strict, "toolConfirmation:", "toolConfirmation:\n  timeout: 2s", 1))
	if got := r.host(brief, prepare(t, marks)).wrote(); got != "" {
		t.Errorf("with no answer it wrote %q", got)
	}
	h, killed := (*hosted)(nil), ""
	if r.run == nil {
		h = r.host(p, prepare(t, marks))
		killed = h.asks()
		_ = h.cmd.Process.Kill() // of the host alone
		if got := h.wrote(); got != "" {
			t.Errorf("with its host killed it wrote %q", got)
		}
	}

	h = r.host(p, prepare(t, marks))
	id := h.asks(killed)
	_ = p.end(syscall.SIGKILL)
	p = launchWith(t, "gateway", dir, strict)
	p.post("/api/approvals/"+id, json.RawMessage(`{"status":"approved"}`), new(map[string]any))
	if got := h.wrote(); got != "ran\n" {
		t.Errorf("approved after the gateway was killed and started, it wrote %q", got)
	}
	a := prepare(t, marks)
	begin := filepath.Join(t.TempDir(), "begin")
	if err := syscall.Mkfifo(begin, 0o600); err != nil {
		t.Fatal(err)
	}
	a.env = append(a.env, "FAKE_BEGIN="+begin) // a real agent takes its time
	if r.run != nil {
		_ = p.end(syscall.SIGKILL)
		if got := r.host(p, a).wrote(); got != "" {
			t.Errorf("with the gateway dead it wrote %q", got)
		}
		return
	}
	h = r.host(p, a)
	if _, started := h.failed.awaitAfter(0, "asks the gateway"); !started {
		t.Fatal(h.failed)
	}
	_ = p.end(syscall.SIGKILL)
	if f, err := os.OpenFile(begin, os.O_RDWR, 0); err == nil { // which lets a fake one begin
		defer func() { _ = f.Close() }()
	}
	if got := h.wrote(); got != "" {
		t.Errorf("with the gateway killed it wrote %q", got)
	}
}

// approvesNothingItself has the agent try what would clear its own calls, in a mode that asks about little.
func (r road) approvesNothingItself(t *testing.T, prepare func(t *testing.T, line string) prepared) {
	lenient := strings.Replace(strict, "toolConfirmation:", "toolConfirmation:\n  mode: auto-approve", 1)
	home := t.TempDir()
	p := launchWith(t, "gateway", t.TempDir(), lenient+"    - {tool: \"*\", when: 'tool == \"deploy\"', effect: ask}\n", "HOME="+home)
	victim := p.command("ask", "deploy")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	var waits string
	p.until("the other request waits", func() bool { waits = strings.Join(p.waiting(), ""); return waits != "" })
	keys, err := filepath.Glob(filepath.Join(p.dir, "cache", "lineclear", "*.json"))
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	for name, line := range map[string]string{
		"its verbs":    "gateway approvals approve " + waits + " > marker",
		"the key":      "cat " + keys[0] + " > marker",
		"its settings": "cp /dev/null " + filepath.Join(home, ".claude", "settings.json") + "; " + marks,
		"the hook":     "gateway uninstall claude-code; " + marks,
	} {
		h := r.host(p, prepare(t, line))
		for answered := false; !answered; {
			select {
			case <-h.done: // a rule has denied it
				answered = true
			default:
				for _, id := range slices.DeleteFunc(p.waiting(), func(id string) bool { return id == waits }) {
					p.post("/api/approvals/"+id, json.RawMessage(`{"status":"denied"}`), new(map[string]any))
					answered = true
				}
			}
		}
		if got := h.wrote(); got != "" {
			t.Errorf("%s: it wrote %q", name, got)
		}
	}
	if got := p.waiting(); !slices.Equal(got, []string{waits}) {
		t.Errorf("there wait %q", got)
	}
}

// fakes are the roads with agents of our own.
var fakes = []road{
	{agent: "claude", verb: []string{"host", "claude"}, why: true, edits: true},
	{agent: "codex", verb: []string{"host", "codex"}, why: true},
	{agent: "acp", verb: []string{"acp"}, start: []string{"opencode", "acp"}},
	{agent: "words", verb: []string{"acp"}, start: []string{"opencode", "acp"}, words: true},
}

func (r road) fake(t *testing.T, line string) prepared {
	t.Helper()
	folder := t.TempDir()
	a := prepared{folder: folder, env: []string{"FAKE_CALL=" + line}, heard: func(text string) bool {
		told, _ := os.ReadFile(filepath.Join(folder, "told")) // none: nothing
		return strings.Contains(string(told), text)
	}}
	if r.words {
		a.env = append(a.env, "FAKE_WORDS=1")
	}
	return a
}

func TestAHostedAgentTakesTheAnswer(t *testing.T) {
	t.Parallel()
	for _, r := range fakes {
		t.Run(r.agent, func(t *testing.T) { t.Parallel(); r.takesTheAnswer(t, r.fake) })
	}
}

func TestAHostedAgentRunsNothingThatNobodyClears(t *testing.T) {
	t.Parallel()
	for _, r := range fakes {
		t.Run(r.agent, func(t *testing.T) { t.Parallel(); r.runsNothing(t, r.fake) })
	}
}

func TestAHostedAgentApprovesNothingItself(t *testing.T) {
	t.Parallel()
	for _, r := range fakes {
		t.Run(r.agent, func(t *testing.T) { t.Parallel(); r.approvesNothingItself(t, r.fake) })
	}
}

func TestWhoMayAnswerHostsNoAgent(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), strings.Replace(strict, "gateway: {", "gateway: {localKey: answers, ", 1))
	r := fakes[0]
	h := r.host(p, r.fake(t, marks))
	if got := h.wrote(); got != "" || h.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(h.failed.String(), "approve its own calls") {
		t.Errorf("it ended with %d, %q", h.cmd.ProcessState.ExitCode(), got)
	}
}
