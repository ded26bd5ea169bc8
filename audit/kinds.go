package audit

import (
	"time"

	"github.com/lineclear/lineclear/tool"
)

// Kind says what a record is about; docs/audit.md has a table of them.
type Kind string

// The kinds, by what their Data is.
const (
	ApprovalRequested Kind = "approval.requested" // Requested

	ApprovalResolved Kind = "approval.resolved" // Resolved
	ApprovalVoided   Kind = "approval.voided"   // Resolved: taken back before it ran

	ApprovalRevealed Kind = "approval.revealed" // Call
	ApprovalExtended Kind = "approval.extended" // Call
	CallClaimed      Kind = "call.claimed"      // Call
	CallFinished     Kind = "call.finished"     // Call
	CallRefused      Kind = "call.refused"      // Call: never came to be asked for

	GrantGiven Kind = "grant.given" // Grant
	GrantEnded Kind = "grant.ended" // Grant

	ModeSet Kind = "mode.set" // Mode

	HaltSet    Kind = "halt.set"    // Halt
	HaltLifted Kind = "halt.lifted" // Halt

	LoginBegun   Kind = "login"         // Access
	LoginChanged Kind = "login.changed" // Access
	LoginEnded   Kind = "logout"        // Access
	LinkCreated  Kind = "link.created"  // Access

	LinkWithdrawn Kind = "link.withdrawn" // Access

	TokenCreated Kind = "token.created" // Access
	TokenChanged Kind = "token.changed" // Access
	TokenRevoked Kind = "token.revoked" // Access

	PushOn  Kind = "push.on"  // Push
	PushOff Kind = "push.off" // Push

	GatewayStarted Kind = "gateway.started" // Started
	GatewayStopped Kind = "gateway.stopped" // Stopped

	ConfigLoaded   Kind = "config.loaded"   // Configuration: at start
	ConfigReloaded Kind = "config.reloaded" // Configuration: in a running gateway
	ConfigRefused  Kind = "config.refused"  // Configuration: nothing of it was taken over

	AuditCut Kind = "audit.cut" // CutOff

	Checkpointed Kind = "checkpoint" // Checkpoint
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{
		ApprovalRequested, ApprovalResolved, ApprovalVoided, ApprovalRevealed, ApprovalExtended,
		CallClaimed, CallFinished, CallRefused, GrantGiven, GrantEnded, ModeSet, HaltSet, HaltLifted, LoginBegun, LoginChanged, LoginEnded, LinkCreated, LinkWithdrawn,
		TokenCreated, TokenChanged, TokenRevoked, PushOn, PushOff, GatewayStarted, GatewayStopped,
		ConfigLoaded, ConfigReloaded, ConfigRefused, AuditCut, Checkpointed,
	}
}

// About says which call a record is about, as far as there is one.
type About struct {
	ApprovalID string `json:"approvalId,omitempty"`
	SessionID  string `json:"sessionId,omitempty"`
	AgentID    string `json:"agentId,omitempty"`
	ToolCallID string `json:"toolCallId,omitempty"`
	ToolName   string `json:"toolName,omitempty"`
	ArgsDigest string `json:"argsDigest,omitempty"` // of what was asked, with its secrets
}

// Requested is what was asked for. Its texts and arguments are masked.
type Requested struct {
	About
	Type             string      `json:"type"`
	Round            int         `json:"round,omitzero"`
	ToolDigest       string      `json:"toolDigest,omitempty"`
	FileHash         string      `json:"fileHash,omitempty"`
	Sandbox          string      `json:"sandbox,omitempty"` // what keeps its commands in: none, bubblewrap
	WorkingDirectory string      `json:"workingDirectory,omitempty"`
	Message          string      `json:"message,omitempty"`
	Args             tool.JSON   `json:"args,omitzero"`
	ArgsBytes        int         `json:"argsBytes,omitzero"` // how long the arguments are that are too long to stand here
	Risk             string      `json:"risk,omitempty"`
	Rule             string      `json:"rule,omitempty"`
	Trace            []string    `json:"trace,omitempty"`
	Origin           Origin      `json:"origin,omitzero"`
	SentBy           []string    `json:"sentBy,omitempty"` // whose messages the agent was at work on
	Approvers        []Approvers `json:"approvers,omitempty"`
	RequestedAt      time.Time   `json:"requestedAt"`
	ExpiresAt        time.Time   `json:"expiresAt,omitzero"`
}

// Origin says who asked, beyond the agent's name.
type Origin struct {
	Kind    string `json:"kind,omitempty"`
	Client  string `json:"client,omitempty"`
	Subject string `json:"subject,omitempty"`
	Run     string `json:"run,omitempty"`
	Parent  string `json:"parent,omitempty"`
}

// Approvers says who may approve a call: the people, and who has the roles, and
// not who asked.
type Approvers struct {
	Rule      string   `json:"rule,omitempty"`
	Subjects  []string `json:"subjects,omitempty"`
	Roles     []string `json:"roles,omitempty"`
	NotSender bool     `json:"notSender,omitzero"`
}

// Resolved is an answer, or that it was taken back. What was changed in the
// arguments, filled in and said is masked.
type Resolved struct {
	About
	Status     string    `json:"status"`
	Reason     string    `json:"reason,omitempty"`
	Rule       string    `json:"rule,omitempty"` // what the policy said when it was asked
	Scope      string    `json:"scope,omitempty"`
	GrantID    string    `json:"grantId,omitempty"`
	Message    string    `json:"message,omitempty"`
	Edit       tool.JSON `json:"edit,omitzero"`
	RunsDigest string    `json:"runsDigest,omitempty"` // of an edited call: what runs instead
	FormData   tool.JSON `json:"formData,omitzero"`
	Millis     int64     `json:"millis"` // from the request to this
}

// Call is what became of a call, or who has looked at its secrets.
type Call struct {
	About
	IsError    bool `json:"isError,omitzero"`
	Unreported bool `json:"unreported,omitzero"` // the program did not report a result

	ExpiresAt time.Time `json:"expiresAt,omitzero"` // of one that was extended: the new deadline
}

// Grant is a remembered approval that was given or has ended.
type Grant struct {
	About
	GrantID   string    `json:"grantId"`
	Scope     string    `json:"scope"`
	Covers    string    `json:"covers"`         // its kind
	Text      string    `json:"text,omitempty"` // what it covers, in words, masked
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	MaxUses   int       `json:"maxUses,omitzero"`
	Uses      int       `json:"uses,omitzero"`
	Reason    string    `json:"reason,omitempty"` // why it has ended
}

// Mode is how much an agent has to ask.
type Mode struct {
	AgentID    string `json:"agentId"`
	Mode       string `json:"mode"`
	Configured string `json:"configured,omitempty"`
	Version    int64  `json:"version"`
}

// Halt is of an agent, or of all where AgentID is empty.
type Halt struct {
	AgentID string `json:"agentId,omitempty"`
}

// Access is a browser's login, a token or a link for a login; never its secret.
type Access struct {
	AccessID  string    `json:"accessId,omitempty"` // the first admin's link has none
	Name      string    `json:"name,omitempty"`
	Owner     string    `json:"owner,omitempty"` // as whom it speaks
	Roles     []string  `json:"roles,omitempty"`
	Agents    []string  `json:"agents,omitempty"` // the only ones that it is for
	From      string    `json:"from,omitempty"`   // the accessId of the token by which a login was begun
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// Push is a browser that is called when something needs approval.
type Push struct {
	AccessID string `json:"accessId"` // of its login
	Service  string `json:"service"`  // the host of its push service
}

// Started is a gateway that begins to work on the data folder.
type Started struct {
	Version string `json:"version"`
	File    string `json:"file"`
	Digest  string `json:"digest"` // of the file
	Listen  string `json:"listen"`
	PID     int    `json:"pid"`
}

// Stopped is a gateway that ends as it should; one that was killed has none.
type Stopped struct {
	Millis int64 `json:"millis"`          // since it started
	Failed bool  `json:"failed,omitzero"` // it ends because of an error
}

// Configuration is a file that was read.
type Configuration struct {
	File    string   `json:"file"`
	Digest  string   `json:"digest,omitempty"` // of the file; empty where it could not be read
	Changes []Change `json:"changes,omitempty"`
}

// Change is one difference to the configuration before; values are masked.
type Change struct {
	Place  string `json:"place"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// CutOff says that the oldest records were written to a file, and are taken out.
type CutOff struct {
	First  int64  `json:"first"`
	Last   int64  `json:"last"`   // a checkpoint
	Hash   string `json:"hash"`   // of the last
	File   string `json:"file"`   // its name without its folder
	Digest string `json:"digest"` // of the file
}

// Checkpoint is a signature of everything before and of its own record.
type Checkpoint struct {
	PublicKey []byte `json:"publicKey"`
	Signature []byte `json:"signature,omitempty"`
}
