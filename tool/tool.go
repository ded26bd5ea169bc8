// Package tool holds the ground words for things that an agent can do: a Tool,
// its Spec, one Call of it and the Result.
//
// A Tool by itself is never run by an agent: only gate.Gated is, which a
// gate makes from a Tool. This package therefore knows nothing of approvals.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// JSON is one JSON value as bytes: arguments, a schema, a result.
type JSON = json.RawMessage

// Tool does one kind of work. Run must honour ctx: when it ends, whatever the
// tool started (processes, requests) has to be gone before Run returns.
//
// A failure that the model should read is a Result with IsError; an error is
// for what kept the tool from working at all. Both reach the model as text.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, call Call) (Result, error)
}

// Spec says what a tool is. Name and Schema are what a model sees.
type Spec struct {
	Name        string      `json:"name"`                  // the tool's name
	Description string      `json:"description,omitempty"` // what the tool does, for the model
	Schema      JSON        `json:"schema,omitempty"`      // JSON Schema of the arguments; empty means any object
	Location    Location    `json:"location,omitempty"`
	Resume      Resume      `json:"resume,omitempty"`
	Command     CommandArgs `json:"command,omitzero"`
	Paths       []string    `json:"paths,omitempty"`   // arguments that name files; it may also write them unless its hints say otherwise or Writes is set
	Writes      []string    `json:"writes,omitempty"`  // arguments that name files which it writes, creates or deletes; if not nil, Paths are only read
	URLs        []string    `json:"urls,omitempty"`    // arguments that name what it connects to
	Patches     []string    `json:"patches,omitempty"` // arguments that are patches
	Hints       Hints       `json:"hints,omitzero"`
	Sandbox     Sandbox     `json:"sandbox,omitzero"` // of a tool that runs commands: how they are kept from the rest
}

// CommandArgs names the arguments that say what is run, for a tool that runs
// commands.
type CommandArgs struct {
	Line string `json:"line,omitempty"` // a text for a shell
	Argv string `json:"argv,omitempty"` // a list: a program and its arguments, without a shell

	Sandbox string `json:"sandbox,omitempty"` // takes a Fence or NoFence; empty: the tool can't run calls in a sandbox
}

// Arguments declares what a tool's arguments are, by path, such as options.file. Without a
// declaration, arguments named path, file, dir and the like are files, and every other string may be.
type Arguments struct {
	Command string   `json:"command,omitempty"` // a text for a shell
	Argv    string   `json:"argv,omitempty"`    // a list: a program and its arguments, without a shell
	Reads   []string `json:"reads,omitempty"`   // files that it reads
	Writes  []string `json:"writes,omitempty"`  // files that it writes, creates or deletes
	URLs    []string `json:"urls,omitempty"`    // what it connects to
	Patches []string `json:"patches,omitempty"` // patches
}

// IsZero reports whether nothing is declared.
func (a Arguments) IsZero() bool {
	return a.Command == "" && a.Argv == "" && len(a.Reads)+len(a.Writes)+len(a.URLs)+len(a.Patches) == 0
}

// With returns the spec with declared arguments.
func (s Spec) With(a Arguments) Spec {
	s.Command = CommandArgs{Line: a.Command, Argv: a.Argv, Sandbox: s.Command.Sandbox}
	s.Paths, s.Writes, s.URLs, s.Patches = a.Reads, append([]string{}, a.Writes...), a.URLs, a.Patches
	return s
}

// And returns the spec with what is declared beside it: nothing that the spec declares is
// taken back.
func (s Spec) And(a Arguments) Spec {
	switch {
	case a.IsZero():
		return s
	case !s.Declared():
		return s.With(a)
	}
	s.Command.Line, s.Command.Argv = cmp.Or(s.Command.Line, a.Command), cmp.Or(s.Command.Argv, a.Argv)
	s.URLs, s.Patches = slices.Concat(s.URLs, a.URLs), slices.Concat(s.Patches, a.Patches)
	if s.Paths = slices.Concat(s.Paths, a.Reads); s.Writes == nil { // then Paths may be written as well
		s.Paths = slices.Concat(s.Paths, a.Writes)
	} else {
		s.Writes = slices.Concat(s.Writes, a.Writes)
	}
	return s
}

// Declared reports whether the tool declares its arguments.
func (s Spec) Declared() bool {
	return s.Command != (CommandArgs{}) || len(s.Paths)+len(s.Writes)+len(s.URLs)+len(s.Patches) > 0
}

// Elsewhere is a tool that a program outside runs; here it only has a spec.
type Elsewhere Spec

// Spec implements Tool.
func (e Elsewhere) Spec() Spec { return Spec(e) }

// Run implements Tool: it can't be run here.
func (e Elsewhere) Run(context.Context, Call) (Result, error) {
	return Result{}, errors.New("tool: " + e.Name + " is run by the program that asks")
}

// Hints are what a tool says of itself. What comes from elsewhere is not
// trusted, and can only make a call look riskier.
type Hints struct {
	ReadOnly    bool `json:"readOnly,omitzero"`    // changes nothing
	Destructive bool `json:"destructive,omitzero"` // may delete or overwrite
	OpenWorld   bool `json:"openWorld,omitzero"`   // reaches beyond this machine
	Trusted     bool `json:"-"`                    // it is our own word
}

// Leftovers is implemented by a tool whose work can outlive the process that
// started it, such as commands. EndLeftovers ends what is left of a call.
type Leftovers interface {
	EndLeftovers(ctx context.Context, callID string) error
}

// Explainer is implemented by a tool that has words of its own for arguments that its
// schema refuses.
type Explainer interface {
	// Explain says what is wrong with them; nil where the schema says it well enough.
	Explain(args JSON) error
}

// Questioner is implemented by a tool that does nothing but ask a person. Calls
// that the model made after one of it are asked for once its question stands.
type Questioner interface{ Asks() }

// Changing is implemented by a tool whose Spec may change while it is offered,
// such as one of a server. A call that was approved runs only if Now still has
// the Spec that was shown.
type Changing interface {
	Tool
	// Now is the tool as the session has it now. An error says that it is gone, or
	// that nobody knows.
	Now(ctx context.Context, sessionID string) (Tool, error)
}

// Location is where a tool runs.
type Location string

// A tool runs in the gateway unless it says that a client runs it.
const (
	Server Location = ""
	Client Location = "client"
)

// Resume says what happens to a call that was running when the process died.
type Resume string

// The zero value never runs a call twice.
const (
	ResumeNever   Resume = ""
	ResumeReenter Resume = "reenter" // entered again with the same call id
)

// Call is one request to run a tool. Args has been read strictly: an object
// without duplicate names.
type Call struct {
	ID               string   `json:"toolCallId"` // minted by us, unique
	SessionID        string   `json:"sessionId"`
	AgentID          string   `json:"agentId"`
	Tool             string   `json:"toolName"`
	Args             JSON     `json:"args"`
	WorkingDirectory string   `json:"workingDirectory,omitempty"`
	Path             string   `json:"path,omitempty"`        // of a sub-agent: the agents above it and itself
	Context          []Said   `json:"context,omitempty"`     // what was said last, oldest first
	SentBy           []string `json:"sentBy,omitempty"`      // whose messages the agent is at work on
	Position         int      `json:"position,omitzero"`     // its place in the reply that made it, from 1; 0: of no reply
	CutOff           bool     `json:"cutOff,omitzero"`       // that reply was cut off: calls may be missing
	Unanswered       int      `json:"unanswered,omitzero"`   // how often the same call has timed out before
	Traceparent      string   `json:"traceparent,omitempty"` // W3C Trace Context: what the call is part of; once it runs, itself
}

// MaxContext is how many things said a call carries at most.
const MaxContext = 10

// Said is something that was said before a call, for people who are to clear
// it.
type Said struct {
	Role    string `json:"role" enum:"user,assistant"` // who said it
	Text    string `json:"text"`                       // what was said
	Omitted int    `json:"omitted,omitzero"`           // characters left out at the end
}

// ErrSuspended is returned by a tool with ResumeReenter whose work goes on after
// the process has been started again: the call has no result yet.
var ErrSuspended = errors.New("tool: suspended until the next start")

// Result is what a tool has to say. Text and Images are what the model reads;
// Structured carries the same for programs.
type Result struct {
	Text       string  `json:"text"`                // what the model reads
	Structured JSON    `json:"structured,omitzero"` // the tool's own data, as its output schema has it
	Images     []Image `json:"images,omitempty"`
	IsError    bool    `json:"isError,omitzero"`    // whether the call failed
	Unreported bool    `json:"unreported,omitzero"` // the program that ran the call has not told; Text says so
}

// Unreported makes the result of a program's call of which nothing was reported.
func Unreported() Result {
	return Result{Text: "The program has not reported what came of it.", Unreported: true}
}

// Image is a picture that a tool has made.
type Image struct {
	MIME string `json:"mime"` // such as image/png
	Data []byte `json:"data"` // base64
}

// Failed makes the result of a call that did not work.
func Failed(text string) Result { return Result{Text: text, IsError: true} }

// Preview is what a tool can tell about a call before it runs, so that a
// person sees what will happen and the approval is bound to it.
type Preview struct {
	FileHash string `json:"fileHash,omitempty"` // of what the call would change or run, as it is now
	Diff     string `json:"diff,omitempty"`     // of a change to a text: the unified diff, or its beginning
	Omitted  int    `json:"omitted,omitzero"`   // lines of the diff that are left out, at its end
	Added    int    `json:"added,omitzero"`     // lines that the whole change adds
	Removed  int    `json:"removed,omitzero"`   // lines that the whole change removes

	// Rest is the continuation of Diff, as far as it is stored. A store keeps it apart
	// from the request. Whole joins the two.
	Rest string `json:"-"`
}

// Whole returns the preview with its diff as far as it is stored.
func (p Preview) Whole() Preview {
	p.Omitted -= strings.Count(p.Rest, "\n")
	p.Diff, p.Rest = p.Diff+p.Rest, ""
	return p
}

// Previewer is implemented by a tool whose calls depend on files that a person
// is shown. What it returns is part of what is approved: a call whose preview is
// another one by the time it would run is asked about again.
type Previewer interface {
	// Preview tells what the call would meet. A call that can't work has none.
	Preview(ctx context.Context, call Call) (Preview, error)
}
