package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/config"
)

// openTools makes an agent's tools. What has to be hidden from its commands is
// made first: a folder that is not there yet can't be.
func (g *gateway) openTools(a config.Agent, log *zap.Logger) (*config.Toolbox, error) {
	if !a.Sandboxed() {
		return a.Open(nil)
	}
	hide := gatewayFolders(g.config)
	for _, folder := range hide {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("a folder that commands must not see: %w", err)
		}
	}
	confined, err := a.Confine(context.Background(), hide)
	if err != nil {
		return nil, err
	}
	if confined.Why != nil {
		log.Warn("an agent's commands run without a sandbox, with everything that your account may do",
			zap.String("agent", a.ID), zap.Error(confined.Why))
	}
	return a.Open(confined.Box)
}

// sayConfined tries the sandboxes that a configuration asks for, and says what
// comes of it.
func sayConfined(ctx context.Context, out io.Writer, c *config.Config) error {
	var hide []string
	for _, folder := range gatewayFolders(c) {
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
		case confined.Box != nil:
			network := "without network"
			if confined.Box.Network() {
				network = "with the network"
			}
			fmt.Fprintf(out, "  agent %s: its commands run in bubblewrap, which works, %s\n", a.ID, network)
		}
	}
	return nil
}
