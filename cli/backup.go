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
	c := &cobra.Command{
		Use: "backup FILE", Args: cobra.ExactArgs(1),
		Short: "Write the data folder and its keys to one file, also while a gateway runs on it.",
		Long: "Write the data folder, as it is at one moment, and its keys to one file (a gzipped tar), also while a gateway runs on it. The copy is verified first.\n" +
			"Whoever has the file can sign in the audit log's name and read what agents were told: keep it like a key. agents.yaml is not in it.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			dir, key, err := p.paths()
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
			h, err := store.Backup(c.Context(), dir, key, part)
			if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
				return err
			}
			if err := sayHealth(c, h, fmt.Sprintf("%d audit records, verified.", h.AuditRecords)); err != nil {
				return err
			}
			if err := os.Rename(part.Name(), args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is the backup.\n", args[0])
			return err
		},
	}
	p.flags(c)
	return c
}

func restoreCommand() *cobra.Command {
	var p location
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
			return restore(c, in, dir, key)
		},
	}
	p.flags(c)
	return c
}

func restore(c *cobra.Command, in io.Reader, dir, key string) error {
	h, err := store.Restore(c.Context(), in, dir, key)
	if err != nil {
		return err
	}
	if err := sayHealth(c, h, fmt.Sprintf("%d audit records, verified.", h.AuditRecords)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s is restored, with the audit log's key in %s. What has happened since the backup is not in it.\n", dir, key)
	return err
}
