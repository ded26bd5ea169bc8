package tool

// Sandbox says what commands can reach beyond their work. As part of a Spec it is
// part of what is approved: a call that was approved with one sandbox does not run
// with another, or with none. The zero value says nothing, as of a tool that runs
// no commands.
type Sandbox struct {
	Kind    SandboxKind `json:"kind"`
	Network bool        `json:"network"`         // they have the machine's network
	Write   []string    `json:"write,omitempty"` // the folders below which they can write; of none: all that the account may
}

// SandboxKind is what keeps commands in.
type SandboxKind string

// The kinds of sandboxes.
const (
	Unconfined SandboxKind = "none" // they may do all that the gateway's account may
	Bubblewrap SandboxKind = "bubblewrap"
)

// Fence is a sandbox for one call. Inside it only the listed paths, the working directory and the
// system's programs are visible. It is passed as the argument that CommandArgs.Sandbox names. The
// zero Fence can only read.
type Fence struct {
	Read    []string `json:"read,omitempty"`   // folders and files, absolute
	Writes  []string `json:"writes,omitempty"` // folders and files, absolute
	Network bool     `json:"network"`
}

// NoFence is the argument, in place of a Fence, of a call that asks to run outside the sandbox.
const NoFence = "none"
