package config

import (
	"fmt"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/internal/sandbox"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
	"github.com/lineclear/lineclear/tool/shell"
)

// The tools that an agent can have.
const (
	shellTool = "shell"
	readTool  = "read_file"
	writeTool = "write_file"
	editTool  = "edit_file"
	listTool  = "list_files"
)

// Toolbox is an agent's tools, ready to be put behind its gate.
type Toolbox struct {
	Tools []agent.Tool
	files *files.Files
}

// Open makes the agent's tools, whose commands run in the sandbox; nil: in none.
// The caller closes the toolbox after the last call has ended.
func (a Agent) Open(box *sandbox.Sandbox) (*Toolbox, error) {
	f, err := files.New(a.WorkingDirectory, files.Options{})
	if err != nil {
		return nil, fmt.Errorf("config: tools of agent %s: %w", a.ID, err)
	}
	made := &Toolbox{files: f}
	for _, t := range a.Tools {
		opened, err := t.open(f, box)
		if err != nil {
			_ = f.Close() // nothing was done with it
			return nil, fmt.Errorf("config: tools of agent %s: %w", a.ID, err)
		}
		made.Tools = append(made.Tools, agent.Tool{Tool: opened, Terms: t.Terms})
	}
	return made, nil
}

// Close gives back what the tools hold.
func (b *Toolbox) Close() error { return b.files.Close() }

func (t Tool) open(f *files.Files, box *sandbox.Sandbox) (tool.Tool, error) {
	switch t.Name {
	case shellTool:
		return shell.New(shell.Options{Timeout: t.Timeout, OutputLimit: t.OutputLimit, Sandbox: box}), nil
	case readTool:
		return f.Read(), nil
	case writeTool:
		return f.Write(), nil
	case editTool:
		return f.Edit(), nil
	case listTool:
		return f.List(), nil
	default:
		return nil, fmt.Errorf("there is no tool %q", t.Name)
	}
}
