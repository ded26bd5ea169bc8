package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/store"
)

func migrateCommand() *cobra.Command {
	var p location
	var o printer
	var to string
	c := &cobra.Command{
		Use: "migrate", Args: cobra.NoArgs,
		Short: "Copy the data folder of a stopped gateway into the empty database of a cluster.",
		Long: "Copy the data folder of a stopped gateway into the empty database of a cluster, and verify the copy: the number of rows, and the audit log's chain. " +
			"The folder stays as it is. It can be run again.\nThe database is the configuration's (cluster.postgres), or --to.",
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := p.gateway()
			if err != nil {
				return err
			}
			if to != "" {
				g.Cluster.Postgres, g.Cluster.Listen = to, ""
			}
			if g.Cluster.Postgres == "" {
				return usage("there is no database to copy to: name it with --to postgres://…, or under cluster.postgres")
			}
			g.Cluster.Node = "migrate"
			shared := gateway.SharedDatabase(g.Cluster, func(active string, err error) {
				fmt.Fprintln(o.notes(c), waitsWords(active, err))
			})
			done, err := store.MoveToShared(c.Context(), g.Data, g.AuditKey, shared)
			if err != nil {
				return err
			}
			return o.print(c, map[string]any{"from": g.Data, "rows": done}, func(w io.Writer) error {
				for _, table := range slices.Sorted(maps.Keys(done)) {
					fmt.Fprintf(w, "%10d  %s\n", done[table], table)
				}
				_, err := fmt.Fprintf(w, "%s is in the database, and the audit log's chain holds. Give every gateway of the cluster its key: %s\n", g.Data, g.AuditKey)
				return err
			})
		},
	}
	p.flags(c)
	o.flag(c, "")
	c.Flags().StringVar(&to, "to", "", "the database, as postgres://user:password@host:port/database")
	return c
}

func waitsWords(active string, err error) string {
	if err != nil {
		return fmt.Sprintf("The database does not answer: %v", err)
	}
	return fmt.Sprintf("Waiting: the gateway %s works on that database. Stop it first.", active)
}

// onFolder does something with the data folder, or, in a cluster, with a copy of the database, of which
// only those tables that are named have rows.
func onFolder(ctx context.Context, g config.Gateway, do func(dir string) error, only ...string) (err error) {
	if g.Cluster.Postgres == "" {
		return do(g.Data)
	}
	if err := os.MkdirAll(g.Data, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(g.Data, ".copy-") // for its owner alone
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := store.CopyOfShared(ctx, gateway.SharedDatabase(g.Cluster, nil), dir, only...); err != nil {
		return err
	}
	return do(dir)
}
