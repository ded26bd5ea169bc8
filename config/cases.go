package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lineclear/lineclear/tool"
)

// Case is one call and what has to become of it, kept in a file beside the
// rules.
type Case struct {
	Place  string // file:line:column
	Name   string
	Agent  string
	Tool   string
	Args   tool.JSON
	Expect string // allow, ask or deny
	Rule   string // a part of the deciding rule's name; empty: any
}

type casesFile struct {
	Cases []caseFile `json:"cases" jsonschema:"Calls, and what has to become of them."`
}

type caseFile struct {
	Name    string    `json:"name,omitempty" jsonschema:"What it is about."`
	Agent   string    `json:"agent" jsonschema:"Whose call it is."`
	Tool    string    `json:"tool" jsonschema:"The tool."`
	Args    tool.JSON `json:"args,omitempty" jsonschema:"The arguments. Default: none."`
	Command string    `json:"command,omitempty" jsonschema:"In short for args: {command: …}."`
	Expect  effect    `json:"expect" jsonschema:"What has to become of it."`
	Rule    string    `json:"rule,omitempty" jsonschema:"A part of the name or reason of the rule that has to decide."`
}

// LoadCases reads a file of cases. An error is a Faults when the file is to
// blame.
func LoadCases(path string) ([]Case, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("config: %s: %w: write one as docs/policies.md shows, or name yours with --cases", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("config: read: %w", err)
	}
	found := &faultList{file: path}
	doc := readYAML(data, nil, found) // what is tested is the line that stands there
	if doc == nil {
		return nil, found.sorted()
	}
	f, err := sound[casesFile](doc, found, func() (*jsonschema.Schema, error) {
		return describe[casesFile]("Lineclear: cases for the rules of agents.yaml")
	})
	if err != nil {
		return nil, err
	}
	var cases []Case
	for i, c := range f.Cases {
		at := []string{"cases", strconv.Itoa(i)}
		where := doc.nearest(at)
		made := Case{
			Place: fmt.Sprintf("%s:%d:%d", path, where.line, where.column),
			Name:  c.Name, Agent: c.Agent, Tool: c.Tool, Args: c.Args, Expect: string(c.Expect), Rule: c.Rule,
		}
		switch {
		case c.Command != "" && len(c.Args) > 0:
			found.add(doc.nearest(append(slices.Clone(at), "command")), "%s.command: args are given as well: leave one of them out", words(at))
		case c.Command != "":
			quoted, err := jsontext.AppendQuote(nil, c.Command)
			if err != nil {
				found.add(where, "%s.command: %v", words(at), err)
			}
			made.Args = tool.JSON(`{"command":` + string(quoted) + `}`)
		case len(c.Args) == 0:
			made.Args = tool.JSON("{}")
		}
		cases = append(cases, made)
	}
	if faults := found.sorted(); len(faults) > 0 {
		return nil, faults
	}
	return cases, nil
}
