package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/programs"
)

// covers are what a grant for this call could remember, from narrow to wide. Each
// takes in the call itself, or it is not offered.
func (c *call) covers(f matches) []approval.Coverage {
	offered := []approval.Coverage{approval.Exactly()}
	if c.runs() {
		if covers, ok := c.commandCoverage(f.clearings); ok {
			offered = append(offered, covers)
		}
		if c.fenceable() { // for a tool that runs commands, CoverTool means a sandbox
			text := "any command, in a sandbox that reads the working directory and changes nothing"
			offered = append(offered, approval.Coverage{Kind: approval.CoverTool, Text: text})
		}
		return offered
	}
	if covers, ok := c.pathCoverage(); ok {
		offered = append(offered, covers)
	}
	return append(offered, approval.WholeTool(c.Request.ToolName))
}

// commandCoverage is the form of the commands of a line, in the agent's own folder.
func (c *call) commandCoverage(rules []clearing) (approval.Coverage, bool) {
	if len(c.lines()) != 1 || c.home == "" {
		return approval.Coverage{}, false
	}
	var patterns []string
	for _, part := range c.readings[0].line.Parts {
		if part.Builtin || part.Light || len(part.Words) == 0 {
			continue
		}
		form := programs.Form(part)
		if form == "" {
			return approval.Coverage{}, false
		}
		if !slices.Contains(patterns, form) {
			patterns = append(patterns, form)
		}
	}
	if len(patterns) == 0 {
		return approval.Coverage{}, false
	}
	covers := approval.Coverage{
		Kind: approval.CoverCommand, Command: patterns, Paths: []string{c.home},
		Text: "commands of the form " + mask.Hidden(strings.Join(patterns, ", ")) + ", in the working directory",
	}
	_, ok := c.coverageCovers(rules, "", covers)
	return covers, ok
}

// pathCoverage is the folders of the files that a call names.
func (c *call) pathCoverage() (approval.Coverage, bool) {
	if c.pathsWithin([]string{"."}) != programs.Yes || c.directory == "" {
		return approval.Coverage{}, false
	}
	covers := approval.Coverage{Kind: approval.CoverPath}
	for _, p := range c.pathArgs() {
		if p.maybe {
			continue
		}
		dir := filepath.Clean(join(c.directory, p.text))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		if !slices.Contains(covers.Paths, dir) {
			covers.Paths = append(covers.Paths, dir)
		}
	}
	covers.Text = c.filesBelow(covers.Paths)
	return covers, c.pathsWithin(covers.Paths) == programs.Yes
}

// filesBelow names folders for people, short where they are in the working
// directory.
func (c *call) filesBelow(folders []string) string {
	names := make([]string, 0, len(folders))
	for _, folder := range folders {
		names = append(names, c.short(folder))
	}
	return "files below " + mask.Hidden(strings.Join(names, ", "))
}

func (c *call) short(folder string) string {
	rest, err := filepath.Rel(c.home, folder)
	switch {
	case err != nil, rest == "..", strings.HasPrefix(rest, "../"):
		return folder + "/"
	case rest == ".":
		return "the working directory"
	}
	return rest + "/"
}
