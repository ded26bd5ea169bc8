package cli

import (
	"errors"
	"fmt"
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
	project bool
	dryRun  bool
	agentID string
}

func (i *installer) projectFlag(c *cobra.Command) {
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
	i.flags(c)
	i.projectFlag(c)
	c.Flags().BoolVar(&i.dryRun, "dry-run", false, "only show what would change")
	c.Flags().StringVar(&i.agentID, "agent", "", "apply this agent's rules (default: those for all agents)")
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
	out, title := c.OutOrStdout(), settings.Agent.Title
	for _, note := range plan.Notes {
		fmt.Fprintln(out, "Note: "+note)
	}
	if err := sayDiff(c, settings.File, plan.Diff()); err != nil {
		return err
	}
	if i.dryRun {
		fmt.Fprintln(out, "Nothing was written (--dry-run).")
		return nil
	}
	return i.apply(c, plan, title)
}

func (i *installer) apply(c *cobra.Command, plan *install.Plan, title string) error {
	out := c.OutOrStdout()
	if plan.Proves() {
		fmt.Fprintf(out, "Now %s makes a call that is denied, to see whether that holds. This may take a minute.\n", title)
	}
	begun := time.Now()
	if err := plan.Apply(c.Context()); err != nil {
		return err
	}
	if !plan.Proves() {
		fmt.Fprintf(out, "Written, and not proven: %s can't be run here.\n", title)
		return nil
	}
	fmt.Fprintf(out, "Installed: %s was denied its call and was told why (%s).\n", title, time.Since(begun).Round(100*time.Millisecond))
	if file := plan.Trusts(); file != "" {
		fmt.Fprintf(out, "%s trusts the hook now: that is written in %s.\n", title, file)
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
	if _, missing := os.Stat(i.config); missing != nil && i.data == "" && !c.Flags().Changed("config") {
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
	done, err := settings.Uninstall(c.Context(), program)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	for _, note := range done.Notes {
		fmt.Fprintln(out, "Note: "+note)
	}
	if done.Diff == "" {
		return &exit{exitUnknown, errors.New("there is no hook of the gateway in " + settings.File)}
	}
	if err := sayDiff(c, settings.File, done.Diff); err != nil {
		return err
	}
	fmt.Fprintf(out, "Uninstalled: %s does not ask the gateway any more.\n", settings.Agent.Title)
	return nil
}

// sayDiff shows a change of settings, in which there may be keys.
func sayDiff(c *cobra.Command, file, diff string) error {
	if diff == "" {
		fmt.Fprintln(c.OutOrStdout(), "There is nothing to change in "+file+".")
		return nil
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		return err
	}
	text, _ := secrets.Text(diff)
	fmt.Fprint(c.OutOrStdout(), text)
	return nil
}
