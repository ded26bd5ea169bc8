package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/store"
)

func backupCommand() *cobra.Command {
	var p location
	var o printer
	c := &cobra.Command{
		Use: "backup FILE", Args: cobra.ExactArgs(1),
		Short: "Write the data folder, or a cluster's database, and its keys to one file, also while a gateway runs on it.",
		Long: "Write the data folder, as it is at one moment, and its keys to one file (a gzipped tar), also while a gateway runs on it. The copy is verified first.\n" +
			"Whoever has the file can sign in the audit log's name and read what agents were told: keep it like a key. agents.yaml is not in it.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			g, err := p.gateway()
			if err != nil {
				return err
			}
			if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is there already, and is left as it is", args[0])
			}
			part, err := os.CreateTemp(filepath.Dir(args[0]), ".backup-*") // for its owner alone
			if err != nil {
				return err
			}
			defer func() { _ = os.Remove(part.Name()) }() // it has its name by then
			var h store.Health
			err = onFolder(c.Context(), g, func(dir string) (err error) {
				h, err = store.Backup(c.Context(), dir, g.AuditKey, part)
				return err
			})
			if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
				return err
			}
			if len(h.Faults) == 0 {
				if err := os.Rename(part.Name(), args[0]); err != nil {
					return err
				}
			}
			return copied{Backup: args[0], AuditRecords: h.AuditRecords, Faults: h.Faults}.print(c, &o, args[0]+" is the backup.")
		},
	}
	p.flags(c)
	o.flag(c, "")
	return c
}

// copied is what came of a backup or of restoring one.
type copied struct {
	Backup       string   `json:"backup"`
	Data         string   `json:"data,omitempty"`
	AuditKey     string   `json:"auditKey,omitempty"`
	AuditRecords int64    `json:"auditRecords"`
	Faults       []string `json:"faults"`
}

func (d copied) print(c *cobra.Command, o *printer, words string) error {
	return reported(d.Faults, o.print(c, d, func(w io.Writer) error {
		sayHealth(w, fmt.Sprintf("%d audit records, verified.", d.AuditRecords), d.Faults)
		if len(d.Faults) == 0 {
			fmt.Fprintln(w, words)
		}
		return nil
	}))
}

func restoreCommand() *cobra.Command {
	var p location
	var o printer
	c := &cobra.Command{
		Use: "restore FILE", Args: cobra.ExactArgs(1),
		Short: "Put a backup into a data folder without data, with its keys.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			dir, key, err := p.paths()
			if err != nil {
				return err
			}
			in, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, in.Close()) }()
			h, err := store.Restore(c.Context(), in, dir, key)
			if err != nil {
				return err
			}
			return copied{args[0], dir, key, h.AuditRecords, h.Faults}.print(c, &o, fmt.Sprintf(
				"%s is restored, with the audit log's key in %s. What has happened since the backup is not in it.", dir, key))
		},
	}
	p.flags(c)
	o.flag(c, "")
	return c
}
