package gateway

import (
	"context"
	"fmt"
	"os"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/config"
)

// openTools makes an agent's tools. What has to be hidden from its commands is
// made first: a folder that is not there yet can't be.
func (g *Gateway) openTools(a config.Agent) (*config.Toolbox, error) {
	hide := Folders(g.settings())
	for _, folder := range hide {
		if !a.Sandboxed() {
			break // a Fence checks its hidden folders each time
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("a folder that commands must not see: %w", err)
		}
	}
	confined, err := a.Confine(context.Background(), hide)
	if err != nil {
		return nil, err
	}
	if confined.Why != nil {
		g.log.Warn("an agent's commands run without a sandbox, with everything that your account may do",
			zap.String("agent", a.ID), zap.Error(confined.Why))
	}
	if confined.Fences == nil && a.Fenced() {
		g.log.Warn("rules that let commands run in a sandbox ask instead", zap.String("agent", a.ID), zap.Error(confined.NoFences))
	}
	return a.Open(confined)
}
