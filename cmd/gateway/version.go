package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

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
			_, err := fmt.Fprintf(c.OutOrStdout(), "lineclear %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all that is in the program instead")
	return c
}

// version is what the module was built as: a tag, or "devel".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
