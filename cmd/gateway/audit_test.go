package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/audit"
)

// exported is what a verb wrote, record by record.
func (v verb) exported(t *testing.T) []audit.Record {
	t.Helper()
	var all []audit.Record
	for r, err := range audit.Lines(strings.NewReader(v.out)) {
		if err != nil {
			t.Fatalf("%v in:\n%s", err, v.out)
		}
		all = append(all, r)
	}
	return all
}

// rewrite changes the configuration and has the gateway read it.
func (p *process) rewrite(old, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "agents", "agents.yaml")
	raw, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(raw), old, text, 1)), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
}

func TestTheAuditLogIsVerifiedBesideTheGatewayAndAfterIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	p.post("/api/sessions", map[string]string{"agentId": "demo"}, &made)
	send(t, ws, `{"event":"subscribe","data":{"session":%q}}`, made.SessionID)
	send(t, ws, `{"event":"message","data":{"sessionId":%q,"text":"run: echo password=hunter2-hunter2"}}`, made.SessionID)
	id := shown(until(t, ws, "approvalRequest", "echo password="))[0] // what else it shows is masked
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "tool.result")
	key := strings.TrimSpace(p.verb("audit", "key").want(t, 0).out)
	p.verb("audit", "verify").want(t, 0, "Fine: ", "from 1 ", "Last checkpoint: record 2 ", "not pinned")
	head := strings.TrimSpace(p.verb("audit", "head").want(t, 0).out)
	p.verb("audit", "verify", "--key", key, "--expect", head).want(t, 0, "signed by "+key)

	p.rewrite("timeout: none", "timeout: 5m")
	p.logged("configuration taken over")
	p.rewrite("delegates: [demo]", "delegates: []")
	p.logged("reloading the configuration failed")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.verb("audit", "verify", "--key", key, "--expect", head).want(t, 0, "Fine: ")
	p.verb("doctor").want(t, 0, "All is well.")

	all := p.verb("audit", "export").want(t, 0)
	if strings.Contains(all.out, "hunter2") {
		t.Errorf("a secret is in it:\n%s", all.out)
	}
	var got []audit.Kind
	data := map[audit.Kind]string{}
	for _, r := range all.exported(t) {
		got = append(got, r.Kind)
		data[r.Kind] = string(r.Data)
		if r.Via == "" || r.Subject == "" {
			t.Errorf("record %d, %s, is by %q via %q", r.Seq, r.Kind, r.Subject, r.Via)
		}
	}
	want := []audit.Kind{
		audit.GatewayStarted, audit.Checkpointed, audit.ConfigLoaded, audit.LoginBegun, audit.ApprovalRequested,
		audit.ApprovalResolved, audit.CallClaimed, audit.CallFinished, audit.ConfigReloaded, audit.ConfigRefused,
		audit.GatewayStopped, audit.Checkpointed,
	}
	if !slices.Equal(got, want) {
		t.Errorf("it has %v", got)
	}
	var started audit.Started
	var loaded audit.Configuration
	if err := json.Unmarshal([]byte(data[audit.GatewayStarted]), &started); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(data[audit.ConfigLoaded]), &loaded); err != nil {
		t.Fatal(err)
	}
	if started.File != filepath.Join(dir, "agents", "agents.yaml") || started.PID != p.cmd.Process.Pid || started.Version != "devel" ||
		"http://"+started.Listen != p.url || started.Digest != loaded.Digest || len(loaded.Digest) != len("sha256:")+64 {
		t.Errorf("it started with %+v, %+v", started, loaded)
	}
	changed := `"changes":[{"place":"agents.demo.toolConfirmation.timeout","before":"\"none\"","after":"\"5m\""}]`
	if !strings.Contains(data[audit.ConfigReloaded], changed) {
		t.Errorf("it was changed by %s", data[audit.ConfigReloaded])
	}
}

func TestAnExportIsVerifiedByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	p.ask(p.tab(), "uname -a")
	head := strings.TrimSpace(p.verb("audit", "head").want(t, 0).out)
	file := filepath.Join(dir, "audit.jsonl")
	p.verb("audit", "export", "--out", file).want(t, 0)
	p.verb("audit", "verify", file, "--expect", head).want(t, 0, "Fine: ")
	p.verb("audit", "export", "--out", file).want(t, 2, "file exists")

	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Replace(string(raw), `"subject":"owner"`, `"subject":"eve"`, 1))
	p.verb("audit", "verify", file).want(t, 1, "BROKEN at record 4 (changed): record 4 was changed")
	lines := strings.SplitAfter(string(raw), "\n")
	write(strings.Join(lines[:4], ""))
	p.verb("audit", "verify", file).want(t, 0, "Fine: 4 records")
	p.verb("audit", "verify", file, "--expect", head).want(t, 1, "(cut off)", "record 5 is missing")
	p.verb("audit", "verify", file, "--key", strings.Repeat("0", 64)).want(t, 1, "(other key)")
	p.verb("audit", "verify", filepath.Join(dir, "nowhere")).want(t, 2, "no such file")
	p.verb("audit", "verify", file, "--expect", "7").want(t, 2, "want SEQ:HASH")
	p.verb("audit", "export", "--format", "xml").want(t, 2, "use csv or jsonl")
	p.verb("audit", "export", "--since", "yesterday").want(t, 2, "is no time")
	p.verb("audit", "export", "--since", "0s").want(t, 0)
	if part := p.verb("audit", "export", "--since", "1h").want(t, 0); len(part.exported(t)) != 5 {
		t.Errorf("of the last hour it has:\n%s", part.out)
	}
	p.verb("audit", "export", "--format", "csv").want(t, 0, "seq,at,kind,subject,via,", ",approval.requested,")
}

func TestAVerifierMakesNoFolder(t *testing.T) {
	t.Parallel()
	p := &process{t: t, dir: t.TempDir()}
	for _, verb := range [][]string{{"audit", "verify"}, {"audit", "export"}, {"audit", "head"}, {"audit", "key"}, {"audit", "key", "--new"}} {
		p.verb(verb...).want(t, 2)
	}
	if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
		t.Errorf("it has made %v, %v", left, err)
	}
}
