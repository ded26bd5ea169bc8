package config

import (
	"fmt"

	"github.com/lineclear/lineclear/approval"
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

// Offer is a tool with the terms on which a gate is to offer it.
type Offer struct {
	Tool  tool.Tool
	Terms approval.Terms
}

// Toolbox is an agent's tools, ready to be put behind its gate.
type Toolbox struct {
	Offers []Offer
	files  *files.Files
}

// Open makes the agent's tools. The caller closes the toolbox after the last
// call has ended.
func (a Agent) Open() (*Toolbox, error) {
	f, err := files.New(a.WorkingDirectory, files.Options{})
	if err != nil {
		return nil, fmt.Errorf("config: tools of agent %s: %w", a.ID, err)
	}
	box := &Toolbox{files: f}
	for _, t := range a.Tools {
		made, err := t.open(f)
		if err != nil {
			_ = f.Close() // nothing was done with it
			return nil, fmt.Errorf("config: tools of agent %s: %w", a.ID, err)
		}
		box.Offers = append(box.Offers, Offer{Tool: made, Terms: t.Terms})
	}
	return box, nil
}

// Close gives back what the tools hold.
func (b *Toolbox) Close() error { return b.files.Close() }

func (t Tool) open(f *files.Files) (tool.Tool, error) {
	switch t.Name {
	case shellTool:
		return shell.New(shell.Options{Timeout: t.Timeout, OutputLimit: t.OutputLimit}), nil
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
