package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

// sayConfined tries the sandboxes that a configuration asks for, and says what
// comes of it.
func sayConfined(ctx context.Context, out io.Writer, c *config.Config) error {
	var hide []string
	for _, folder := range gateway.Folders(c) {
		if _, err := os.Stat(folder); err == nil {
			hide = append(hide, folder)
		}
	}
	for _, a := range c.Agents {
		confined, err := a.Confine(ctx, hide)
		switch {
		case err != nil:
			return err
		case confined.Why != nil:
			fmt.Fprintf(out, "  agent %s: its commands would run without a sandbox: %v\n", a.ID, confined.Why)
		case confined.Fences == nil && a.Fenced():
			fmt.Fprintf(out, "  agent %s: its rules with a sandbox ask instead: %v\n", a.ID, confined.NoFences)
		case confined.Box != nil:
			network := "without network"
			if confined.Box.Network() {
				network = "with the network"
			}
			fmt.Fprintf(out, "  agent %s: its commands run in bubblewrap, which works, %s\n", a.ID, network)
		case a.Fenced():
			fmt.Fprintf(out, "  agent %s: sandboxes for the calls that its rules put in one work\n", a.ID)
		}
	}
	return nil
}
