package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/internal/licenses"
)

func versionCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version.", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if all {
				return licenses.Write(c.OutOrStdout())
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		},
	}
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all that is in the program instead")
	return c
}

func versionLine() string {
	return fmt.Sprintf("lineclear %s %s %s/%s", gateway.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
