package mcpgate_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/mcpgate"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

const patience = 30 * time.Second

const agents = `
gateway: {localKey: answers, askerGrace: 30s, limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}}
agents:
  desk: {kind: external}
  free: {kind: external, toolConfirmation: {mode: auto-approve}}
`

// desk is a gateway, and both sides of what is asked there.
type desk struct {
	t      *testing.T
	people *client.Client // may answer
	asks   *client.Client // may only ask
	url    string
	secret string // of asks
}

// open runs a gateway on a server of the test's own.
func open(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	file := filepath.Join(dir, "agents", "agents.yaml")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(agents), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Gateway.Data, s.Gateway.AuditKey = filepath.Join(dir, "data"), filepath.Join(dir, "keys", "audit.pem")
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g, err := gateway.New(t.Context(), gateway.Config{Settings: s, Mounted: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", g.Handler())
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- g.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
	})
	d := &desk{t: t}
	for d.people == nil {
		if c, err := client.Local(s.Gateway.Data); err == nil {
			d.people = c
		}
	}
	_, secret, err := d.people.NewToken(t.Context(), auth.Access{Name: "a program", Roles: []auth.Role{auth.Agent}})
	if err != nil {
		t.Fatal(err)
	}
	d.asks, d.url, d.secret = client.New(server.URL, secret), server.URL, secret
	return d
}

// waiting waits for the one request that stands before people.
func (d *desk) waiting() client.Approval {
	d.t.Helper()
	for range d.attempts() {
		for a, err := range d.people.Approvals(d.t.Context(), client.Filter{Status: approval.Pending}) {
			if err == nil {
				return a
			}
		}
	}
	d.t.Fatal("nothing is asked")
	return client.Approval{}
}

// attempts are tries to see what must come about soon.
func (d *desk) attempts() <-chan struct{} {
	tries := make(chan struct{})
	ctx, stop := context.WithTimeout(d.t.Context(), patience)
	go func() {
		defer stop()
		defer close(tries)
		for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
			select {
			case tries <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return tries
}

// becomes waits until a request is as it should be.
func (d *desk) becomes(id string, what string, is func(a client.Approval) bool) client.Approval {
	d.t.Helper()
	var a client.Approval
	for range d.attempts() {
		var err error
		if a, err = d.people.Approval(d.t.Context(), id, 0); err == nil && is(a) {
			return a
		}
	}
	d.t.Fatalf("the request never %s: %+v", what, a)
	return a
}

// answer answers what waits.
func (d *desk) answer(s approval.Status, message string) client.Approval {
	d.t.Helper()
	a := d.waiting()
	if _, err := d.people.Answer(d.t.Context(), approval.Answer{ApprovalID: a.ApprovalID, Status: s, Message: message}); err != nil {
		d.t.Fatal(err)
	}
	return a
}

// wire is one end of a connection of lines.
type wire struct {
	t     *testing.T
	conn  *mcpgate.Stdio
	close func()
}

// wires are both ends of a connection.
func wires(t *testing.T) (ours, theirs *wire) {
	toThem, fromUs := io.Pipe()
	toUs, fromThem := io.Pipe()
	end := func() { _ = fromUs.Close(); _ = fromThem.Close() }
	ours = &wire{t, mcpgate.NewStdio(toUs, fromUs), end}
	theirs = &wire{t, mcpgate.NewStdio(toThem, fromThem), end}
	t.Cleanup(func() { end(); ours.conn.Close(); theirs.conn.Close() })
	return ours, theirs
}

func (w *wire) say(message string) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), patience)
	defer stop()
	if err := w.conn.Write(ctx, []byte(message)); err != nil {
		w.t.Fatalf("%s: %v", message, err)
	}
}

// hear returns the next message.
func (w *wire) hear() string {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), patience)
	defer stop()
	raw, err := w.conn.Read(ctx)
	if err != nil {
		w.t.Fatalf("nothing is heard: %v", err)
	}
	return string(raw)
}

// hears waits for a message with a text.
func (w *wire) hears(text string) string {
	w.t.Helper()
	for {
		if m := w.hear(); strings.Contains(m, text) {
			return m
		}
	}
}

// session is a client and a server with the gate between them.
type session struct {
	*desk
	client, server *wire
	over           chan error // has what Run returned
}

// gate puts the gate between two ends.
func (d *desk) gate(o mcpgate.Options) *session {
	d.t.Helper()
	s := &session{desk: d, over: make(chan error, 1)}
	var ours, theirs *wire
	s.client, ours = wires(d.t)
	theirs, s.server = wires(d.t)
	o.Gateway = d.asks
	if o.Server == "" {
		o.Server = "notes"
	}
	if o.AgentID == "" {
		o.AgentID = "desk"
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { s.over <- mcpgate.New(o, ours.conn, theirs.conn).Run(ctx) }()
	d.t.Cleanup(func() {
		stop()
		select {
		case <-s.over:
		case <-time.After(patience):
			d.t.Error("the relay does not end")
		}
	})
	return s
}

// tools are what the server lists when it is asked next.
func (s *session) lists(tools string) {
	s.t.Helper()
	asked := s.server.hears("tools/list")
	s.server.say(`{"jsonrpc":"2.0","id":` + string(part(s.t, asked, "id")) + `,"result":{"tools":[` + tools + `]}}`)
}

const write = `{"name":"write","description":"Writes a note.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"destructiveHint":true}}`

func part(t *testing.T, message string, path ...string) jsontext.Value {
	t.Helper()
	v := jsontext.Value(message)
	for _, name := range path {
		var object map[string]jsontext.Value
		if err := json.Unmarshal(v, &object, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		v = object[name]
	}
	return v
}

// same reports whether two messages are the same value.
func same(a, b string) bool {
	x, y := jsontext.Value(a).Clone(), jsontext.Value(b).Clone()
	lenient := jsontext.AllowDuplicateNames(true)
	format := []jsontext.Options{lenient, jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false), jsontext.ReorderRawObjects(true)}
	return x.Format(format...) == nil && y.Format(format...) == nil && bytes.Equal(x, y)
}

// canonical is a message in one form, with its numbers as they were written.
func canonical(t *testing.T, message string) string {
	t.Helper()
	v := jsontext.Value(message).Clone()
	if err := v.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return strings.ReplaceAll(string(v), `\"a\":1.50`, `\"a\":1.5`) // arguments are printed again
}

// part2 is a member of a message; nil where there is none.
func part2(message, name string) jsontext.Value {
	var object map[string]jsontext.Value
	_ = json.Unmarshal([]byte(message), &object, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // then there is none
	return object[name]
}

type ends struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// pipes are one end of a connection, and the streams of the other.
func pipes(t *testing.T) (*wire, ends) {
	t.Helper()
	toThem, fromUs := io.Pipe()
	toUs, fromThem := io.Pipe()
	end := func() { _ = fromUs.Close(); _ = fromThem.Close() }
	w := &wire{t, mcpgate.NewStdio(toUs, fromUs), end}
	t.Cleanup(func() { end(); w.conn.Close() })
	return w, ends{toThem, fromThem}
}

// unreachable is a gateway that is not there.
func unreachable() *client.Client { return client.New("http://127.0.0.1:1", "") }
