package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/install"
	"github.com/lineclear/lineclear/internal/mask"
)

// installer is what the verbs install and uninstall have in common.
type installer struct {
	location
	printer
	project bool
	dryRun  bool
	agentID string
}

// installed is what came of either.
type installed struct {
	Agent    string   `json:"agent"`
	Settings string   `json:"settings"`
	Notes    []string `json:"notes"`
	Diff     string   `json:"diff"` // of the settings; passwords and keys are masked
	Written  bool     `json:"written"`
	Proven   bool     `json:"proven"`           // the agent was denied a call, and told why
	Trust    string   `json:"trusts,omitempty"` // the file in which the agent trusts the hook
}

func (i *installer) projectFlag(c *cobra.Command) {
	i.printer.flag(c, masked)
	c.Flags().BoolVar(&i.project, "project", false, "in the settings of the project in this folder, instead of yours")
}

func installCommand() *cobra.Command {
	var i installer
	c := &cobra.Command{
		Use: "install AGENT", Args: cobra.ExactArgs(1), ValidArgs: install.Names(),
		Short: "Put the gateway's hook into a coding agent's settings, and see that a denial holds: " + strings.Join(install.Names(), ", ") + ".",
		Long: "Put the gateway's hook into a coding agent's settings, so that it asks before each of its tool calls. What is there stays there. Then the agent's own program\n" +
			"makes a harmless call, in a temporary folder and with a model of ours, which is denied. Only if the call did not run and the model was told why, the hook is\n" +
			"installed; otherwise the settings are put back. The hook asks the gateway that --config or --data names, or agents.yaml in this folder; nothing in the agent's\n" +
			"environment changes that. Agents: " + strings.Join(install.Names(), ", ") + ".",
		Example: "  gateway install claude-code --dry-run\n  gateway install codex --config ~/gateway/agents.yaml",
		RunE:    func(c *cobra.Command, args []string) error { return i.install(c, args[0]) },
	}
	i.location.flags(c)
	i.projectFlag(c)
	c.Flags().BoolVar(&i.dryRun, "dry-run", false, "only show what would change")
	c.Flags().StringVar(&i.agentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	inFile(c, "agent", &i.location, (*policyEnv).agents)
	return c
}

func uninstallCommand() *cobra.Command {
	var i installer
	c := &cobra.Command{
		Use: "uninstall AGENT", Args: cobra.ExactArgs(1), ValidArgs: install.Names(),
		Short: "Take the gateway's hook out of a coding agent's settings again.",
		RunE:  func(c *cobra.Command, args []string) error { return i.uninstall(c, args[0]) },
	}
	i.projectFlag(c)
	return c
}

func (i *installer) settings(name string) (install.Settings, error) {
	a, err := install.Of(name)
	if err != nil {
		return install.Settings{}, usage("%w", err)
	}
	project := ""
	if i.project {
		if project, err = os.Getwd(); err != nil {
			return install.Settings{}, err
		}
	}
	return a.At(project)
}

func (i *installer) install(c *cobra.Command, name string) error {
	settings, err := i.settings(name)
	if err != nil {
		return err
	}
	d, err := i.definition(c)
	if err != nil {
		return err
	}
	plan, err := settings.Plan(d)
	if err != nil {
		return err
	}
	done := installed{Agent: name, Settings: settings.File, Notes: plan.Notes}
	if err := i.sayDiff(c, &done, plan.Diff()); err != nil {
		return err
	}
	if i.dryRun {
		fmt.Fprintln(i.notes(c), "Nothing was written (--dry-run).")
	} else if err := i.apply(c, plan, settings.Agent.Title, &done); err != nil {
		return err
	}
	return i.end(c, done)
}

// end prints what was done for programs; people have been told.
func (i *installer) end(c *cobra.Command, done installed) error {
	return i.print(c, done, func(io.Writer) error { return nil })
}

func (i *installer) apply(c *cobra.Command, plan *install.Plan, title string, done *installed) error {
	out := i.notes(c)
	if plan.Proves() {
		fmt.Fprintf(out, "Now %s makes a call that is denied, to see whether that holds. This may take a minute.\n", title)
	}
	begun := time.Now()
	if err := plan.Apply(c.Context()); err != nil {
		return err
	}
	done.Written, done.Proven, done.Trust = true, plan.Proves(), plan.Trusts()
	if !done.Proven {
		fmt.Fprintf(out, "Written, and not proven: %s can't be run here.\n", title)
		return nil
	}
	fmt.Fprintf(out, "Installed: %s was denied its call and was told why (%s).\n", title, time.Since(begun).Round(100*time.Millisecond))
	if done.Trust != "" {
		fmt.Fprintf(out, "%s trusts the hook now: that is written in %s.\n", title, done.Trust)
	}
	return nil
}

// definition defines a hook that calls this program, and always asks the same gateway, wherever
// the agent works and whatever its environment says.
func (i *installer) definition(c *cobra.Command) (install.Definition, error) {
	program, err := os.Executable()
	if err != nil {
		return install.Definition{}, err
	}
	d := install.Definition{Program: program, Limits: install.Usual}
	if !i.named() {
		return d, usage("which gateway should the hook ask? There is no %s here: pass --config FILE, or --data FOLDER", defaultConfig)
	}
	data, _, err := i.paths()
	if err != nil {
		return d, err
	}
	if d.Access, err = client.AccessFile(data); err != nil {
		return d, err
	}
	if i.agentID != "" {
		d.Flags = []string{"--agent", i.agentID}
	}
	return d, nil
}

func (i *installer) uninstall(c *cobra.Command, name string) error {
	settings, err := i.settings(name)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	undone, err := settings.Uninstall(c.Context(), program)
	if err != nil {
		return err
	}
	done := installed{Agent: name, Settings: settings.File, Notes: undone.Notes, Written: undone.Diff != ""}
	if undone.Diff == "" {
		i.sayNotes(c, done)
		return &exit{exitUnknown, errors.New("there is no hook of the gateway in " + settings.File)}
	}
	if err := i.sayDiff(c, &done, undone.Diff); err != nil {
		return err
	}
	fmt.Fprintf(i.notes(c), "Uninstalled: %s does not ask the gateway any more.\n", settings.Agent.Title)
	return i.end(c, done)
}

func (i *installer) sayNotes(c *cobra.Command, done installed) {
	for _, note := range done.Notes {
		fmt.Fprintln(i.notes(c), "Note: "+note)
	}
}

// sayDiff shows the notes and a change of settings, in which there may be keys.
func (i *installer) sayDiff(c *cobra.Command, done *installed, diff string) error {
	i.sayNotes(c, *done)
	if diff == "" {
		fmt.Fprintln(i.notes(c), "There is nothing to change in "+done.Settings+".")
		return nil
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		return err
	}
	done.Diff, _ = secrets.Text(diff)
	fmt.Fprint(i.notes(c), done.Diff)
	return nil
}
