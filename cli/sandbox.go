package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

// confined tries the sandboxes that a configuration asks for, and says in a line for each
// agent what comes of it.
func confined(ctx context.Context, c *config.Config) (lines []string, err error) {
	var hide []string
	for _, folder := range gateway.Folders(c) {
		if _, err := os.Stat(folder); err == nil {
			hide = append(hide, folder)
		}
	}
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf("agent "+format, args...)) }
	for _, a := range c.Agents {
		confined, err := a.Confine(ctx, hide)
		switch {
		case err != nil:
			return lines, err
		case confined.Why != nil:
			say("%s: its commands would run without a sandbox: %v", a.ID, confined.Why)
		case confined.Fences == nil && a.Fenced():
			say("%s: its rules with a sandbox ask instead: %v", a.ID, confined.NoFences)
		case confined.Box != nil:
			network := "without network"
			if confined.Box.Network() {
				network = "with the network"
			}
			say("%s: its commands run in bubblewrap, which works, %s", a.ID, network)
		case a.Fenced():
			say("%s: sandboxes for the calls that its rules put in one work", a.ID)
		}
	}
	return lines, nil
}
