package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
)

// agents is the gateway that is measured: a scripted model that does not pause, and
// limits out of the way of a client that is a hundred people.
const agents = `
gateway:
  listen: "127.0.0.1:0"
  localKey: answers
  data: data
  limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000, connections: 65536, connectionsPerAddress: 65536, tabs: 50000, openPerLogin: 1000, bytesPerHour: 1000000000}
models:
  demo: {provider: scripted}
agents:
  demo:
    model: demo
    workdir: work
    toolConfirmation: {timeout: none, maxPending: 1000000}
    tools: {list_files: {approval: {required: true}}}
`

// process is a gateway of its own, on a folder of its own.
type process struct {
	dir   string
	cmd   *exec.Cmd
	url   string
	api   *client.Client
	ready time.Duration // from its start until it was ready
	token string
}

// launch starts a gateway on a folder, which may have been served before.
func (b *bench) launch(dir string) (*process, error) {
	if err := os.MkdirAll(filepath.Join(dir, "work"), 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "agents.yaml")
	if err := os.WriteFile(file, []byte(agents), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(b.program, "serve", "--config", file)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_STATE_HOME="+dir)
	if b.profiles != "" {
		cmd.Args[0], cmd.Path = "gateway", b.self
		cmd.Env = append(cmd.Env, profileVariable+"="+filepath.Join(b.profiles, b.current))
	}
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{dir: dir, cmd: cmd}
	for {
		if err := p.find(); err == nil {
			p.ready = time.Since(began)
			return p, nil
		}
		if cmd.ProcessState != nil || time.Since(began) > 2*time.Minute {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return nil, fmt.Errorf("the gateway did not start: %s", out)
		}
		time.Sleep(time.Millisecond)
	}
}

// find reads where the gateway listens, and asks whether it is ready.
func (p *process) find() error {
	path, err := client.AccessFile(filepath.Join(p.dir, "data"))
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var access client.Access
	if err := json.Unmarshal(raw, &access); err != nil || access.PID != p.cmd.Process.Pid {
		return errors.Join(err, client.ErrNotRunning)
	}
	p.url, p.token = access.URL, access.Token
	answer, err := http.Get(p.url + "/readyz")
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	p.api = client.New(p.url, p.token)
	return nil
}

// stop ends the gateway and waits for it.
func (p *process) stop() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// settle waits until the gateway is at rest: a start has it look through its database.
func (p *process) settle() {
	wait(func() bool {
		spent := p.cpu()
		time.Sleep(2 * time.Second)
		return p.cpu()-spent < 50*time.Millisecond
	})
}

// tokens makes so many tokens of people who may answer.
func (p *process) tokens(ctx context.Context, n int) ([]string, error) {
	secrets := make([]string, n)
	for i := range secrets {
		var err error
		_, secrets[i], err = p.api.NewToken(ctx, auth.Access{Subject: fmt.Sprint("person", i), Roles: []auth.Role{auth.Approver}})
		if err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// cpu is the processor time that the gateway has used.
func (p *process) cpu() time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+2:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100
}

// memory is what the gateway holds in memory of its own, in bytes.
func (p *process) memory() int { return p.status("RssAnon") }

// status is a size that the system tells of the gateway, in bytes.
func (p *process) status(name string) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(raw)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.Atoi(string(found[1]))
	return kilobytes << 10
}

// get asks for a path and reads the answer.
func (p *process) get(path string) error {
	ask, err := http.NewRequest(http.MethodGet, p.url+path, nil)
	if err != nil {
		return err
	}
	ask.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}

// snapshot has a gateway that leaves profiles write down what it holds at this moment.
func (b *bench) snapshot(p *process) {
	if b.profiles == "" {
		return
	}
	path := filepath.Join(b.profiles, b.current) + ".heap"
	_ = os.Remove(path)
	_ = p.cmd.Process.Signal(syscall.SIGUSR1)
	wait(func() bool { _, err := os.Stat(path); return err == nil })
	time.Sleep(time.Second)
}
