package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/install"
)

// errAgents ends a check of agents of which one would run a call, or may.
var errAgents = errors.New("not every agent was seen to block")

func doctorAgentsCommand() *cobra.Command {
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
			found, well, err := sayStates(c)
			if err != nil {
				return err
			}
			held, err := sayFailures(c, found, install.Definition{Program: program, Limits: install.Brief})
			if err == nil && !(well && held) {
				err = errAgents
			}
			return err
		},
	}
}

// sayStates says how the hooks stand, and returns the agents that can be run.
func sayStates(c *cobra.Command) (runnable []install.Agent, well bool, err error) {
	t := table(c.OutOrStdout())
	fmt.Fprintln(t, "AGENT\tSETTINGS\tHOOK")
	well = true
	for _, name := range install.Names() {
		a, err := install.Of(name)
		if err != nil {
			return nil, false, err
		}
		_, runs, missing := a.Program()
		settings, err := a.At("")
		if err != nil {
			return nil, false, err
		}
		if runs && missing == nil {
			runnable = append(runnable, a)
		}
		words, bad := stands(c, settings)
		if _, absent := os.Stat(filepath.Dir(settings.File)); missing != nil || !runs && absent != nil {
			continue
		}
		well = well && !bad
		addRow(t, name, settings.File, words)
	}
	if err := t.Flush(); err != nil || len(runnable) > 0 {
		return runnable, well, err
	}
	fmt.Fprintln(c.OutOrStdout(), "No coding agent that can be run is in PATH.")
	return nil, well, nil
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

// sayFailures prints a line as soon as it is known: all of them take minutes.
func sayFailures(c *cobra.Command, agents []install.Agent, d install.Definition) (held bool, err error) {
	const row = "%-12s %-10s %-13s %s\n"
	out := c.OutOrStdout()
	held = true
	if len(agents) == 0 {
		return held, nil
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, row, "AGENT", "VERSION", "GATEWAY", "RESULT")
	for _, a := range agents {
		program, _, err := a.Program()
		if err != nil {
			return false, err
		}
		version, err := a.Version(c.Context(), program)
		if err != nil {
			version = "?"
		}
		for f, err := range a.Failures(c.Context(), d) {
			if err != nil {
				return false, fmt.Errorf("%s: %w", a.Title, err)
			}
			held = held && f.Held
			fmt.Fprintf(out, row, a.Name, oneLine(version), f.Gateway, cell(oneLine(f.Result), 160))
		}
	}
	return held, nil
}
