package config

import (
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

// The types of this file are the source of the file's form: its JSON Schema is
// made from them, and what a checked file holds is decoded into them.

type file struct {
	Gateway          gatewayFile           `json:"gateway,omitzero" jsonschema:"The process itself."`
	Cluster          clusterFile           `json:"cluster,omitzero" jsonschema:"Several gateways that share a database in Postgres and work side by side; when one is gone, the others go on with what it was doing. Default: one gateway, whose database is a file."`
	Models           map[string]modelFile  `json:"models,omitempty" jsonschema:"The models that agents can name."`
	MCPServers       map[string]serverFile `json:"mcpServers,omitempty" jsonschema:"MCP servers whose tools agents can have, by name."`
	ToolConfirmation confirmationFile      `json:"toolConfirmation,omitzero" jsonschema:"What holds for every agent that does not say otherwise. Its toolPolicies are added to the agent's own."`
	Agents           map[string]agentFile  `json:"agents" jsonschema:"The agents by name."`
}

type gatewayFile struct {
	Listen        string        `json:"listen,omitempty" jsonschema:"Where browsers connect, as host:port. Default: 127.0.0.1:8787."`
	Data          string        `json:"data,omitempty" jsonschema:"The folder of the journal, relative to this file, and outside every agent's workdir. Default: a folder per configuration file in $XDG_STATE_HOME/lineclear or ~/.local/state/lineclear."`
	AuditKey      string        `json:"auditKey,omitempty" jsonschema:"The file of the private key that signs the audit log, relative to this file, in a folder that no agent can read. It is created at the first start. Default: a file per data folder in ~/.config/lineclear/keys."`
	LocalKey      localKey      `json:"localKey,omitempty" jsonschema:"What programs of the gateway's own user may do, including agents and their tools. asks: look, talk and ask. answers: everything an admin may. Default: asks."`
	PublicOrigins []string      `json:"publicOrigins,omitempty" jsonschema:"Further origins under which browsers reach the gateway, such as https://approvals.example.com."`
	RunWithin     duration      `json:"runWithin,omitempty" jsonschema:"How long after its approval a call may start; later it is asked again. Default: 10m."`
	RunIdle       duration      `json:"runIdle,omitempty" jsonschema:"A program's run ends after so long without a call, unless one is pending or running. Default: 1h."`
	AskerGrace    duration      `json:"askerGrace,omitempty" jsonschema:"How long a request outlives the program that was waiting for its answer. Default: 30s."`
	RequireHello  bool          `json:"requireHello,omitempty" jsonschema:"Whether a WebSocket client has to send a hello that lists the capability approvals before it is sent requests and may answer. Without it a client that sends no hello may, but does not count as somebody who is there. Default: false."`
	Push          pushSwitch    `json:"push,omitempty" jsonschema:"Whether people can have their browsers called when something needs approval, also while no page is open. Then the gateway sends messages to the browsers' push services; off: it sends none. Default: on."`
	PushHosts     []string      `json:"pushHosts,omitempty" jsonschema:"The only push services that are sent to: push.example.com, push.example.com:8443 or *.push.example.com. They may have any address, and are reached through the proxy of the environment (HTTPS_PROXY). Default: those of public addresses, on port 443, without a proxy."`
	Traces        tracesFile    `json:"traces,omitzero" jsonschema:"Where spans of what happens are sent: OpenTelemetry, OTLP over HTTP as JSON. Default: nowhere."`
	Retention     retentionFile `json:"retention,omitzero" jsonschema:"How long what is over is kept. Default: for ever."`
	Secrets       secretsFile   `json:"secrets,omitzero" jsonschema:"What is masked where people are shown it; what runs has it."`

	TLS            tlsFile    `json:"tls,omitzero" jsonschema:"The certificate with which it serves https itself."`
	TrustedProxies []string   `json:"trustedProxies,omitempty" jsonschema:"Addresses or networks of the proxies in front, such as 10.0.0.2 or 10.0.0.0/24: what they say in X-Forwarded-For counts. Without tls, a gateway that other machines reach takes connections from these alone."`
	Limits         limitsFile `json:"limits,omitzero" jsonschema:"What clients may cost. No address is exempt."`
}

type clusterFile struct {
	Postgres string `json:"postgres" jsonschema:"The database that holds everything that lasts, as postgres://user:password@host:port/database; best as ${NAME}. Postgres 15 or later; a pooler in transaction mode will do."`
	Listen   string `json:"listen,omitempty" jsonschema:"The same database without the pooler, where postgres leads to one: there the gateway hears of commits at once. Default: postgres."`
	NATS     string `json:"nats,omitempty" jsonschema:"A NATS server at which gateways tell each other at once of what was written, and show text as it is written also elsewhere, as nats://user:password@host:4222 or tls://…; several with commas; best as ${NAME}. Nothing rests on it. Default: none."`
	Node     string `json:"node,omitempty" jsonschema:"The name of this gateway, which no other one has, such as ${HOSTNAME}. Default: the machine's name."`
}

type tracesFile struct {
	Endpoint string            `json:"endpoint" jsonschema:"The collector's address, such as http://127.0.0.1:4318/v1/traces."`
	Headers  map[string]string `json:"headers,omitempty" jsonschema:"Headers of every request to it; a key best as ${NAME}."`
}

type retentionFile struct {
	Sessions     duration `json:"sessions,omitempty" jsonschema:"A session that is at rest is removed so long after its last event, with its journal and all that was asked in it, such as 2160h, which is 90 days."`
	Requests     duration `json:"requests,omitempty" jsonschema:"A request is removed so long after its answer, from the history; what its session's journal has of it goes with the session. At most as long as sessions."`
	Audit        duration `json:"audit,omitempty" jsonschema:"Records of the audit log are exported to a file after so long, and then taken out."`
	AuditExports string   `json:"auditExports,omitempty" jsonschema:"The folder of these files, relative to this file, and outside every agent's workdir. Default: audit in the data folder."`
}

type tlsFile struct {
	Cert string `json:"cert,omitempty" jsonschema:"A PEM file with the certificate and those above it, relative to this file. It is read again when it changes."`
	Key  string `json:"key,omitempty" jsonschema:"A PEM file with its private key, which only its owner may read."`
}

type limitsFile struct {
	RequestsPerSecond        count `json:"requestsPerSecond,omitempty" jsonschema:"Requests with one login or token, in the long run. Default: 200."`
	AddressRequestsPerSecond count `json:"addressRequestsPerSecond,omitempty" jsonschema:"Requests from one address, in the long run. Default: 400."`
	Connections              count `json:"connections,omitempty" jsonschema:"Connections open at a time. Default: 8192."`
	ConnectionsPerAddress    count `json:"connectionsPerAddress,omitempty" jsonschema:"Of these, from one address. Default: 2048."`
	Tabs                     count `json:"tabs,omitempty" jsonschema:"WebSockets open at a time. Default: 10000."`
	BytesPerHour             count `json:"bytesPerHour,omitempty" jsonschema:"Bytes of changes with one login or token that are kept in an hour: requests, messages, results. Default: 33554432."`
	OpenPerLogin             count `json:"openPerLogin,omitempty" jsonschema:"How many WebSockets, streams and requests one login or token can have open. Default: 100."`
}

type secretsFile struct {
	Patterns []string     `json:"patterns,omitempty" jsonschema:"Further secrets, as regular expressions (RE2); the first group, or without one the whole match, is masked."`
	Fields   []string     `json:"fields,omitempty" jsonschema:"Further names of fields whose values are masked."`
	Off      []secretKind `json:"off,omitempty" jsonschema:"Kinds that are not looked for."`
}

type modelFile struct {
	Provider   provider          `json:"provider" jsonschema:"Who answers. scripted needs no key; openai is also every server that speaks its chat completions; google is Gemini."`
	Script     string            `json:"script,omitempty" jsonschema:"A file of steps that the scripted model follows, relative to this file."`
	Delay      duration          `json:"delay,omitempty" jsonschema:"The scripted model's pause between two words."`
	Name       string            `json:"name,omitempty" jsonschema:"The model's name as its provider knows it."`
	BaseURL    string            `json:"baseURL,omitempty" jsonschema:"Where the provider is. Default: the provider's own address."`
	Key        string            `json:"key,omitempty" jsonschema:"The provider's key, best as ${NAME}. A local server may need none."`
	KeyFile    string            `json:"keyFile,omitempty" jsonschema:"A file with the key, relative to this file."`
	Headers    map[string]string `json:"headers,omitempty" jsonschema:"Further headers of every request."`
	Parameters map[string]any    `json:"parameters,omitempty" jsonschema:"Further fields of every request, such as temperature; an object is merged into the one that is sent anyway."`
	MaxTokens  count             `json:"maxTokens,omitempty" jsonschema:"How many tokens one reply may have. Default: what the provider takes."`
	Retries    *retries          `json:"retries,omitempty" jsonschema:"How often a request that failed before anything had come is made again. Default: 3."`
	Timeout    duration          `json:"timeout,omitempty" jsonschema:"How long the provider may say nothing. Default: 2m."`
	Prices     pricesFile        `json:"prices,omitzero" jsonschema:"What a million tokens cost, in a currency of your choice; for maxCost and what is shown."`
}

type pricesFile struct {
	Input  float64 `json:"input,omitempty" jsonschema:"Tokens that the model reads."`
	Cached float64 `json:"cached,omitempty" jsonschema:"Of these, those that the provider had read before. Default: as input."`
	Output float64 `json:"output,omitempty" jsonschema:"Tokens that the model writes."`
}

type serverFile struct {
	Command      string            `json:"command,omitempty" jsonschema:"The program of a server that is reached by stdin and stdout."`
	Args         []string          `json:"args,omitempty" jsonschema:"The program's arguments."`
	Env          map[string]string `json:"env,omitempty" jsonschema:"The program's environment, beside PATH, HOME and the like; nothing else is inherited."`
	URL          string            `json:"url,omitempty" jsonschema:"The address of a server that is reached by streamable HTTP."`
	Headers      map[string]string `json:"headers,omitempty" jsonschema:"Headers of every request to that address."`
	OAuth        *oauthFile        `json:"oauth,omitempty" jsonschema:"As whom the gateway asks for tokens where a server with a url wants them (OAuth)."`
	Sandbox      *fenceFile        `json:"sandbox,omitempty" jsonschema:"What a program sees and may do, beside the agent's workdir, which it reads: read-only, or what it reads and writes and whether it has the network. Without it, all that your account may; where no sandbox works, it does not start."`
	Trusted      bool              `json:"trusted,omitempty" jsonschema:"Whether what it says of its tools (read-only, destructive) is believed. Default: false, and it can only raise the risk."`
	StartTimeout duration          `json:"startTimeout,omitempty" jsonschema:"How long it may take to start. Default: 30s."`
	Timeout      duration          `json:"timeout,omitempty" jsonschema:"How long a call may take without a sign of progress. Default: 5m."`
	Idle         duration          `json:"idle,omitempty" jsonschema:"How long it runs on for a session that does not use it. Default: 10m."`
	ResultLimit  count             `json:"resultLimit,omitempty" jsonschema:"How many bytes of a result's text are kept. Default: 262144."`

	Arguments map[string]argumentsFile `json:"arguments,omitempty" jsonschema:"What the arguments of its tools are, by the server's own names of the tools. Of a tool that is not here every text may be a path or a command."`
}

type oauthFile struct {
	Issuer       string `json:"issuer" jsonschema:"The authorization server. The secret is sent to no other."`
	ClientID     string `json:"clientId,omitempty" jsonschema:"By which it knows the gateway. Default, with login: what it gives the gateway at the login."`
	ClientSecret string `json:"clientSecret,omitempty" jsonschema:"What proves it; better from the environment, as ${NAME}. Without login it is needed."`
	Login        bool   `json:"login,omitempty" jsonschema:"Whether a person consents, with gateway mcp login NAME: the gateway then acts in that person's name. Default: false, and it acts in its own (client credentials)."`
}

func (f *oauthFile) of() *mcp.OAuth {
	if f == nil {
		return nil
	}
	return &mcp.OAuth{Issuer: f.Issuer, ClientID: f.ClientID, ClientSecret: f.ClientSecret, Login: f.Login}
}

type argumentsFile struct {
	Command string   `json:"command,omitempty" jsonschema:"The argument that is a command line for a shell."`
	Argv    string   `json:"argv,omitempty" jsonschema:"The argument that is a program with its arguments, as a list."`
	Reads   []string `json:"reads,omitempty" jsonschema:"The arguments that name files or folders which are read, such as path or options.from."`
	Writes  []string `json:"writes,omitempty" jsonschema:"Those that name files or folders which are written, made or deleted."`
	URLs    []string `json:"urls,omitempty" jsonschema:"Those that say what it connects to."`
	Patches []string `json:"patches,omitempty" jsonschema:"Those that are patches, which name the files that they change."`
}

type agentServerFile struct {
	Only     []string     `json:"only,omitempty" jsonschema:"The tools that the agent has, by the server's own names; * stands for any characters. Default: all."`
	Except   []string     `json:"except,omitempty" jsonschema:"Tools that it does not have."`
	Approval approvalFile `json:"approval,omitzero" jsonschema:"The conditions under which calls are cleared. Rules say more."`

	Tools map[string]*serverToolFile `json:"tools,omitempty" jsonschema:"What holds for single tools, by the server's own names."`
}

type serverToolFile struct {
	Approval approvalFile `json:"approval,omitzero" jsonschema:"The conditions under which a call of it is cleared. What is said here wins over what is said for the whole server, key by key."`
}

type agentFile struct {
	Description      string                      `json:"description,omitempty" jsonschema:"One line for people who choose an agent."`
	Kind             agentKind                   `json:"kind,omitempty" jsonschema:"external: a program that asks for its calls and runs them itself, under agentId; it has no model. Left out: an agent that the gateway runs."`
	Model            string                      `json:"model,omitempty" jsonschema:"The name of one of the models. Every agent that the gateway runs needs one."`
	Instructions     string                      `json:"instructions,omitempty" jsonschema:"The system prompt."`
	Workdir          string                      `json:"workdir,omitempty" jsonschema:"Where the tools work, relative to this file. It must exist. Default: this file's folder."`
	Nodes            []string                    `json:"nodes,omitempty" jsonschema:"The gateways of a cluster, by their names, that work for the agent: those that have its workdir. Default: all, which then have the same files there."`
	MaxTurns         count                       `json:"maxTurns,omitempty" jsonschema:"How often the model is asked for one message of a user. Default: 25."`
	MaxDenials       count                       `json:"maxDenials,omitempty" jsonschema:"How often the same call may be denied, for one message of a user, until it is not asked again. Default: 2."`
	ContextTokens    count                       `json:"contextTokens,omitempty" jsonschema:"How many tokens the model is given at most, as estimated; older exchanges are left out. Default: 100000."`
	ContextBytes     count                       `json:"contextBytes,omitempty" jsonschema:"How many bytes a request to the model has at most, pictures included, as estimated; the oldest pictures are left out first. Default: 16777216."`
	ResultBytes      count                       `json:"resultBytes,omitempty" jsonschema:"How many bytes of one tool result the model reads; the session keeps all. Default: 65536."`
	MaxTokens        count                       `json:"maxTokens,omitempty" jsonschema:"How many tokens a session may use, read and written. Default: no limit."`
	MaxCost          float64                     `json:"maxCost,omitempty" jsonschema:"How much a session may cost, by the model's prices. Default: no limit."`
	ToolConfirmation confirmationFile            `json:"toolConfirmation,omitzero" jsonschema:"How the agent's tool calls are cleared."`
	ObserveUntil     string                      `json:"observeUntil,omitempty" jsonschema:"A day, such as 2026-12-10, at most 14 days off. Until its end the agent is observed: a call about which a person would be asked runs, and is recorded as observed. Denials and halts hold."`
	Tools            toolsFile                   `json:"tools,omitzero" jsonschema:"The tools that the agent has."`
	ClientTools      map[string]clientToolFile   `json:"clientTools,omitempty" jsonschema:"Tools that run in the person's browser or another client, or, of an external agent, in the program itself; by name. ui.showNotification, ui.openLink and ui.copyText are known to the dashboard."`
	MCP              map[string]*agentServerFile `json:"mcp,omitempty" jsonschema:"The MCP servers whose tools the agent has, by name; a tool is called NAME__TOOL. Of an external agent: those that the gateway offers to MCP clients, at /mcp/NAME, under the agent's rules."`
	Delegates        []string                    `json:"delegates,omitempty" jsonschema:"Agents of this file to which it can hand work, each as a tool named ask_ and the agent's name."`
}

type confirmationFile struct {
	Mode                mode         `json:"mode,omitempty" jsonschema:"What happens to a call about which no rule has a say: a person is asked (manual), it runs, or it does not. Default: manual."`
	Timeout             waiting      `json:"timeout,omitempty" jsonschema:"How long a request waits for an answer; then the answer is no. none waits without limit. Default: 2m."`
	OnNoApprover        noApprover   `json:"onNoApprover,omitempty" jsonschema:"What happens to a request while nobody who may answer has the dashboard open or watches: it waits for its deadline, or is denied at once. Default: wait."`
	MaxPending          count        `json:"maxPending,omitempty" jsonschema:"How many requests of an agent may wait at a time; further ones are denied at once, since nobody looks at so many. Default: 200."`
	AllowedToolsStorage grantStorage `json:"allowedToolsStorage,omitempty" jsonschema:"Whether what was allowed for a session is kept when the gateway restarts. Default: storage."`
	ToolPolicies        policiesFile `json:"toolPolicies,omitzero" jsonschema:"Rules by tool name; * stands for any characters. A denial beats everything."`
	Rules               []ruleFile   `json:"rules,omitempty" jsonschema:"Rules about calls. Those for every agent and the agent's own add up; deny beats ask, ask beats allow."`
}

type ruleFile struct {
	Tool    string                 `json:"tool" jsonschema:"The tools that it is about; * stands for any characters."`
	Args    map[string]matcherFile `json:"args,omitempty" jsonschema:"Conditions on arguments, by their path: options.force, or a JSON Pointer."`
	Command []string               `json:"command,omitempty" jsonschema:"Command patterns, one of which has to match, such as git status *. Every command of a line is judged apart."`
	Paths   []string               `json:"paths,omitempty" jsonschema:"Folders or files. An allow rule needs every path of the call to be in one of them, and lets commands only read there; the others are about a call that has one there."`
	Writes  []string               `json:"writes,omitempty" jsonschema:"Globs of files that commands may write, by a redirection or an argument, such as out/** or *.md; of an allow rule. ** crosses folders, a name that begins with a dot has to be written out."`
	When    string                 `json:"when,omitempty" jsonschema:"A condition in CEL over tool, args, agent, session, workingDirectory and now."`
	Effect  effect                 `json:"effect" jsonschema:"What happens to a call that it matches."`
	Reason  string                 `json:"reason,omitempty" jsonschema:"Why; people and the model read it."`
	Risk    riskLevel              `json:"risk,omitempty" jsonschema:"A call that it matches is shown as at least so risky."`

	Sandbox     *fenceFile    `json:"sandbox,omitempty" jsonschema:"Of an allow rule: the tool may run anything in this sandbox, read or not. read-only, or what it reads beside workdir, what it writes, and whether it has the network."`
	Overwrite   bool          `json:"overwrite,omitempty" jsonschema:"Also files under writes that have something in them."`
	RiskAtLeast riskLevel     `json:"riskAtLeast,omitempty" jsonschema:"It is about calls only that are at least so risky; for ask and deny."`
	Approvers   approversFile `json:"approvers,omitzero" jsonschema:"Who may approve what it asks about; anyone who may answer can deny it."`
}

type approversFile struct {
	Subjects  []string   `json:"subjects,omitempty" jsonschema:"These people, by the names under which they log in."`
	Roles     []roleName `json:"roles,omitempty" jsonschema:"Whoever has one of these roles. With subjects, either will do."`
	NotSender bool       `json:"notSender,omitempty" jsonschema:"Nobody who said something that the agent is at work on."`
}

type matcherFile struct {
	Equals     tool.JSON `json:"equals,omitempty" jsonschema:"The value is this one."`
	Glob       *string   `json:"glob,omitempty" jsonschema:"The text matches; * stands for any characters."`
	Prefix     *string   `json:"prefix,omitempty" jsonschema:"The text begins so."`
	Regex      *string   `json:"regex,omitempty" jsonschema:"The whole text matches this regular expression (RE2)."`
	PathWithin *string   `json:"pathWithin,omitempty" jsonschema:"The text is a path in this folder, symbolic links followed."`
	HostWithin *string   `json:"hostWithin,omitempty" jsonschema:"The text is a URL of this host or one below it."`
}

type policiesFile struct {
	AlwaysAllow []string `json:"alwaysAllow,omitempty" jsonschema:"Tools that run without asking."`
	AlwaysDeny  []string `json:"alwaysDeny,omitempty" jsonschema:"Tools that never run."`
}

type toolsFile struct {
	Shell     *shellFile `json:"shell,omitempty" jsonschema:"Runs commands."`
	ReadFile  *toolFile  `json:"read_file,omitempty" jsonschema:"Reads a file below workdir."`
	WriteFile *toolFile  `json:"write_file,omitempty" jsonschema:"Writes a file below workdir."`
	EditFile  *toolFile  `json:"edit_file,omitempty" jsonschema:"Replaces a text in a file below workdir."`
	ListFiles *toolFile  `json:"list_files,omitempty" jsonschema:"Lists a directory below workdir."`
	AskUser   *askFile   `json:"ask_user,omitempty" jsonschema:"Puts a question to a person, as a form. It needs no approval."`
}

type toolFile struct {
	Location location     `json:"location,omitempty" jsonschema:"Where the tool runs. Default: server."`
	Approval approvalFile `json:"approval,omitzero" jsonschema:"The conditions under which a call is cleared."`
}

type askFile struct{}

type clientToolFile struct {
	Description string        `json:"description,omitempty" jsonschema:"What the model reads of it."`
	Schema      tool.JSON     `json:"schema,omitempty" jsonschema:"The JSON Schema of its arguments. Default: any object."`
	Arguments   argumentsFile `json:"arguments,omitzero" jsonschema:"What its arguments are. Where nothing is said, every text may be a path or a command."`
	Output      tool.JSON     `json:"output,omitempty" jsonschema:"The JSON Schema of its results. Default: anything."`
	Timeout     duration      `json:"timeout,omitempty" jsonschema:"How long the client has. Default: 30s."`
	Approval    approvalFile  `json:"approval,omitzero" jsonschema:"The conditions under which a call is cleared."`
}

type shellFile struct {
	Location    location     `json:"location,omitempty" jsonschema:"Where the tool runs. Default: server."`
	Timeout     duration     `json:"timeout,omitempty" jsonschema:"How long a command may run; a person's thinking time is not part of it. Default: 60s."`
	OutputLimit count        `json:"outputLimit,omitempty" jsonschema:"How many bytes of each of stdout and stderr are kept. Default: 262144."`
	Sandbox     *sandboxFile `json:"sandbox,omitempty" jsonschema:"What keeps commands from the rest of the machine. Default: nothing does."`
	Approval    approvalFile `json:"approval,omitzero" jsonschema:"The conditions under which a call is cleared."`
}

type sandboxFile struct {
	Mode    sandboxMode `json:"mode" jsonschema:"off: commands may do all that the gateway's account may. auto: they run in bubblewrap where it works; where it does not, as with off, and every request says so. required: they run in bubblewrap, or the gateway does not start."`
	Network bool        `json:"network,omitempty" jsonschema:"Whether commands have the machine's network. Default: false."`
	Write   []string    `json:"write,omitempty" jsonschema:"Folders beside workdir below which commands may write, relative to this file. They must exist."`
}

type approvalFile struct {
	Required    *bool    `json:"required,omitempty" jsonschema:"true: asked under every mode. false: never asked. Left out: the mode decides."`
	Message     string   `json:"message,omitempty" jsonschema:"What the person reads; {name} stands for an argument."`
	Scope       scope    `json:"scope,omitempty" jsonschema:"What one approval may cover: the call (once), also the rest of the session (session), or the tool is never asked about (always). Default: session."`
	Pattern     string   `json:"pattern,omitempty" jsonschema:"A regular expression (RE2). A call whose arguments, as canonical JSON, match it from first to last character is not asked about."`
	Standing    bool     `json:"standing,omitempty" jsonschema:"Lets a person approve for every session of the agent in the same folder (scope always). Default: false."`
	StandingFor duration `json:"standingFor,omitempty" jsonschema:"How long such an approval holds. Default: 720h, which is 30 days."`
	Options     []string `json:"options,omitempty" jsonschema:"The answers to offer, such as Cancel, Once and Always (for the session); instead of scope."`
}

type (
	duration     string
	waiting      string // a duration or none
	count        int
	retries      int
	mode         string
	grantStorage string
	location     string
	agentKind    string
	provider     string
	scope        string
	effect       string
	riskLevel    string
	roleName     string
	secretKind   string
	localKey     string
	pushSwitch   string
	noApprover   string
	sandboxMode  string
)

// noTimeout is the word for waiting without limit.
const noTimeout waiting = "none"

// external is the kind of a program that asks for its calls and runs them itself.
const external agentKind = "external"

// denyAtOnce is what happens to requests that nobody is there to answer.
const denyAtOnce noApprover = "deny"

// inMemory is the storage of grants that a restart forgets.
const inMemory grantStorage = "memory"
