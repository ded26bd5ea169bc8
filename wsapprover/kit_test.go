package wsapprover_test

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/wsapprover"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds how long a test waits for what must happen; it is never
// waited for in a test that passes.
const patience = 30 * time.Second

// gateway is the road of a call without the HTTP doors: agents, manager, hub.
type gateway struct {
	bus      *bus.Bus
	places   *auth.Places
	log      session.Log
	manager  *gate.Manager
	agent    *agent.Agent
	hub      *wsapprover.Hub
	tickets  *auth.OneTime
	server   *httptest.Server
	clients  *wsapprover.ClientTools
	keyring  *auth.Keyring
	viewing  func(approval.Viewing)
	stopHub  context.CancelFunc
	hubEnded chan error
}

type setup struct {
	sqlite  bool
	limits  wsapprover.Limits
	places  *auth.Places
	model   model.Model
	tools   []agent.Tool
	timeout time.Duration
	handler func(approval.Handler) approval.Handler // wraps the hub's own
	clients *wsapprover.ClientTools
	keyring *auth.Keyring
	read    func(session.Log) session.Log // wraps the log for the tabs
	viewing func(approval.Viewing)

	requireHello bool
}

func ada() auth.Identity {
	return auth.Identity{Subject: "ada", Roles: []auth.Role{auth.Operator, auth.Approver}}
}

func start(t testing.TB, o setup) *gateway {
	t.Helper()
	promises := gate.NewPromises()
	g := &gateway{bus: bus.New(agent.Topics(), promises.Inline()), tickets: auth.NewOneTime(auth.TicketSecret, time.Minute), places: o.places}
	rows, grants := g.storage(t, o.sqlite)
	g.manager = gate.NewManager(rows, promises, approval.Plain{Grants: grants}, gate.Options{})
	var handler approval.Handler = wsapprover.NewHandler(promises, func(agentID string) bool { return g.hub.Attended(agentID) })
	if o.handler != nil {
		handler = o.handler(handler)
	}
	if o.model == nil {
		o.model = parrot{}
	}
	if o.tools == nil {
		o.tools = []agent.Tool{{Tool: echo{}}}
	}
	var err error
	g.agent, err = agent.New(agent.Config{
		ID: "demo", Model: o.model, Tools: o.tools, Handler: handler, Timeout: o.timeout, WorkingDirectory: "/work",
	}, agent.Options{Runtime: &agent.Runtime{Bus: g.bus, Sessions: g.log, Approvals: g.manager}})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.agent.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.agent.Stop(0) })
	g.clients, g.keyring, g.viewing = o.clients, o.keyring, o.viewing
	o.limits.Idle = cmp.Or(o.limits.Idle, time.Hour) // a tab that its test does not read answers no pings
	if o.read != nil {
		g.log = o.read(g.log)
	}
	g.listen(t, wsapprover.Options{Limits: o.limits, RequireHello: o.requireHello})
	return g
}

func (g *gateway) storage(t testing.TB, sqlite bool) (approval.Store, approval.Grants) {
	t.Helper()
	if !sqlite {
		log := session.NewMemory(g.bus)
		rows := approval.NewMemory(g.bus, log)
		g.log = log
		return rows, rows
	}
	s, err := store.Open(t.TempDir(), filepath.Join(t.TempDir(), "key"), g.bus)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	g.log = s.Sessions()
	return s.Approvals(), s.Approvals()
}

func (g *gateway) roster() *agent.Roster {
	return agent.NewRoster(&agent.Runtime{Bus: g.bus, Sessions: g.log, Approvals: g.manager}, g.agent)
}

func (g *gateway) listen(t testing.TB, o wsapprover.Options) {
	t.Helper()
	g.server = httptest.NewUnstartedServer(nil)
	fence, err := auth.NewOriginCheck("http://" + g.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		t.Fatal(err)
	}
	backend := wsapprover.Backend{
		Door: door.New(door.Backend{
			Bus: g.bus, Approvals: g.manager, Agents: g.roster(), Sessions: g.log, Secrets: secrets,
		}, approval.ViaWebSocket),
		Tickets: g.tickets, Origins: fence, Clients: g.clients, Places: g.places, Viewing: g.viewing,
	}
	if g.keyring != nil {
		backend.Keyring = g.keyring
	}
	g.hub = wsapprover.NewHub(backend, o)
	ctx, cancel := context.WithCancel(context.Background())
	g.stopHub, g.hubEnded = cancel, make(chan error, 1)
	go func() { g.hubEnded <- g.hub.Run(ctx) }()
	g.server.Config.Handler = g.hub
	g.server.Start()
	t.Cleanup(func() {
		cancel()
		<-g.hubEnded
		g.server.Close()
	})
}

// client is one tab.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

// frame is what a tab receives.
type frame struct {
	Event string    `json:"event"`
	Data  tool.JSON `json:"data"`
	ID    string    `json:"id"`
}

// connect opens a tab without reading anything.
func (g *gateway) connect(t testing.TB, who auth.Identity) *client {
	t.Helper()
	ws, response, err := g.dial(issue(t, g.tickets, who), http.Header{"Origin": {g.server.URL}})
	if err != nil {
		t.Fatalf("dial: %v (%v)", err, response)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return &client{t: t, ws: ws}
}

func (g *gateway) dial(ticket string, header http.Header) (*websocket.Conn, *http.Response, error) {
	dialer := websocket.Dialer{
		Subprotocols:     []string{wsapprover.Protocol, wsapprover.TicketPrefix + ticket},
		HandshakeTimeout: patience,
	}
	return dialer.Dial("ws"+strings.TrimPrefix(g.server.URL, "http")+"/ws", header)
}

// tab opens a tab and reads its welcome and snapshot.
func (g *gateway) tab(t testing.TB) *client {
	t.Helper()
	c := g.connect(t, ada())
	if f := c.next(); f.Event != "welcome" {
		t.Fatalf("first frame is %s", f.Event)
	}
	if f := c.next(); f.Event != "snapshot" {
		t.Fatalf("second frame is %s", f.Event)
	}
	return c
}

func (g *gateway) session(t testing.TB) string {
	t.Helper()
	s, err := g.agent.NewSession(context.Background(), ada(), "")
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// next reads the next frame.
func (c *client) next() frame {
	c.t.Helper()
	f, err := c.read()
	if err != nil {
		c.t.Fatalf("reading: %v", err)
	}
	return f
}

func (c *client) read() (frame, error) {
	_ = c.ws.SetReadDeadline(time.Now().Add(patience))
	_, raw, err := c.ws.ReadMessage()
	if err != nil {
		return frame{}, err
	}
	var f frame
	return f, json.Unmarshal(raw, &f)
}

// until skips frames up to the first of the event.
func (c *client) until(event string) frame {
	c.t.Helper()
	for {
		if f := c.next(); f.Event == event {
			return f
		}
	}
}

// reply skips frames up to the ack or error that answers id.
func (c *client) reply(id string) frame {
	c.t.Helper()
	for {
		if f := c.next(); f.ID == id {
			return f
		}
	}
}

// closed reads until the connection is closed, and returns the code.
func (c *client) closed() int {
	c.t.Helper()
	for {
		_, err := c.read()
		if err == nil {
			continue
		}
		if e, ok := err.(*websocket.CloseError); ok {
			return e.Code
		}
		c.t.Fatalf("the connection ended without a close frame: %v", err)
	}
}

func (c *client) send(event, id string, data any) {
	c.t.Helper()
	raw, err := json.Marshal(map[string]any{"event": event, "id": id, "data": data}, json.Deterministic(true))
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(websocket.TextMessage, raw)
}

func (c *client) raw(kind int, data []byte) {
	c.t.Helper()
	_ = c.ws.SetWriteDeadline(time.Now().Add(patience))
	if err := c.ws.WriteMessage(kind, data); err != nil {
		c.t.Fatalf("writing: %v", err)
	}
}

// as reads a frame's data.
func as[T any](t testing.TB, f frame) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(f.Data, &v); err != nil {
		t.Fatalf("%s %s: %v", f.Event, f.Data, err)
	}
	return v
}

type failure struct {
	Code     string            `json:"code"`
	Message  string            `json:"message"`
	Response approval.Response `json:"response"`
}

type ack struct {
	Response approval.Response `json:"response"`
	Seq      int64             `json:"seq"`
	Answered []string          `json:"answered"`
	Note     string            `json:"note"`
}

// parrot is a model that calls echo for each line said to it, and then repeats
// what came of it.
type parrot struct{}

func (parrot) Generate(_ context.Context, p model.Prompt, onDelta func(model.Delta)) (model.Reply, error) {
	last := p.Messages[len(p.Messages)-1]
	if last.Role == model.User {
		var r model.Reply
		for line := range strings.Lines(last.Text) {
			args, err := json.Marshal(map[string]string{"text": strings.TrimSpace(line)})
			if err != nil {
				return r, err
			}
			r.Calls = append(r.Calls, model.Call{Name: "echo", Args: args})
		}
		return r, nil
	}
	var said strings.Builder
	for _, m := range p.Messages {
		if m.Role == model.ToolRole {
			said.WriteString(m.Text + "\n")
		}
	}
	onDelta(model.Delta{Text: said.String()})
	return model.Reply{Text: said.String()}, nil
}

// echo is a tool that says what it was told, and counts.
type echo struct{ ran func(tool.Call) }

func (echo) Spec() tool.Spec {
	return tool.Spec{Name: "echo", Schema: tool.JSON(
		`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`)}
}

func (e echo) Run(_ context.Context, c tool.Call) (tool.Result, error) {
	if e.ran != nil {
		e.ran(c)
	}
	var args struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "echo: " + args.Text}, nil
}

// issue makes a link or a ticket.
func issue(t testing.TB, o *auth.OneTime, who auth.Identity) string {
	t.Helper()
	secret, err := o.Issue(t.Context(), who)
	if err != nil {
		t.Error(err)
	}
	return secret
}
