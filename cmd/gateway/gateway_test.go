package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gateway": main, "notes-server": serveNotes, "flood": runFlood, "claude": fakeClaude, "codex": fakeCodex, "opencode": fakeACP})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

func TestTheProgramRunsACommandOnlyAfterItWasCleared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	proof := filepath.Join(dir, "ran")
	_, id := p.ask(ws, "touch "+proof)
	if _, err := os.Stat(proof); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("it ran before it was cleared (%v)", err)
	}
	send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":"approved"}}`, id)
	until(t, ws, "sessionEvent", "tool.result")
	if _, err := os.Stat(proof); err != nil {
		t.Error(err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
}

func TestAStoppedGatewayTellsItsTabsAndKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	ws := p.tab()
	_, id := p.ask(ws, "uname -a")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var closed *websocket.CloseError
	for {
		if _, _, err := ws.ReadMessage(); errors.As(err, &closed) || err != nil {
			break
		}
	}
	if closed == nil || closed.Code != websocket.CloseServiceRestart {
		t.Errorf("the tab was closed with %v", closed)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
	cookie, csrf := p.cookie, p.csrf
	p = launch(t, dir)
	p.cookie, p.csrf = cookie, csrf // the login has outlived the program
	until(t, p.tab(), "snapshot", id)
}

func TestAKilledGatewayKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	_, id := p.ask(p.tab(), "uname -a")
	_ = p.end(syscall.SIGKILL)
	until(t, launch(t, dir).tab(), "snapshot", id)
}

func TestASecondGatewayOnTheSameFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	launch(t, dir)
	out, err := exec.Command("gateway", "serve", "--config", filepath.Join(dir, "agents", "agents.yaml"),
		"--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another gateway") || !strings.Contains(string(out), "--data") {
		t.Errorf("it said %s (%v)", out, err)
	}
}

func TestTheLinkIsNotInTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	p.ask(p.tab(), "uname -a")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	log := p.stderr.String()
	secret := strings.SplitN(p.cookie, "=", 2)[1]
	if !strings.Contains(log, "serving") || strings.Contains(log, "login=") || strings.Contains(log, secret) {
		t.Errorf("the log is %s", log)
	}
}

func TestAConnectionOnWhichNothingIsAskedDoesNotSpoilTheEnd(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	idle, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = idle.Close() }()
	if err := p.end(syscall.SIGINT); err != nil {
		t.Errorf("it ended with %v: %s", err, p.stderr)
	}
}

func TestEveryLoopbackAddressThatIsListenedOnIsServed(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "LISTEN=127.0.0.2:0")
	p.tab()
}
