package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// commandArgs are the arguments of a call that hold what is run: those that are declared, and, with
// guess or if none are, those with the usual names.
func commandArgs(spec tool.Spec, args map[string]any, guess bool) (names []string) {
	for _, name := range []string{spec.Command.Line, spec.Command.Argv} {
		if name != "" && args[name] != nil {
			names = append(names, name)
		}
	}
	if !guess && spec.Command != (tool.CommandArgs{}) {
		return names
	}
	for _, name := range []string{"command", "cmd"} {
		switch args[name].(type) {
		case string, []any:
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// readLines reads the command lines of a call. What is not as it should be is a
// line of which nothing is known.
func (c *call) readLines() {
	spec, args := c.Spec, c.args
	for _, name := range c.named {
		text, isText := args[name].(string)
		words, isList := texts(args[name])
		guessed := name != spec.Command.Line && name != spec.Command.Argv
		switch {
		case isText && (guessed || name == spec.Command.Line):
			c.read(name, text)
			if guessed {
				c.withArguments(text, args["args"])
			}
		case isList && (guessed || name == spec.Command.Argv):
			c.readArgv(name, words)
		default:
			c.notRead(fmt.Sprintf("the argument %s is no command", name))
		}
	}
}

// withArguments reads a program whose arguments stand in a list beside it: run
// as they are, or put together for a shell.
func (c *call) withArguments(program string, list any) {
	if list == nil {
		return
	}
	words, ok := texts(list)
	if !ok {
		c.notRead("the argument args is no list of texts")
		return
	}
	words = append([]string{program}, words...)
	c.readArgv("", words)
	c.read("", strings.Join(words, " "))
}

func (c *call) notRead(why string) {
	c.readings = append(c.readings, reading{lineRead: lineOf(&plain.Line{Unread: why}), unknown: why})
}

// texts is a value as a list of texts.
func texts(value any) ([]string, bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	words := make([]string, 0, len(list))
	for _, element := range list {
		text, ok := element.(string)
		if !ok {
			return nil, false
		}
		words = append(words, text)
	}
	return words, true
}

// commandNames are the arguments with which a tool of this spec runs commands;
// known is false where the spec leaves that open.
func commandNames(spec tool.Spec) (names []string, known bool) {
	if spec.Command != (tool.CommandArgs{}) {
		return slices.DeleteFunc([]string{spec.Command.Line, spec.Command.Argv}, func(n string) bool { return n == "" }), true
	}
	properties := readSchema(spec.Schema).properties()
	for _, name := range []string{"command", "cmd"} {
		if _, ok := properties[name]; ok {
			names = append(names, name)
		}
	}
	return names, len(properties) > 0
}

// forbids asks whether a part is one of those that a rule forbids or asks
// about, by its words and by its files.
func (r *Compiled) forbids(c *call, part *plain.Part) (programs.Answer, string) {
	answer, why := programs.Yes, ""
	if len(r.patterns) > 0 {
		answer = anyOf(r.patterns, func(p programs.Pattern) programs.Answer { return p.Forbids(part, c.about(part).use) })
		switch {
		case answer == programs.Maybe:
			why = "it may run it with its arguments"
		case answer == programs.No && c.doubtful(part):
			answer, why = programs.Maybe, "it is given code"
		}
	}
	if answer == programs.No || len(r.rule.Paths) == 0 {
		return answer, why
	}
	best := touch{}
	for _, folder := range r.rule.Paths {
		if t := c.touches(folder, part); t.answer > best.answer {
			best = t
		}
	}
	if best.answer == programs.No && c.doubtful(part) {
		best = touch{answer: programs.Maybe, why: "it is given code", vague: true}
	}
	if best.answer < answer {
		answer, why = best.answer, best.why
	}
	return answer, why
}

// forbidsCommand is forbids for all that a call runs.
func (r *Compiled) forbidsCommand(c *call) (programs.Answer, string) {
	best, why := programs.No, ""
	for _, line := range c.lines() {
		if line.unknown != "" && best == programs.No {
			best, why = programs.Maybe, line.unknown
		}
		for _, part := range line.line.Parts {
			if answer, of := r.forbids(c, part); answer > best {
				best, why = answer, of
			}
		}
	}
	return best, why
}

// doubtful reports whether a part receives code that no allow rule names.
func (c *call) doubtful(part *plain.Part) bool {
	return c.about(part).doubt && !slices.ContainsFunc(c.rules.Rules, func(r *Compiled) bool {
		return r.rule.Effect == Allow && Covers(r.rule.Tool, c.Request.ToolName) &&
			slices.ContainsFunc(r.patterns, func(p programs.Pattern) bool { return p.Covers(part).OK })
	})
}

// quoted is a command for a trace.
func quoted(source string) string {
	const longest = 120
	text := strings.Join(strings.Fields(source), " ")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	if strings.ContainsRune(text, '`') {
		line, err := jsontext.AppendQuote(nil, text)
		if err == nil {
			return string(line)
		}
	}
	return "`" + text + "`"
}
