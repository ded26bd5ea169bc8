package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/install"
)

// errAgents ends a check of agents of which one would run a call, or may.
var errAgents = errors.New("not every agent was seen to block")

// tried is a coding agent, and what it does while something fails.
type tried struct {
	Agent    string            `json:"agent"`
	Settings string            `json:"settings"`
	Hook     string            `json:"hook"` // installed or not, with what is wrong
	Version  string            `json:"version,omitempty"`
	Failures []install.Failure `json:"failures,omitempty"`

	bad bool          // it may not be asked
	of  install.Agent // unset where it can't be run
}

func doctorAgentsCommand(o *printer) *cobra.Command {
	return &cobra.Command{
		Use: "agents", Args: cobra.NoArgs,
		Short: "See what each coding agent on this machine does when the gateway or its hook fails.",
		Long: "Say of each coding agent whose program is in PATH whether the gateway's hook is in your settings, and whether it is as it was installed. Then run the\n" +
			"agent itself, in a temporary home and with a model of ours, while the gateway or the hook fails in several ways. A call that would run then ends this with 1,\n" +
			"and so does one of which it can't be seen. Each agent takes up to a minute.",
		RunE: func(c *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return err
			}
			agents, err := hooks(c)
			if err != nil {
				return err
			}
			out := o.notes(c)
			if err := sayHooks(out, agents); err != nil {
				return err
			}
			held, err := tryFailures(c, out, agents, install.Definition{Program: program, Limits: install.Brief})
			if err != nil {
				return err
			}
			if o.json {
				err = o.print(c, pageOf(agents), nil)
			}
			if err == nil && !held {
				err = errAgents
			}
			return err
		},
	}
}

// hooks says of each agent that is on this machine how its hook stands.
func hooks(c *cobra.Command) (agents []tried, err error) {
	for _, name := range install.Names() {
		a, err := install.Of(name)
		if err != nil {
			return nil, err
		}
		_, runs, missing := a.Program()
		settings, err := a.At("")
		if err != nil {
			return nil, err
		}
		if _, absent := os.Stat(filepath.Dir(settings.File)); missing != nil || !runs && absent != nil {
			continue
		}
		t := tried{Agent: name, Settings: settings.File}
		if t.Hook, t.bad = stands(c, settings); runs {
			t.of = a
		}
		agents = append(agents, t)
	}
	return agents, nil
}

func sayHooks(w io.Writer, agents []tried) error {
	t := table(w, "AGENT", "SETTINGS", "HOOK")
	runnable := false
	for _, a := range agents {
		addRow(t, a.Agent, a.Settings, a.Hook)
		runnable = runnable || a.of.Name != ""
	}
	err := t.Flush()
	if !runnable {
		fmt.Fprintln(w, "No coding agent that can be run is in PATH.")
	}
	return err
}

// stands says how a hook stands. bad means that the agent may not be asked by it.
func stands(c *cobra.Command, s install.Settings) (words string, bad bool) {
	state, err := s.State()
	if err != nil {
		return "unknown: " + err.Error(), true
	}
	words = "not installed"
	if state.Installed {
		words = "installed"
		if err := s.Trusted(c.Context()); err != nil {
			state.Faults = append(state.Faults, err.Error())
		}
	}
	if len(state.Faults) > 0 {
		return words + ", but " + strings.Join(state.Faults, "; "), true
	}
	return words, false
}

// tryFailures runs the agents, and prints a line as soon as it is known: all of them take minutes.
func tryFailures(c *cobra.Command, out io.Writer, agents []tried, d install.Definition) (bool, error) {
	const row = "%-12s %-10s %-13s %s\n"
	held, begun := true, false
	for i := range agents {
		a := &agents[i]
		held = held && !a.bad
		if a.of.Name == "" {
			continue
		}
		program, _, err := a.of.Program()
		if err != nil {
			return false, err
		}
		if a.Version, err = a.of.Version(c.Context(), program); err != nil {
			a.Version = "?"
		}
		if !begun {
			begun = true
			fmt.Fprintf(out, "\n"+row, "AGENT", "VERSION", "GATEWAY", "RESULT")
		}
		for f, err := range a.of.Failures(c.Context(), d) {
			if err != nil {
				return false, fmt.Errorf("%s: %w", a.of.Title, err)
			}
			held = held && f.Held
			a.Failures = append(a.Failures, f)
			fmt.Fprintf(out, row, a.Agent, oneLine(a.Version), f.Gateway, cell(oneLine(f.Result), 160))
		}
	}
	return held, nil
}
