package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/store"
)

// errFaulty ends a check that found faults, which have been printed.
var errFaulty = errors.New("the data folder has faults")

func doctorCommand() *cobra.Command {
	var p location
	var size bool
	c := &cobra.Command{
		Use: "doctor", Args: cobra.NoArgs,
		Short: "Check a data folder; all of it while its gateway is stopped.",
		Long:  "Check a data folder: all of it while its gateway is stopped, and beside a running one the database file and the audit log. With --config, also whether the sandboxes work that the file asks for.",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if size {
				return saySize(c, &p)
			}
			dir, key, err := p.paths()
			if err != nil {
				return err
			}
			if c.Flags().Changed("config") {
				if err := trySandboxes(c, p.config); err != nil {
					return err
				}
			}
			// Open would make a folder that is not there.
			if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil {
				return fmt.Errorf("there is no gateway's data in %s: %w", dir, err)
			}
			s, err := store.Open(dir, key, bus.New(nil))
			if errors.Is(err, store.ErrLocked) {
				h, err := store.InspectBeside(c.Context(), dir, key)
				return errors.Join(err, sayHealth(c, h, fmt.Sprintf("A gateway runs on this folder, so only the database file and its %d audit records were checked; stop it to have all of it checked.", h.AuditRecords)))
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			h, err := s.Examine(c.Context())
			if err != nil {
				return err
			}
			return sayHealth(c, h, fmt.Sprintf("%d sessions with %d events, %d approvals of which %d wait, %d audit records.",
				h.Sessions, h.Events, h.Approvals, h.Pending, h.AuditRecords))
		},
	}
	p.flags(c)
	c.Flags().BoolVar(&size, "size", false, "say instead what takes up how much of the folder, and what gateway.retention would free now")
	c.AddCommand(doctorAgentsCommand())
	return c
}

// sayHealth writes what was looked at and what was found.
func sayHealth(c *cobra.Command, h store.Health, about string) error {
	out := c.OutOrStdout()
	fmt.Fprintln(out, about)
	for _, f := range h.Faults {
		fmt.Fprintln(out, "FAULT: "+f)
	}
	if len(h.Faults) > 0 {
		return errFaulty
	}
	fmt.Fprintln(out, "All is well.")
	return nil
}

func trySandboxes(c *cobra.Command, path string) error {
	loaded, err := config.Load(path)
	if err == nil {
		err = gateway.Resolve(&loaded.Gateway)
	}
	if err != nil {
		return err
	}
	return sayConfined(c.Context(), c.OutOrStdout(), loaded)
}
