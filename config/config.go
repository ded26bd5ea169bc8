// Package config turns agents.yaml into values.
//
// # What it promises
//
//   - What it returns is ready to use: durations are durations, patterns are
//     compiled, paths are absolute, defaults are filled in.
//   - A file is taken whole or not at all. All its faults are reported at once,
//     each with line and column, what was found and what is allowed. An
//     unknown or repeated key is a fault, never ignored.
//   - Environment variables are put in after the file has been parsed, inside
//     single texts, so that no value can change the file's structure. ${NAME}
//     must be set; ${NAME:-default} need not be; $${ stands for ${.
//
// # How to use it
//
// Load reads a file; its error is a Faults when the file is to blame. Schema
// is the JSON Schema of the file, for editors. Agent.Open makes an agent's
// tools.
package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/store"
)

// Config is a whole file.
type Config struct {
	File    string // absolute path of the file
	Digest  string // SHA-256 of the file as it is written; begins with "sha256:"
	Gateway Gateway
	Agents  []Agent // that the gateway runs, in the file's order

	// Programs are the agents of kind external, and last the one under which programs ask
	// that name none, unless the file has an agent of that name. Nobody can talk to them.
	Programs []Agent

	doc *document
}

// Gateway is what concerns the process itself.
type Gateway struct {
	Listen        string        // host:port
	Data          string        // absolute path of the data folder; empty if not set and there is no home folder
	DataSet       bool          // the file sets the data folder
	AuditKey      string        // absolute path of the key that signs the audit log; empty: the default
	LocalKey      LocalKey      // what programs of the gateway's user may do
	PublicOrigins []string      // further origins under which browsers reach the gateway
	RunWithin     time.Duration // how long after its approval a call may start
	RunIdle       time.Duration // a program's run ends after so long without a call
	AskerGrace    time.Duration // a request is cancelled after its program has been silent for so long
	RequireHello  bool          // a WebSocket client says what it can do before it is asked or answers
	Push          bool          // people can have their browsers called
	PushHosts     []string      // the only push services that are sent to; none: all with public addresses
	Retention     store.Retention
	Cluster       Cluster
	Traces        Traces
	Secrets       *mask.Secrets // what people are not shown

	TLS            TLS
	TrustedProxies []netip.Prefix
	Limits         GatewayLimits
}

// LocalKey says what the local key may do, which every program of the gateway's user
// can read, including agents and their tools. The zero value asks.
type LocalKey string

// LocalKeyAsks may look, talk and ask; LocalKeyAnswers has an admin's rights.
const (
	LocalKeyAsks    LocalKey = "asks"
	LocalKeyAnswers LocalKey = "answers"
)

// Role returns the local key's role.
func (k LocalKey) Role() auth.Role {
	if k == LocalKeyAnswers {
		return auth.Admin
	}
	return auth.Operator
}

// Traces says where spans are sent; zero: nowhere.
type Traces struct {
	Endpoint string
	Headers  map[string]string
}

// Cluster says where gateways share a database; zero: there is one gateway, with a file.
type Cluster struct {
	Postgres, Listen string // addresses; Listen: without a pooler in between
	NATS             string // addresses with commas; empty: none
	Node             string // this gateway's name
}

// TLS is the certificate with which the gateway serves; zero: without TLS.
type TLS struct{ Cert, Key string } // absolute paths

// GatewayLimits are what clients may cost; zero is the default of who keeps the
// limit.
type GatewayLimits struct {
	RequestRate, AddressRate float64 // a second
	Connections, PerAddress  int
	Tabs, OpenPerLogin       int
	Written                  int // bytes an hour
}

// Agent is one agent with everything it needs.
type Agent struct {
	ID               string
	Description      string
	Instructions     string
	Model            Model
	Digest           string   // of all that the file says about it
	Nodes            []string // the gateways of a cluster that work for it; none: all
	WorkingDirectory string   // absolute; it exists
	Anywhere         bool     // it is a program without a workdir: its calls are judged where they run
	Limits           Limits
	Mode             approval.Mode
	Timeout          time.Duration // of requests; approval.NoTimeout: they wait without limit
	Rules            policy.Rules  // those that hold for all agents included
	MaxPending       int           // of requests that wait; further ones are denied
	ObserveUntil     time.Time     // until then what a person would be asked about runs; zero: never
	DenyUnattended   bool          // what is asked while nobody is there to answer is denied at once
	Forgetful        bool          // what was allowed for a session is not kept when the process ends
	Tools            []Tool
	Delegates        []string // agents to which it can hand work
	AsksUser         bool     // it has the tool ask_user
	ClientTools      []ClientTool
	MCP              []MCPServer
}

// Limits are what an agent may use; zero is agent's default, or no limit.
type Limits struct {
	MaxTurns, MaxDenials, ContextTokens, ContextBytes, ResultBytes int
	MaxTokens                                                      int64
	MaxCost                                                        float64
}

// Tool is a tool as an agent has it.
type Tool struct {
	Name        string
	Terms       approval.Terms
	Timeout     time.Duration // of the shell; zero: its default
	OutputLimit int           // of the shell, in bytes; zero: its default
	Sandbox     Sandbox       // of the shell
}

// ExternalID names the agent under which programs ask that name none.
const ExternalID = "external"

// Judged are all under whose rules calls are asked.
func (c *Config) Judged() []Agent { return slices.Concat(c.Agents, c.Programs) }

// ClientTool is a tool that runs in a client, as an agent has it.
type ClientTool struct {
	door.ClientTool
	Terms approval.Terms
}

// Load reads a file, with the process's environment.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("config: %s: %w: write a first one with gateway init, or name yours with --config", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("config: read: %w", err)
	}
	return Parse(path, data, os.LookupEnv)
}

// Parse reads data as the content of the file name, whose folder relative
// paths start at. An error is a Faults.
func Parse(name string, data []byte, env func(string) (string, bool)) (*Config, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("config: %s: %w", name, err)
	}
	found := &faultList{file: name}
	doc := readYAML(data, env, found)
	if doc == nil {
		return nil, found.sorted()
	}
	f, err := sound[file](doc, found, fileSchema)
	if err != nil {
		return nil, err
	}
	r := resolver{doc: doc, found: found, file: absolute, base: filepath.Dir(absolute), env: env}
	c := r.config(f)
	sum := sha256.Sum256(data)
	c.File, c.Digest, c.doc = absolute, "sha256:"+hex.EncodeToString(sum[:]), doc
	if faults := found.sorted(); len(faults) > 0 {
		return nil, faults
	}
	return c, nil
}
