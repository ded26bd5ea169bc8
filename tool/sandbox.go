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

// Fence is a sandbox for one call, in which nothing can be reached but what is named, the
// folder that the call works in, and the system's programs. It stands among the arguments of
// the call, under the name that CommandArgs.Sandbox says; the zero Fence reads and does no more.
type Fence struct {
	Read    []string `json:"read,omitempty"`   // folders and files, absolute
	Writes  []string `json:"writes,omitempty"` // folders and files, absolute
	Network bool     `json:"network"`
}

// NoFence stands in the place of a Fence where a call asks to run in none.
const NoFence = "none"
