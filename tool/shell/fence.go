package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/paths"
	"github.com/lineclear/lineclear/tool"
)

// fence is the argument sandbox.
type fence struct {
	none bool
	tool.Fence
}

// UnmarshalJSONFrom reads "none" or an object.
func (f *fence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		return json.UnmarshalDecode(dec, &f.Fence, json.RejectUnknownMembers(true))
	}
	var word string
	if err := json.UnmarshalDecode(dec, &word); err != nil {
		return err
	}
	if f.none = word == tool.NoFence; !f.none {
		return fmt.Errorf("sandbox: %q is unknown: write %q, or leave it out", word, tool.NoFence)
	}
	return nil
}

func (f *fence) set() bool { return f != nil && !f.none }

// text describes the sandbox to the model; empty: there is none.
func (f *fence) text() string {
	if !f.set() {
		return ""
	}
	can := "reads the working directory"
	if len(f.Read) > 0 {
		can += ", " + strings.Join(f.Read, ", ")
	}
	can += " and the system's programs"
	if len(f.Writes) > 0 {
		can += ", writes " + strings.Join(f.Writes, ", ")
	} else {
		can += ", writes nothing"
	}
	if !f.Network {
		can += ", and has no network"
	}
	return can
}

// commandArgs names the arguments that say what to run, and where.
func (t *Tool) commandArgs() tool.CommandArgs {
	names := tool.CommandArgs{Line: "command", Argv: "argv"}
	if t.options.Fences != nil {
		names.Sandbox = "sandbox"
	}
	return names
}

// fenceSchema is the schema of the argument with which a model asks to leave the sandbox.
func (t *Tool) fenceSchema() string {
	if t.options.Fences == nil {
		return ""
	}
	return `,
    "sandbox": {"enum": ["none"], "description": "leave it out, as a rule. none: a command that failed in a sandbox, which said so, runs outside of it if a person approves"}`
}

// boxed reports whether a command runs in a sandbox.
func (t *Tool) boxed(a args) bool { return t.options.Sandbox != nil || a.Sandbox.set() }

// confined wraps a command in the sandbox of its call or, without one, in the tool's.
func (t *Tool) confined(a args, dir string, argv []string) ([]string, error) {
	if !a.Sandbox.set() {
		return t.options.Sandbox.Command(dir, argv...)
	}
	if t.options.Fences == nil {
		return nil, errors.New("there is no sandbox here for single calls")
	}
	f := *t.options.Fences
	f.Read, f.Write, f.Network = a.Sandbox.Read, a.Sandbox.Writes, a.Sandbox.Network
	if own := t.options.Sandbox; own != nil { // neither may exceed the other
		f.Network = f.Network && own.Network()
		for _, path := range f.Write {
			if !slices.ContainsFunc(own.Write(), func(w string) bool { return paths.Within(w, path) }) {
				return nil, fmt.Errorf("%s can't be written: the agent's own sandbox does not permit it", path)
			}
		}
	}
	return f.Command(dir, argv...)
}

// cleaned removes variables that a command in a call's own sandbox does not need.
func cleaned(env []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !strings.HasPrefix(name, "GIT_CONFIG_") && !slices.Contains([]string{"PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "PWD", callIDVariable, traceVariable}, name)
	})
}
