package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/store"
)

func dataCommand() *cobra.Command {
	c := &cobra.Command{Use: "data", Short: "The gateway's data folder."}
	var p location
	var o printer
	var to string
	move := &cobra.Command{
		Use: "move", Args: cobra.NoArgs,
		Short: "Move the data folder of a stopped gateway, and the key of its audit log, out of agents' reach.",
		Long: "Move the data folder of a stopped gateway, and the key of its audit log. Without --to it goes where a gateway with this configuration keeps " +
			"it by default, which is where no agent works.",
		RunE: func(c *cobra.Command, _ []string) error {
			loaded, err := config.Load(p.config) // without the folder, which is the one to move from
			if err != nil {
				return err
			}
			from, key, err := oldData(loaded, p.folder())
			if err != nil {
				return err
			}
			target := loaded.Gateway
			if to != "" {
				target.Data, target.AuditKey = to, ""
			} else if target.DataSet {
				return errors.New("the configuration names the folder itself (gateway.data): say where it is to be with --to, and write that there")
			}
			if err := gateway.Resolve(&target); err != nil {
				return err
			}
			if err := store.Move(from, target.Data, key, target.AuditKey); err != nil {
				return err
			}
			return o.print(c, map[string]string{"from": from, "to": target.Data, "auditKey": target.AuditKey}, func(w io.Writer) error {
				words := fmt.Sprintf("%s is %s now.\n", from, target.Data)
				if to != "" {
					words += "Write that under gateway.data, or name it with --data.\n"
				}
				_, err := io.WriteString(w, words)
				return err
			})
		},
	}
	p.flags(move)
	o.flag(move, "")
	move.Flags().StringVar(&to, "to", "", "the new folder")
	c.AddCommand(move)
	return c
}

// oldData returns the folder to move and its audit key: the one named by --data, the configured one
// if it holds data, or the folder next to the configuration that earlier versions used.
func oldData(c *config.Config, named string) (dir, key string, err error) {
	g := c.Gateway
	g.Data = cmp.Or(named, g.Data)
	if named == "" {
		if _, missing := os.Stat(filepath.Join(g.Data, store.FileName)); missing != nil {
			g.Data, g.AuditKey = filepath.Join(filepath.Dir(c.File), "data"), ""
		}
	}
	err = gateway.Resolve(&g)
	return g.Data, g.AuditKey, err
}
