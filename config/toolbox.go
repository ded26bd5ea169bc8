package config

import (
	"fmt"

	"github.com/lineclear/lineclear/agent"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
	"github.com/lineclear/lineclear/tool/shell"
)

// shellTool is the one tool with settings of its own.
const shellTool = "shell"

// builtin are the tools that come with the gateway and have no settings of their own,
// by the name under which the file has them. open is given the agent's files, for
// those that work on them.
var builtin = []struct {
	name     string
	settings func(toolsFile) *toolFile
	open     func(*files.Files) tool.Tool
}{
	{"read_file", func(f toolsFile) *toolFile { return f.ReadFile }, (*files.Files).Read},
	{"write_file", func(f toolsFile) *toolFile { return f.WriteFile }, (*files.Files).Write},
	{"edit_file", func(f toolsFile) *toolFile { return f.EditFile }, (*files.Files).Edit},
	{"list_files", func(f toolsFile) *toolFile { return f.ListFiles }, (*files.Files).List},
}

// Toolbox is an agent's tools, ready to be put behind its gate.
type Toolbox struct {
	Tools []agent.Tool
	files *files.Files
}

// Open makes the agent's tools; in says which sandboxes they use. The caller closes the toolbox after the last call has ended.
func (a Agent) Open(in Confined) (*Toolbox, error) {
	f, err := files.New(a.WorkingDirectory, files.Options{})
	if err != nil {
		return nil, fmt.Errorf("config: tools of agent %s: %w", a.ID, err)
	}
	made := &Toolbox{files: f}
	for _, t := range a.Tools {
		opened, err := t.open(f, in)
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

func (t Tool) open(f *files.Files, in Confined) (tool.Tool, error) {
	if t.Name == shellTool {
		return shell.New(shell.Options{Timeout: t.Timeout, OutputLimit: t.OutputLimit, Sandbox: in.Box, Fences: in.Fences}), nil
	}
	for _, plain := range builtin {
		if plain.name == t.Name {
			return plain.open(f), nil
		}
	}
	return nil, fmt.Errorf("there is no tool %q", t.Name)
}
