package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/store"
)

// errFaulty ends a check that found faults, which have been printed.
var errFaulty = errors.New("the data folder has faults")

// examined is what was found in a data folder.
type examined struct {
	Data         string   `json:"data"`
	Running      bool     `json:"running"` // a gateway runs on it, so sessions and approvals were not examined
	Sessions     int      `json:"sessions,omitzero"`
	Events       int      `json:"events,omitzero"`
	Approvals    int      `json:"approvals,omitzero"`
	Pending      int      `json:"pending,omitzero"`
	AuditRecords int64    `json:"auditRecords"`
	Faults       []string `json:"faults"`
	Sandboxes    []string `json:"sandboxes,omitempty"`
}

func doctorCommand() *cobra.Command {
	var p location
	var o printer
	var size bool
	c := &cobra.Command{
		Use: "doctor", Args: cobra.NoArgs,
		Short: "Check a data folder; all of it while its gateway is stopped.",
		Long:  "Check a data folder: all of it while its gateway is stopped, and beside a running one the database file and the audit log. With --config, also whether the sandboxes work that the file asks for.",
		RunE: func(c *cobra.Command, _ []string) error {
			if size {
				return saySize(c, &p, &o)
			}
			g, err := p.gateway()
			if err != nil {
				return err
			}
			var sandboxes []string
			if c.Flags().Changed("config") {
				if sandboxes, err = trySandboxes(c, &p); err != nil {
					return err
				}
			}
			var found examined
			err = onFolder(c.Context(), g, func(dir string) (err error) {
				found, err = examine(c, dir, g.AuditKey)
				return err
			})
			if err != nil {
				return err
			}
			found.Data = g.Data
			found.Sandboxes = sandboxes
			return reported(found.Faults, o.print(c, found, func(w io.Writer) error {
				for _, line := range sandboxes {
					fmt.Fprintln(w, "  "+line)
				}
				sayHealth(w, found.words(), found.Faults)
				return nil
			}))
		},
	}
	p.flags(c)
	o.flag(c, "")
	c.Flags().BoolVar(&size, "size", false, "say instead what takes up how much of the folder, and what gateway.retention would free now")
	c.AddCommand(doctorAgentsCommand(&o))
	return c
}

// examine looks at a data folder that is there. Open would make one that is not.
func examine(c *cobra.Command, dir, key string) (found examined, err error) {
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil {
		return found, fmt.Errorf("there is no gateway's data in %s: %w", dir, err)
	}
	var h store.Health
	s, err := store.Open(dir, key, bus.New(nil))
	running := errors.Is(err, store.ErrLocked)
	switch {
	case running:
		h, err = store.InspectBeside(c.Context(), dir, key)
	case err != nil:
		return found, err
	default:
		h, err = s.Examine(c.Context())
		err = errors.Join(err, s.Close())
	}
	return examined{
		Data: dir, Running: running, Sessions: h.Sessions, Events: h.Events, Approvals: h.Approvals, Pending: h.Pending,
		AuditRecords: h.AuditRecords, Faults: h.Faults,
	}, err
}

func (e examined) words() string {
	if e.Running {
		return fmt.Sprintf("A gateway runs on this folder, so only the database file and its %d audit records were checked; stop it to have all of it checked.", e.AuditRecords)
	}
	return fmt.Sprintf("%d sessions with %d events, %d approvals of which %d wait, %d audit records.", e.Sessions, e.Events, e.Approvals, e.Pending, e.AuditRecords)
}

// sayHealth writes what was looked at and what was found.
func sayHealth(w io.Writer, about string, faults []string) {
	fmt.Fprintln(w, about)
	for _, f := range faults {
		fmt.Fprintln(w, "FAULT: "+f)
	}
	if len(faults) == 0 {
		fmt.Fprintln(w, "All is well.")
	}
}

// reported is the end of a check whose faults have been printed.
func reported(faults []string, err error) error {
	if len(faults) > 0 {
		err = cmp.Or(err, errFaulty)
	}
	return err
}

func trySandboxes(c *cobra.Command, p *location) ([]string, error) {
	loaded, err := p.load()
	if err == nil {
		err = gateway.Resolve(&loaded.Gateway)
	}
	if err != nil {
		return nil, err
	}
	return confined(c.Context(), loaded)
}
