package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/user"
	"path/filepath"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/store"
	"github.com/lineclear/lineclear/tool/mcp"
	"github.com/lineclear/lineclear/web"
	"github.com/lineclear/lineclear/wsapprover"
)

// gateway is everything of one process, wired and not yet running.
type gateway struct {
	config   *config.Config
	log      *zap.Logger
	listener *doorway
	metrics  *metrics.Metrics
	store    *store.Store
	manager  *gate.Manager
	policy   *policy.Policy
	roster   *agent.Roster
	hub      *wsapprover.Hub
	clients  *wsapprover.ClientTools
	links    *auth.OneTime
	server   *httpapi.Server
	guests   []*mcp.Server
	owner    string // of the programs that are started for MCP servers
	closers  []func() error

	localToken string // of programs on this machine
}

// build wires a gateway for a configuration. The order is that of the road:
// promises before the bus that wakes them, the bus before the store that
// publishes on it, the store before all who write.
func build(c *config.Config, listener *doorway, counts *metrics.Metrics, log *zap.Logger) (g *gateway, err error) {
	g = &gateway{config: c, log: log, listener: listener, metrics: counts, clients: wsapprover.NewClientTools(), links: auth.NewOneTime(linkLife)}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	promises := gate.NewPromises()
	b := bus.New(agent.Topics(), append([]bus.Inline{promises.Inline()}, counts.Inline()...)...)
	b.Failed(func(err error) { g.failed("bus", err) })
	if g.store, err = store.Open(c.Gateway.Data, c.Gateway.AuditKey, b); err != nil {
		return g, err
	}
	g.closers = append(g.closers, g.store.Close)
	g.store.Mask(c.Gateway.Secrets)
	g.store.Watch(g.hooks())
	if g.owner, err = mcp.OwnerOf(c.Gateway.Data); err != nil {
		return g, err
	}
	rows := g.store.Approvals()
	g.policy = policy.New(rows, rulesOf(c))
	g.manager = gate.NewManager(rows, promises, g.policy, gate.Options{RunWithin: c.Gateway.RunWithin, Failed: g.failed})
	runtime := &agent.Runtime{Bus: b, Sessions: g.store.Sessions(), Approvals: g.manager}
	if err := g.addAgents(c, runtime, wsapprover.NewHandler(promises, g.attended), log); err != nil {
		return g, err
	}
	return g, g.addDoors(c, runtime, log)
}

// rulesOf is what the policy judges by: each agent's rules, where it works, and
// the gateway's own files, which no agent may touch.
func rulesOf(c *config.Config) map[string]policy.Rules {
	rules := map[string]policy.Rules{}
	own := gatewayFolders(c)
	for _, a := range c.Judged() {
		r := a.Rules
		r.WorkingDirectory = a.WorkingDirectory
		r.Protected = policy.Protected{Deny: own, Ask: []string{c.File}, Programs: ownPrograms()}
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

func (g *gateway) addAgents(c *config.Config, runtime *agent.Runtime, handler approval.Handler, log *zap.Logger) error {
	var agents []*agent.Agent
	byID := map[string]*agent.Agent{}
	for _, a := range c.Agents {
		made, err := g.newAgent(a, runtime, handler, log)
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
	if e := c.External; e.ID != "" {
		g.manager.Agent(e.ID, gate.AgentOptions{
			Mode: e.Mode, Handler: handler, Timeout: e.Timeout, MaxPending: e.MaxPending, DenyUnattended: e.DenyUnattended,
		})
	}
	g.roster = agent.NewRoster(runtime, agents...)
	return nil
}

func (g *gateway) newAgent(a config.Agent, runtime *agent.Runtime, handler approval.Handler, log *zap.Logger) (*agent.Agent, error) {
	box, err := g.openTools(a, log)
	if err != nil {
		return nil, err
	}
	g.closers = append(g.closers, box.Close)
	sets, err := g.servers(a, runtime.Bus, log)
	if err != nil {
		return nil, err
	}
	made, err := agent.New(agent.Config{
		ID: a.ID, Description: a.Description, Instructions: a.Instructions, Tools: box.Tools, Toolsets: sets,
		Model: a.Model.Model, ModelName: a.Model.Name, Prices: a.Model.Prices, WorkingDirectory: a.WorkingDirectory,
		MaxTurns: a.Limits.MaxTurns, MaxDenials: a.Limits.MaxDenials, ContextTokens: a.Limits.ContextTokens,
		ResultBytes: a.Limits.ResultBytes, MaxTokens: a.Limits.MaxTokens, MaxCost: a.Limits.MaxCost,
		Mode: a.Mode, Handler: handler, Timeout: a.Timeout, MaxPending: a.MaxPending, DenyUnattended: a.DenyUnattended,
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

func (g *gateway) addDoors(c *config.Config, runtime *agent.Runtime, log *zap.Logger) error {
	own, err := g.listener.origins()
	if err != nil {
		return err
	}
	fence, err := auth.NewFence(own...)
	if err != nil {
		return err
	}
	limits := c.Gateway.Limits
	tickets := auth.NewOneTime(ticketLife)
	keyring, err := auth.OpenKeyring(context.Background(), g.store.Credentials(), 0)
	if err != nil {
		return err
	}
	g.localToken = keyring.Local(auth.Identity{Subject: owner, Roles: []auth.Role{c.Gateway.LocalKey.Role()}})
	behind := door.Backend{Bus: runtime.Bus, Approvals: g.manager, Sessions: runtime.Sessions, Agents: g.roster, Secrets: c.Gateway.Secrets}
	g.hub = wsapprover.NewHub(wsapprover.Backend{
		Door: door.New(behind, approval.ViaWebSocket), Tickets: tickets, Fence: fence, Keyring: keyring, Clients: g.clients,
	}, wsapprover.Options{
		Logger: log, Version: version(), Limits: wsapprover.Limits{Tabs: limits.Tabs, TabsEach: limits.TabsPerLogin},
	})
	g.metrics.Watch(runtime.Bus, g.hub.Tabs)
	g.server = httpapi.New(httpapi.Backend{
		Door: door.New(behind, approval.ViaREST), Suggest: g.suggest, Explain: g.explain, Rules: g.policy.List, Keyring: keyring,
		Links: g.links, LinkFor: linkLife, LinkBase: g.listener.link(), LinkOwner: owner, LocalKeyAnswers: c.Gateway.LocalKey == config.LocalKeyAnswers, Tickets: tickets, TicketFor: ticketLife, Fence: fence,
		Limits: httpapi.Limits{
			AddressRate: limits.AddressRate, IdentityRate: limits.RequestRate, TrustedProxies: c.Gateway.TrustedProxies,
		},
		WebSocket: g.hub, Dashboard: web.Handler(), Logger: log,
		Meter: g.metrics, Metrics: g.metrics.Handler(), Checks: g.checks(),
	})
	return nil
}

// attended reports whether a tab or a stream is there whose person may answer an
// agent's requests.
func (g *gateway) attended(agentID string) bool {
	return g.hub.Attended(agentID) || g.server.Attended(agentID)
}

// userName is who started the gateway.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "local"
}

// suggest lists rules that would have cleared a request.
func (g *gateway) suggest(ctx context.Context, approvalID string) ([]approval.Suggestion, error) {
	c, past, err := g.manager.Past(ctx, approvalID)
	if err != nil {
		return nil, err
	}
	return g.policy.Suggest(c, past), nil
}

// doors is the HTTP handler; linkUsed is called for each login link used up.
func (g *gateway) doors(closing context.Context, linkUsed func()) http.Handler {
	g.server.Closing, g.server.LinkUsed = closing, linkUsed
	return g.server.Handler()
}

// dismiss ends the MCP servers, and with them what they ask.
func (g *gateway) dismiss() error {
	var all errgroup.Group
	for _, s := range g.guests {
		all.Go(s.Close)
	}
	return all.Wait()
}

// close gives up what build opened, last first.
func (g *gateway) close() error {
	errs := []error{g.dismiss()}
	for i := len(g.closers) - 1; i >= 0; i-- {
		errs = append(errs, g.closers[i]())
	}
	return errors.Join(errs...)
}
