package approval

import (
	"slices"
	"time"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/tool"
)

// The topics on which a store publishes, after the change is durable.
var (
	// Requests carries each request that waits for an answer.
	Requests = bus.NewTopic[Request]("approvalRequest")
	// Responses carries each answer to a request that was announced on Requests.
	Responses = bus.NewTopic[Response]("approvalResponse")
)

// Topics are all that a store publishes on beside the journal's events.
func Topics() []bus.Named { return []bus.Named{Requests, Responses, Modes, Halts} }

// Request asks for one decision. It never changes after it has been made.
type Request struct {
	ApprovalID       string            `json:"approvalId"`      // the request's id
	SessionID        string            `json:"sessionId"`       // the conversation or run in which it is asked
	Above            []string          `json:"above,omitempty"` // of a sub-agent's: the sessions above its own, the nearest first; filled in by the store
	AgentID          string            `json:"agentId"`         // the agent's name in agents.yaml
	Type             Type              `json:"type"`
	ToolName         string            `json:"toolName,omitempty"`         // the tool that would run; empty for a question
	ToolDigest       string            `json:"toolDigest,omitempty"`       // of the tool as it was when this was asked
	ToolCallID       string            `json:"toolCallId,omitempty"`       // the id of the call that waits
	Position         int               `json:"position,omitzero"`          // the call's place in the reply that made it, from 1
	CutOff           bool              `json:"cutOff,omitzero"`            // the reply that made it was cut off at its limit of tokens: calls may be missing
	Round            int               `json:"round,omitzero"`             // how often this call was asked before
	Unanswered       int               `json:"unanswered,omitzero"`        // how often the same call has timed out since the last user message
	Args             tool.JSON         `json:"args,omitzero"`              // the arguments with which it would run; secrets are masked where people are shown them
	ArgsDigest       string            `json:"argsDigest"`                 // names what is asked: SHA-256 of the agent, tool, arguments, folder and files
	WorkingDirectory string            `json:"workingDirectory,omitempty"` // the folder in which it would run
	Message          string            `json:"message,omitempty"`          // what a person is asked, in words
	Preview          tool.Preview      `json:"preview,omitzero"`
	Sandbox          tool.Sandbox      `json:"sandbox,omitzero"` // in what the tool's commands run; part of the ToolDigest
	Risk             Risk              `json:"risk,omitzero"`
	Misleading       []string          `json:"misleading,omitempty"` // what in it is not what it looks like, in words
	Commands         []Command         `json:"commands,omitempty"`   // of a command line: everything it runs
	Policy           PolicyReason      `json:"policy,omitzero"`
	Approvers        []Approvers       `json:"approvers,omitempty"`      // who may approve it; every one of them has to be satisfied
	SentBy           []string          `json:"sentBy,omitempty"`         // whose messages the agent is at work on
	Scopes           []Scope           `json:"scopes"`                   // what an approval may cover
	Options          []Option          `json:"options,omitempty"`        // the answers in words of the tool's own; none: the usual ones
	StandingSeconds  int64             `json:"standingSeconds,omitzero"` // how long one with scope always holds
	Covers           []Coverage        `json:"covers,omitempty"`         // what one for the session may remember, from narrow to wide
	Schema           tool.JSON         `json:"schema,omitzero"`          // JSON Schema of a question's form, or of the arguments of a program's call
	Editable         bool              `json:"editable,omitzero"`        // an approval may change the arguments
	Arguments        tool.Arguments    `json:"arguments,omitzero"`       // what a program says its arguments are, of a tool that agents.yaml doesn't declare
	Metadata         map[string]string `json:"metadata,omitempty"`       // further facts that the asker gave, for people
	Context          []tool.Said       `json:"context,omitempty"`        // what was said last, oldest first
	Origin           Origin            `json:"origin,omitzero"`
	Traceparent      string            `json:"traceparent,omitempty"` // W3C Trace Context: what the request is part of
	HasSecrets       bool              `json:"hasSecrets,omitzero"`   // something is masked where it is shown
	RequestedAt      time.Time         `json:"requestedAt"`           // when it was asked
	ExpiresAt        time.Time         `json:"expiresAt,omitzero"`    // the deadline; left out: waits without limit
	Rev              int64             `json:"rev"`                   // grows with each change of the row
}

// Size estimates how many bytes the request has.
func (r Request) Size() int {
	return len(r.Args) + len(r.Schema) + len(r.Message) + len(r.Preview.Diff)
}

// Type says what kind of decision is wanted.
type Type string

// The types of requests.
const (
	ToolConfirmation Type = "tool_confirmation"
	Elicitation      Type = "elicitation"
	Custom           Type = "custom"
)

// Risk is how much harm a call could do, with the reasons in words. It is shown
// and sorts the queue, and a rule may ask or deny by it; it never clears a call.
type Risk struct {
	Level   RiskLevel `json:"level,omitempty"`
	Reasons []string  `json:"reasons,omitempty"` // why, in words
}

// Command is one command of a command line, with what is known to be risky in it.
type Command struct {
	Text string    `json:"text"` // the command as it would run
	Risk RiskLevel `json:"risk,omitempty"`
	Does []string  `json:"does,omitempty"` // what is risky in it, in words
}

// RiskLevel is one of four words; the zero value is "not known".
type RiskLevel string

// The levels, from harmless to ruinous.
const (
	RiskLow      RiskLevel = "low"
	RiskMedium   RiskLevel = "medium"
	RiskHigh     RiskLevel = "high"
	RiskCritical RiskLevel = "critical"
)

// UnmarshalText accepts the levels' names and nothing else.
func (l *RiskLevel) UnmarshalText(text []byte) error {
	return readWord(l, "risk", text, RiskLow, RiskMedium, RiskHigh, RiskCritical)
}

// Rank orders the levels; that of the zero value is 0.
func (l RiskLevel) Rank() int {
	return 1 + slices.Index([]RiskLevel{RiskLow, RiskMedium, RiskHigh, RiskCritical}, l)
}

// PolicyReason is what the policy had to say: which rule, and how it got there.
type PolicyReason struct {
	Rule  string   `json:"rule,omitempty"`  // the rule or setting that decided
	Trace []string `json:"trace,omitempty"` // what else was looked at, in order
}

// Origin says who asks, beyond the agent's name.
type Origin struct {
	Kind    string `json:"kind,omitempty" enum:"agent,program,server"` // agent; program, which runs the call itself; server, of an MCP server
	Client  string `json:"client,omitempty"`                           // the program's or the server's name
	Subject string `json:"subject,omitempty"`                          // as whom the program has logged in
	Waits   bool   `json:"waits,omitzero"`                             // the program waits for the answer; the request is cancelled when it goes away
	Run     string `json:"run,omitempty"`                              // the program's name for its run; without a run each approval is for one call
	Parent  string `json:"parent,omitempty"`                           // the agents above a sub-agent, such as "demo › researcher"
}

// OriginProgram is the kind of requests whose call a program outside runs.
const OriginProgram = "program"

// OriginServer is the kind of questions that an MCP server asks in the middle of
// a call. They are over with the process that carried the call.
const OriginServer = "server"

// Of reports whether the request is that of a program which has logged in as
// the subject.
func (o Origin) Of(subject string) bool { return o.Kind == OriginProgram && o.Subject == subject }

// Scope is how much one approval covers.
type Scope string

// The scopes, from narrow to wide.
const (
	Once    Scope = "once"
	Session Scope = "session"
	Always  Scope = "always"
)

// UnmarshalText accepts the scopes' names and nothing else.
func (s *Scope) UnmarshalText(text []byte) error {
	return readWord(s, "scope", text, Once, Session, Always)
}

// Expired reports whether the deadline has come by now.
func (r Request) Expired(now time.Time) bool {
	return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt)
}

// OrOnce is the scope, Once where none is named.
func (s Scope) OrOnce() Scope {
	if s == "" {
		return Once
	}
	return s
}

// Viewing says who has a request on the screen, of the pages of one gateway.
type Viewing struct {
	ApprovalID string   `json:"approvalId"`
	Viewers    []string `json:"viewers"`
}
