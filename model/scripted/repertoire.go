package scripted

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// command is one thing that the model does without a script.
type command struct {
	verb  string
	tool  string
	usage string
	what  string
	parse func(rest string) (args map[string]string, ok bool)
}

var commands = []command{
	{"run", "shell", "run: COMMAND", "runs a command line", oneArg("command")},
	{"read", "read_file", "read PATH", "reads a file", oneArg("path")},
	{"write", "write_file", "write PATH: TEXT", "writes a file", pathAndText},
	{"edit", "edit_file", "edit PATH: OLD => NEW", "replaces a text in a file", pathOldNew},
	{"ask", "ask_user", "ask QUESTION", "puts a question to you", oneArg("question")},
	{"list", "list_files", "list PATH", "lists a directory; without PATH the working directory", optionalPath},
}

// anyTool is the command that calls a tool by its name.
const anyTool = "call"

func callCommand() command {
	return command{verb: anyTool, usage: `call TOOL {"ARGUMENT": "VALUE"}`, what: "calls any other tool"}
}

// toolAndArgs reads what follows the command that calls a tool by its name.
func toolAndArgs(rest string) (c command, args tool.JSON, ok bool) {
	c = callCommand()
	name, text, _ := strings.Cut(rest, " ")
	c.tool = name
	if args = tool.JSON(strings.TrimSpace(text)); len(args) == 0 {
		args = tool.JSON("{}")
	}
	return c, args, name != "" && strictjson.Kind(args) == '{' && jsontext.Value(args).IsValid()
}

func oneArg(name string) func(string) (map[string]string, bool) {
	return func(rest string) (map[string]string, bool) {
		return map[string]string{name: rest}, rest != ""
	}
}

func optionalPath(rest string) (map[string]string, bool) {
	if rest == "" {
		return map[string]string{}, true
	}
	return map[string]string{"path": rest}, true
}

func pathAndText(rest string) (map[string]string, bool) {
	path, text, ok := strings.Cut(rest, ":")
	path = strings.TrimSpace(path)
	return map[string]string{"path": path, "content": strings.TrimPrefix(text, " ")}, ok && path != ""
}

func pathOldNew(rest string) (map[string]string, bool) {
	path, change, _ := strings.Cut(rest, ":")
	before, after, ok := strings.Cut(change, "=>")
	path, before, after = strings.TrimSpace(path), strings.TrimSpace(before), strings.TrimSpace(after)
	return map[string]string{"path": path, "old": before, "new": after}, ok && path != "" && before != ""
}

// repertoireReply does what the message's lines command. If one of them is no
// command, none is carried out.
func repertoireReply(message string, tools []tool.Spec) (model.Reply, error) {
	var reply model.Reply
	var names []string
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		c, args, ok := readCommand(line)
		switch {
		case strings.EqualFold(strings.TrimRight(line, "?!."), "help"):
			return model.Reply{Text: help(tools)}, nil
		case !ok && c.usage != "":
			return model.Reply{Text: fmt.Sprintf("I can't read %q. It goes like this: %s", line, c.usage)}, nil
		case !ok:
			return model.Reply{Text: "I follow a script and know only a few commands. " + help(tools)}, nil
		case !offers(tools, c.tool):
			return model.Reply{Text: fmt.Sprintf("I can't do that here: this agent has no tool %s. %s", c.tool, help(tools))}, nil
		}
		if args == nil {
			return model.Reply{Text: fmt.Sprintf("I can't pass on %q: it is not valid UTF-8.", line)}, nil
		}
		reply.Calls = append(reply.Calls, model.Call{Name: c.tool, Args: args})
		names = append(names, c.tool)
	}
	if len(reply.Calls) == 0 {
		return model.Reply{Text: "I follow a script and know only a few commands. " + help(tools)}, nil
	}
	reply.Text = "Calling " + strings.Join(names, ", ") + "."
	return reply, nil
}

// readCommand finds the command that a line begins with. A command that was
// meant but is incomplete is returned without ok; arguments that are no text are
// nil.
func readCommand(line string) (command, tool.JSON, bool) {
	end := strings.IndexAny(line, ": \t")
	verb, rest := line, ""
	if end >= 0 {
		verb, rest = line[:end], strings.TrimSpace(strings.TrimLeft(line[end:], ": \t"))
	}
	if strings.EqualFold(verb, anyTool) {
		return toolAndArgs(rest)
	}
	for _, c := range commands {
		if strings.EqualFold(c.verb, verb) {
			values, ok := c.parse(rest)
			args, err := json.Marshal(values, json.Deterministic(true))
			if err != nil {
				args = nil
			}
			return c, args, ok
		}
	}
	return command{}, nil, false
}

func offers(tools []tool.Spec, name string) bool {
	for _, spec := range tools {
		if spec.Name == name {
			return true
		}
	}
	return false
}

// help lists the commands whose tools the agent has.
func help(tools []tool.Spec) string {
	var b strings.Builder
	known := map[string]bool{}
	for _, c := range commands {
		known[c.tool] = true
		if offers(tools, c.tool) {
			fmt.Fprintf(&b, "\n- %s (%s)", c.usage, c.what)
		}
	}
	var others []string
	for _, spec := range tools {
		if !known[spec.Name] {
			others = append(others, spec.Name)
		}
	}
	if len(others) > 0 {
		c := callCommand()
		fmt.Fprintf(&b, "\n- %s (%s: %s)", c.usage, c.what, strings.Join(others, ", "))
	}
	if b.Len() == 0 {
		return "This agent has none of the tools that I know how to use, so there is nothing to try here."
	}
	return "Try one of these, or several, one a line:" + b.String()
}
