package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/config"
)

func reloadCommand() *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "reload", Args: cobra.NoArgs,
		Short: "Have a running gateway read its configuration file again, and print what has changed.",
		Long: "Have a running gateway read its configuration file again, and print what has changed. All is taken over, or nothing: where the file has a fault, or changes\n" +
			"what takes a restart, that is said with its place, and the gateway goes on as it was. For admins; kill -HUP does the same, with the result in the log.\n\n" + exitHelp,
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := o.userClient(c.Context())
			if err != nil {
				return err
			}
			changes, err := gateway.Reload(c.Context())
			var p *client.Problem
			if errors.As(err, &p) && p.Status == http.StatusUnprocessableEntity {
				return &exit{exitError, &refusedFile{p.Detail}}
			}
			if err != nil {
				return err
			}
			return o.print(c, pageOf(changes), func(w io.Writer) error {
				if len(changes) == 0 {
					_, err := fmt.Fprintln(w, "Nothing has changed.")
					return err
				}
				for _, change := range changes {
					fmt.Fprintln(w, oneLine(config.Change{Place: change.Place, Before: change.Before, After: change.After}.String()))
				}
				_, err := fmt.Fprintln(w, "Taken over.")
				return err
			})
		},
	}
	o.flags(c)
	return c
}

// refusedFile is a file that a gateway did not take over.
type refusedFile struct{ text string }

// Error begins each fault with its place, as editors expect it.
func (f *refusedFile) Error() string {
	what, why, _ := strings.Cut(f.text, ": ")
	return what + ":\n" + why
}
