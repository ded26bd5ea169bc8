package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const working = `
gateway: {listen: "127.0.0.1:0"PLACES}
models: {demo: {provider: scripted}}
agents:
  demo: {model: demo, workdir: WORKDIR, tools: {shell: }}
`

// tries is a start of the gateway that is not expected to come up.
func tries(t *testing.T, dir, workdir, places string, more ...string) verb {
	t.Helper()
	file := filepath.Join(dir, "conf", "agents.yaml")
	for _, folder := range []string{filepath.Dir(file), filepath.Join(dir, "work")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	yaml := strings.NewReplacer("WORKDIR", workdir, "PLACES", places).Replace(working)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return (&process{t: t, dir: dir}).starts(append([]string{"--config", file}, more...)...)
}

// starts runs the gateway until it serves, or has refused to.
func (p *process) starts(flags ...string) verb {
	t := p.t
	t.Helper()
	c := p.command()
	c.Args = append([]string{c.Args[0], "serve"}, flags...)
	said := newLogBuffer()
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var code int
	go func() {
		defer close(ended)
		code = p.code(c.Wait())
	}()
	stop := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer stop.Stop()
	if said.awaitAny(ended, "serving") {
		_ = c.Process.Signal(os.Interrupt)
	}
	<-ended
	return verb{code: code, err: said.String()}
}

// awaitAny waits until the log has a text, or the program has ended.
func (b *logBuffer) awaitAny(ended <-chan struct{}, text string) bool {
	go func() {
		<-ended
		b.mu.Lock()
		defer b.mu.Unlock()
		b.grown.Broadcast()
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !strings.Contains(b.text.String(), text) {
		select {
		case <-ended:
			return false
		default:
			b.grown.Wait()
		}
	}
	return true
}

func TestNoNewDataOrKeyLiesWhereAnAgentWorks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ workdir, places, says string }{
		"data in the workdir":            {"../work", `, data: ../work/data`, "the data folder"},
		"data is the workdir":            {"../work", `, data: ../work`, "no agent may touch that"},
		"data in the workdir, by a link": {"../link", `, data: ../work/data`, "the data folder"},
		"the workdir is in the data":     {"../data/work", `, data: ../data`, "no agent may touch that"},
		"the key in the workdir":         {"../work", `, data: ../data, auditKey: ../work/keys/audit.pem`, "the key of the audit log"},
		"the workdir beside the key":     {"../work", `, data: ../data, auditKey: ../audit.pem`, "no agent may touch that"},
		"the exports in the workdir":     {"../work", `, data: ../data, auditKey: ../keys/k.pem, retention: {auditExports: ../work/out}`, "the folder of what is cut off the audit log"},
		"the state folder in the home":   {"..", "", "the data folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, folder := range []string{"work", "data/work"} {
				if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(filepath.Join(dir, "work"), filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			v := tries(t, dir, c.workdir, c.places)
			if v.code != 1 || !strings.Contains(v.err, c.says) || !strings.Contains(v.err, "name another") {
				t.Errorf("it ended with %d: %s", v.code, v.err)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*", "*", "lineclear.db"))
			if err != nil || len(left) > 0 {
				t.Errorf("it made %q, %v", left, err)
			}
		})
	}
}

func TestDataIsKeptApartAndDataOfBeforeIsNeitherLostNorLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if v := tries(t, dir, "../work", `, data: ../conf/data`); v.code != 0 {
		t.Fatalf("it ended with %d: %s", v.code, v.err)
	}
	if v := tries(t, dir, ".", `, data: data`); v.code != 0 || !strings.Contains(v.err, "where the agent's commands can read it") {
		t.Errorf("with existing data in the workdir: %d, %s", v.code, v.err)
	}
	v := tries(t, dir, "../work", "")
	if v.code != 1 || !strings.Contains(v.err, "the data of an earlier version") || !strings.Contains(v.err, "gateway data move --config ") {
		t.Errorf("next to an earlier version's data: %d, %s", v.code, v.err)
	}
	if err := os.Rename(filepath.Join(dir, "conf", "data"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if v := tries(t, dir, "../work", ""); v.code != 0 || !strings.Contains(v.err, filepath.Join(dir, "state", "lineclear", "conf-")) {
		t.Errorf("where nothing is said: %d, %s", v.code, v.err)
	}
}

// The commands that the gateway prints work as printed, also after data of an earlier version
// was used on, when its key has left it already.
func TestDataOfBeforeIsMovedByTheCommandsThatAreSaid(t *testing.T) {
	t.Parallel()
	for name, usedOn := range map[string]bool{"never used on": false, "used on": true} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "it's a folder")
			if v := tries(t, dir, "../work", `, data: ../conf/data`); v.code != 0 {
				t.Fatalf("it ended with %d: %s", v.code, v.err)
			}
			if !usedOn { // as the earlier version left it
				keys, err := filepath.Glob(filepath.Join(dir, "config", "lineclear", "keys", "*.pem"))
				if err != nil || len(keys) != 1 {
					t.Fatalf("the key is in %q, %v", keys, err)
				}
				if err := os.Rename(keys[0], filepath.Join(dir, "conf", "data", "audit.key")); err != nil {
					t.Fatal(err)
				}
			}
			v := tries(t, dir, "../work", "")
			_, after, found := strings.Cut(v.err, "move it with\n")
			commands, _, ends := strings.Cut(after, "\nor keep using")
			if v.code != 1 || !found || !ends {
				t.Fatalf("it ended with %d: %s", v.code, v.err)
			}
			sh := exec.Command("sh", "-ec", commands)
			sh.Env = (&process{t: t, dir: dir}).command("data").Env
			if out, err := sh.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", commands, err, out)
			}
			if v := tries(t, dir, "../work", ""); v.code != 0 {
				t.Errorf("after %s it ended with %d: %s", commands, v.code, v.err)
			}
		})
	}
}

func TestEveryVerbSaysWhereDataOfBeforeIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if v := tries(t, dir, "../work", `, data: ../conf/data`); v.code != 0 {
		t.Fatalf("it ended with %d: %s", v.code, v.err)
	}
	tries(t, dir, "../work", "")
	p := &process{t: t, dir: dir}
	for _, args := range [][]string{{"doctor"}, {"audit", "verify"}, {"audit", "key"}, {"approvals"}} {
		c := p.command(append(args, "--config", filepath.Join(dir, "conf", "agents.yaml"))...)
		c.Args = c.Args[:len(c.Args)-2] // without --data
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "the data of an earlier version") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
}

// --data names another folder, and nothing else: the key is where the file says.
func TestTheKeyIsWhereTheFileSaysAlsoWithDataNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if v := tries(t, dir, "../work", `, data: ../data, auditKey: ../keys/audit.pem`); v.code != 0 {
		t.Fatalf("it ended with %d: %s", v.code, v.err)
	}
	p := &process{t: t, dir: dir}
	for _, args := range [][]string{{"audit", "key"}, {"audit", "key", "--config", "agents.yaml"}} {
		c := p.command(args...)
		c.Dir = filepath.Join(dir, "conf")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
}

// A verb that is told nothing finds the one gateway that runs.
func TestTheGatewayThatRunsIsFoundWithoutBeingNamed(t *testing.T) {
	t.Parallel()
	p, empty := launch(t, t.TempDir()), t.TempDir()
	file, data := filepath.Join(p.dir, "agents", "agents.yaml"), filepath.Join(p.dir, "data")
	says := func(env []string, args ...string) verb {
		c := p.command()
		c.Args, c.Dir, c.Env = append(c.Args[:1], args...), empty, append(c.Env, env...)
		code, said := p.interrupted(c, "", nil)
		return verb{code: code, out: said}
	}
	says(nil, "modes").want(t, 0, "hasty")
	says([]string{"XDG_CACHE_HOME=" + empty}, "modes").want(t, 1, "no gateway is running on this machine as this user", "there is no agents.yaml here")
	says(nil, "validate").want(t, 1, "gateway init")
	says([]string{"LINECLEAR_CONFIG=" + file}, "validate").want(t, 0, file+" is valid")
	says([]string{"LINECLEAR_CONFIG=" + file, "LINECLEAR_DATA=" + data}, "doctor").want(t, 0, "A gateway runs on this folder")
	says([]string{"LINECLEAR_DATA=" + data}, "audit", "head").want(t, 0)
	says([]string{"LINECLEAR_CONFIG=" + file}, "policy", "explain", "--agent", "demo").want(t, 0, "ask: ")

	// What stands on the command line counts before the environment.
	says([]string{"LINECLEAR_DATA=" + empty}, "modes").want(t, 1, "no gateway is running on this data folder: "+empty)
	says([]string{"LINECLEAR_DATA=" + empty, "LINECLEAR_CONFIG=missing"}, "modes", "--data", data, "--config", file).want(t, 0, "hasty")
	own := filepath.Join(empty, "own.yaml")
	if err := os.WriteFile(own, []byte("gateway: {data: "+empty+"}\nmodels: {demo: {provider: scripted}}\nagents: {demo: {model: demo}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	says([]string{"LINECLEAR_DATA=" + data}, "modes", "--config", own).want(t, 1, "no gateway is running on this data folder: "+empty)

	other := &process{t: t, dir: p.dir}
	second := other.command()
	second.Args = append(second.Args[:1], "serve", "--config", file, "--data", filepath.Join(p.dir, "second"), "--listen", "127.0.0.1:0")
	log := newLogBuffer()
	second.Stderr = log
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Process.Kill(); _ = second.Wait() })
	if !log.await("serving") {
		t.Fatal(log)
	}
	says(nil, "modes").want(t, 2, "several gateways run on this machine: name one with --data", data, filepath.Join(p.dir, "second"))
}
