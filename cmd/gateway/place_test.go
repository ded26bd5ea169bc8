package main

import (
	"os"
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
	p := &process{t: t, dir: dir}
	c := p.command(append([]string{"serve", "--config", file}, more...)...)
	c.Args = append(c.Args[:2:2], c.Args[2:len(c.Args)-2]...) // without the --data of the other verbs
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
		t.Errorf("with data of before in the workdir: %d, %s", v.code, v.err)
	}
	v := tries(t, dir, "../work", "")
	if v.code != 1 || !strings.Contains(v.err, "the data of an earlier version") || !strings.Contains(v.err, "mv ") {
		t.Errorf("beside data of before: %d, %s", v.code, v.err)
	}
	if err := os.Rename(filepath.Join(dir, "conf", "data"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if v := tries(t, dir, "../work", ""); v.code != 0 || !strings.Contains(v.err, filepath.Join(dir, "state", "lineclear", "conf-")) {
		t.Errorf("where nothing is said: %d, %s", v.code, v.err)
	}
}
