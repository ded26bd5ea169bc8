package cli

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/internal/licenses"
)

func versionCommand() *cobra.Command {
	var p printer
	var all bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version.", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if all {
				var text strings.Builder
				if err := licenses.Write(&text); err != nil {
					return err
				}
				return p.print(c, map[string]string{"licenses": text.String()}, func(w io.Writer) error {
					_, err := io.WriteString(w, text.String())
					return err
				})
			}
			of := map[string]string{"version": gateway.Version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
			return p.print(c, of, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, versionLine())
				return err
			})
		},
	}
	p.flag(c, "")
	c.Flags().BoolVar(&all, "licenses", false, "print the licences of all that is in the program instead")
	return c
}

func versionLine() string {
	return fmt.Sprintf("lineclear %s %s %s/%s", gateway.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
