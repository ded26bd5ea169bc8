package gateway

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/cluster"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/install"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/internal/otlp"
	"github.com/lineclear/lineclear/notify"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
	"github.com/lineclear/lineclear/web"
	"github.com/lineclear/lineclear/wsapprover"
)

// Config is what a gateway is made from.
type Config struct {
	Settings *config.Config // of agents.yaml; see config.Load

	// Mounted is the origin under which the program that embeds the gateway serves
	// its Handler, such as https://tools.example.com. Empty: the gateway listens
	// itself, where the settings say.
	Mounted string

	// ShowLink is given each login link that is made while nobody else can hand one
	// out; nil: none is made.
	ShowLink func(words, url string)

	// Load reads the settings again when an admin asks for it; nil: nobody can.
	Load func() (*config.Config, error)

	Logger *zap.Logger // nil: nothing is logged
}

// Gateway is a whole server: agents, approvals, doors and store.
type Gateway struct {
	damage atomic.Pointer[error] // what was found wrong with the database; nil: nothing

	current  atomic.Pointer[config.Config] // a reload replaces it
	log      *zap.Logger
	showLink func(words, url string)
	listener *listener
	metrics  *metrics.Metrics
	traces   *otlp.Exporter // nil: no spans are made
	store    *store.Store
	turn     *turn
	errands  *errands
	relay    *cluster.Relay                    // nil: there is no NATS
	behind   atomic.Pointer[map[string]string] // see agree
	manager  *gate.Manager
	policy   *policy.Policy
	roster   *agent.Roster
	hub      *wsapprover.Hub
	clients  *wsapprover.ClientTools
	links    *auth.OneTime // the first admin's link, and those that the gateway prints
	keyring  *auth.Keyring
	notifier *notify.Notifier // nil: no browser is called
	server   *httpapi.Server
	servers  []*mcp.Server
	programs string             // the mark of the programs that are started for MCP servers
	logins   mcp.Logins         // of people at MCP servers
	stop     context.CancelFunc // ends the streams
	load     func() (*config.Config, error)

	reloading chan struct{} // held by the one that reloads
	closers   []func() error

	localToken string   // of programs on this machine
	misfits    sync.Map // the places of the file that were logged as fitting no tool
}

// settings are those of the file as it was last taken over.
func (g *Gateway) settings() *config.Config { return g.current.Load() }

// New makes a gateway, and opens its data folder and its listener. In a cluster it waits
// for its turn to work, until ctx ends. Nothing is served before Run, which gives up what
// New has opened; where Run is not called, Close does.
//
// The order is that of the road: promises before the bus that resolves them, the bus
// before the store that publishes on it, the store before all who write.
func New(ctx context.Context, c Config) (g *Gateway, err error) {
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	s := c.Settings
	if err := Check(s, c.Mounted, c.Logger); err != nil {
		return nil, err
	}
	g = &Gateway{
		log: c.Logger, showLink: c.ShowLink, metrics: newMetrics(s), load: c.Load, reloading: make(chan struct{}, 1),
		turn: newTurn(), errands: newErrands(), clients: wsapprover.NewClientTools(),
	}
	g.current.Store(s)
	closing, stop := context.WithCancel(context.Background())
	g.stop = stop
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	promises := gate.NewPromises()
	b := bus.New(agent.Topics(), slices.Concat([]bus.Inline{promises.Inline()}, promises.Settings(), g.metrics.Inline(), g.traced(s.Gateway.Traces), g.relayed(s.Gateway.Cluster))...)
	b.Failed(func(err error) { g.failed("bus", err) })
	if err := g.openStore(ctx, s.Gateway, b); err != nil {
		return g, err
	}
	g.closers = append(g.closers, g.store.Close)
	if err := g.joinRelay(ctx, s.Gateway.Cluster, b); err != nil {
		return g, err
	}
	if g.listener, err = openListener(s.Gateway, c.Mounted, g.log, func() { g.metrics.Refused("connections") }); err != nil {
		return g, err
	}
	g.closers = append(g.closers, g.listener.close)
	g.store.Mask(s.Gateway.Secrets)
	g.store.Watch(g.hooks())
	if g.programs, err = mcp.OwnerOf(s.Gateway.Data); err != nil {
		return g, err
	}
	g.logins = loginFiles(s.Gateway)
	if shared := g.store.Logins(); shared != nil {
		g.logins = shared
		g.clients.Across(g.store.ClientCalls(), g.here)
	}
	rows := g.store.Approvals()
	if g.traces != nil {
		g.traces.Read(g.store.Sessions(), rows)
	}
	g.policy = policy.New(rows, Rules(s))
	g.policy.Path, g.policy.Home = os.Getenv("PATH"), os.Getenv("HOME")
	g.manager = gate.NewManager(rows, promises, g.policy, gate.Options{RunWithin: s.Gateway.RunWithin, AskerGrace: s.Gateway.AskerGrace, Failed: g.failed, Held: g.store.Held, Now: g.store.Now})
	runtime := &agent.Runtime{Bus: b, Sessions: g.store.Sessions(), Approvals: g.manager, Traces: g.traces != nil}
	if err := g.addAgents(s, runtime, wsapprover.NewHandler(promises, g.attended)); err != nil {
		return g, err
	}
	return g, g.addDoors(closing, s, runtime)
}

// Handler serves the dashboard, the API and the WebSocket.
func (g *Gateway) Handler() http.Handler { return g.server.Handler() }

// Rules is what the policy judges by: each agent's rules, where it works, the
// gateway's own files, which no agent may touch, and those that say what agents may do.
func Rules(c *config.Config) map[string]policy.Rules {
	rules := map[string]policy.Rules{}
	own := Folders(c)
	asks := append([]string{c.File}, install.Guarded()...)
	for _, a := range c.Judged() {
		r := a.Rules
		if !a.Anywhere {
			r.WorkingDirectory = a.WorkingDirectory
		}
		r.Protected = policy.Protected{Deny: own, Ask: asks, Endings: install.GuardedEndings(), Programs: ownPrograms()}
		rules[a.ID] = r
	}
	return rules
}

// ownPrograms returns the names of this program, whose verbs are for people.
func ownPrograms() []string {
	names := []string{"gateway"}
	if file, err := os.Executable(); err == nil {
		names = append(names, filepath.Base(file))
	}
	return names
}

func (g *Gateway) addAgents(c *config.Config, runtime *agent.Runtime, handler approval.Handler) error {
	var agents []*agent.Agent
	byID := map[string]*agent.Agent{}
	for _, a := range c.Agents {
		made, err := g.newAgent(a, runtime, handler)
		if err != nil {
			return err
		}
		agents = append(agents, made)
		byID[a.ID] = made
	}
	for _, a := range c.Agents {
		for _, to := range a.Delegates {
			if err := byID[a.ID].Add(agent.Tool{Tool: byID[to].Delegate()}); err != nil {
				return err
			}
		}
	}
	g.roster = agent.NewRoster(runtime, agents...)
	for _, p := range c.Programs {
		behind := g.manager.Agent(p.ID, gate.AgentOptions{
			Mode: p.Mode, Handler: handler, Timeout: p.Timeout, MaxPending: p.MaxPending, DenyUnattended: p.DenyUnattended, ObserveUntil: p.ObserveUntil,
		})
		for _, t := range p.ClientTools {
			if _, err := behind.Guard(tool.Elsewhere(t.Spec), t.Terms); err != nil {
				return err
			}
		}
		g.roster.AddProgram(p.ID, p.Description, behind)
	}
	return nil
}

func (g *Gateway) newAgent(a config.Agent, runtime *agent.Runtime, handler approval.Handler) (*agent.Agent, error) {
	box, err := g.openTools(a)
	if err != nil {
		return nil, err
	}
	g.closers = append(g.closers, box.Close)
	sets, err := g.toolsets(a, runtime.Bus)
	if err != nil {
		return nil, err
	}
	made, err := agent.New(agent.Config{
		ID: a.ID, Description: a.Description, Instructions: a.Instructions, Tools: box.Tools, Toolsets: sets,
		Model: a.Model.Model, ModelName: a.Model.Name, Prices: a.Model.Prices, WorkingDirectory: a.WorkingDirectory,
		MaxTurns: a.Limits.MaxTurns, MaxDenials: a.Limits.MaxDenials, ContextTokens: a.Limits.ContextTokens, ContextBytes: a.Limits.ContextBytes,
		ResultBytes: a.Limits.ResultBytes, MaxTokens: a.Limits.MaxTokens, MaxCost: a.Limits.MaxCost,
		Mode: a.Mode, Handler: handler, Timeout: a.Timeout, MaxPending: a.MaxPending, DenyUnattended: a.DenyUnattended, ObserveUntil: a.ObserveUntil,
	}, agent.Options{Runtime: runtime})
	if err != nil {
		return nil, err
	}
	for _, t := range a.ClientTools {
		client, err := g.clients.Tool(t.ClientTool)
		if err != nil {
			return nil, err
		}
		if err := made.Add(agent.Tool{Tool: client, Terms: t.Terms}); err != nil {
			return nil, err
		}
	}
	if a.AsksUser {
		err = made.Add(agent.AskUser(g.manager))
	}
	return made, err
}

// addDoors makes the doors; their streams end with closing.
func (g *Gateway) addDoors(closing context.Context, c *config.Config, runtime *agent.Runtime) error {
	own, err := g.listener.origins()
	if err != nil {
		return err
	}
	fence, err := auth.NewOriginCheck(own...)
	if err != nil {
		return err
	}
	limits := c.Gateway.Limits
	places := auth.NewPlaces(limits.OpenPerLogin, limits.Written)
	tickets := g.oneTime(auth.TicketSecret, ticketLife)
	g.links = g.oneTime(auth.LinkSecret, linkLife)
	keyring, err := auth.OpenKeyring(context.Background(), g.store.Credentials(), 0)
	if err != nil {
		return err
	}
	g.keyring = keyring
	g.localToken = keyring.Local(auth.Identity{Subject: Owner, Roles: []auth.Role{c.Gateway.LocalKey.Role()}})
	behind := door.Backend{Bus: runtime.Bus, Approvals: g.manager, Sessions: runtime.Sessions, Agents: g.roster, Secrets: c.Gateway.Secrets}
	tabs := wsapprover.Backend{Door: door.New(behind, approval.ViaWebSocket), Tickets: tickets, Origins: fence, Keyring: keyring, Places: places, Clients: g.clients}
	if g.relay != nil {
		tabs.Viewing = g.relay.Viewing
	}
	g.hub = wsapprover.NewHub(tabs, wsapprover.Options{
		Logger: g.log, Version: Version(), RequireHello: c.Gateway.RequireHello, Limits: wsapprover.Limits{Tabs: limits.Tabs},
	})
	g.metrics.Watch(runtime.Bus, g.hub.Tabs, g.disk)
	doors := httpapi.Backend{
		Door: door.New(behind, approval.ViaREST), Suggest: g.suggest, Explain: g.explain, SuggestFor: g.suggestFor, Tried: g.allowable, Rules: g.policy.List, Keyring: keyring, Places: places,
		Links: g.links, LinkFor: linkLife, LinkBase: g.listener.link(), LinkOwner: Owner, LocalKeyAnswers: c.Gateway.LocalKey == config.LocalKeyAnswers, Tickets: tickets, TicketFor: ticketLife, Terminals: g.store.Terminals(), Origins: fence,
		Limits: httpapi.Limits{
			AddressRate: limits.AddressRate, IdentityRate: limits.RequestRate, TrustedProxies: c.Gateway.TrustedProxies,
		},
		WebSocket: g.hub, Frames: frames(), Dashboard: web.Handler(), Logger: g.log,
		Closing: closing, LinkUsed: func() { g.offerLink(closing, "A fresh login link:") }, Watched: g.clients.Show, Meter: g.metrics, Metrics: g.metrics.Handler(), Checks: g.checks(),
	}
	if c.Gateway.Cluster != (config.Cluster{}) {
		doors.Nodes = g.store.Nodes
	}
	if g.load != nil {
		doors.Reload = func(ctx context.Context, who auth.Identity) ([]audit.Change, error) {
			return g.reloadBy(ctx, approval.By{Subject: who.Subject, Via: approval.ViaREST}, g.load)
		}
	}
	if err := g.addPush(c.Gateway, runtime.Bus, keyring, &doors); err != nil {
		return err
	}
	g.server = httpapi.New(doors)
	g.openMCP(closing, c)
	return nil
}

// oneTime makes secrets that work once, on any gateway of a cluster.
func (g *Gateway) oneTime(kind auth.Secret, life time.Duration) *auth.OneTime {
	if shared := g.store.OneTime(); shared != nil {
		return auth.NewOneTimeIn(kind, life, shared)
	}
	return auth.NewOneTime(kind, life)
}

// userName is who started the gateway.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "local"
}

// suggest lists rules that would have cleared a request.
func (g *Gateway) suggest(ctx context.Context, approvalID string) ([]approval.Suggestion, error) {
	c, past, err := g.manager.Past(ctx, approvalID)
	if err != nil {
		return nil, err
	}
	return g.policy.Suggest(c, past), nil
}

// closeServers ends the MCP servers, and with them what they ask.
func (g *Gateway) closeServers() error {
	var all errgroup.Group
	for _, s := range g.servers {
		all.Go(s.Close)
	}
	return all.Wait()
}

// Close gives up what New opened, last first.
func (g *Gateway) Close() error {
	g.stop()
	errs := []error{g.closeServers()}
	for i := len(g.closers) - 1; i >= 0; i-- {
		errs = append(errs, g.closers[i]())
	}
	g.closers = nil
	return errors.Join(errs...)
}
