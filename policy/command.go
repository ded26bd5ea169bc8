package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/cmdline"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/tool"
)

// commandArgs are the arguments of a call that hold what is run.
func commandArgs(spec tool.Spec, args map[string]any) []string {
	names := []string{spec.Command.Line, spec.Command.Argv}
	guessed := spec.Command == tool.CommandArgs{}
	if guessed {
		names = []string{"command", "cmd"}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		switch args[name].(type) {
		case nil:
			return true
		case string, []any:
			return false
		default:
			return guessed
		}
	})
}

// readLines are the command lines of a call. What is not as it should be is a
// line of which nothing is known.
func (c *call) readLines() []cmdline.Line {
	var lines []cmdline.Line
	spec, args := c.Spec, c.args
	guessed := spec.Command == tool.CommandArgs{}
	for _, name := range c.named {
		text, isText := args[name].(string)
		words, isList := texts(args[name])
		switch {
		case isText && (guessed || name == spec.Command.Line):
			lines = append(lines, c.read(name, text))
			if guessed {
				lines = append(lines, c.withArguments(text, args["args"])...)
			}
		case isList && (guessed || name == spec.Command.Argv):
			lines = append(lines, c.readArgv(name, words))
		default:
			lines = append(lines, unknownLine(fmt.Sprintf("the argument %s is no command", name)))
		}
	}
	return lines
}

// withArguments are the lines of a program whose arguments stand in a list
// beside it: run as they are, or put together for a shell.
func (c *call) withArguments(program string, list any) []cmdline.Line {
	if list == nil {
		return nil
	}
	words, ok := texts(list)
	if !ok {
		return []cmdline.Line{unknownLine("the argument args is no list of texts")}
	}
	words = append([]string{program}, words...)
	return []cmdline.Line{c.readArgv("", words), c.read("", strings.Join(words, " "))}
}

func unknownLine(why string) cmdline.Line { return cmdline.Line{Unknown: []string{why}} }

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
func (r *Compiled) forbids(c *call, part cmdline.Part) (cmdline.Answer, string) {
	answer, why := cmdline.Yes, ""
	if len(r.patterns) > 0 {
		answer = anyOf(r.patterns, func(p cmdline.Pattern) cmdline.Answer { return p.Match(part) })
		if answer == cmdline.Maybe && c.sure() {
			answer = cmdline.No
		}
		if answer == cmdline.Maybe {
			why = "what it runs is not all known"
			if len(part.Opaque) > 0 {
				why = part.Opaque[0]
			}
		}
	}
	if answer == cmdline.No || len(r.rule.Paths) == 0 {
		return answer, why
	}
	touched, of := c.touches(r.rule.Paths, part)
	if touched < answer {
		answer, why = touched, of
	}
	return answer, why
}

// forbidsCommand is forbids for all that a call runs.
func (r *Compiled) forbidsCommand(c *call) (cmdline.Answer, string) {
	best, why := cmdline.No, ""
	for _, line := range c.lines() {
		if len(line.Unknown) > 0 && best == cmdline.No {
			best, why = cmdline.Maybe, line.Unknown[0]
		}
		for _, part := range line.Parts {
			if answer, of := r.forbids(c, part); answer > best {
				best, why = answer, of
			}
		}
	}
	return best, why
}

// sure reports whether all is known of what the call runs: its lines are plain, their words are
// known, and no command is given code, or an option that may be more, which no allow rule
// names.
func (c *call) sure() bool {
	return !slices.ContainsFunc(c.readings, func(r reading) bool {
		return r.line.Unread != "" || slices.ContainsFunc(r.line.Parts, c.doubtful)
	})
}

func (c *call) doubtful(part *plain.Part) bool {
	if part.Builtin || len(part.Words) == 0 {
		return false
	}
	known := !part.More && !slices.ContainsFunc(part.Words, func(w plain.Word) bool { return !w.Known })
	odd := func(r programs.Role) bool { return r.Kind == programs.Code || r.Kind == programs.Unknown }
	if known && !slices.ContainsFunc(programs.Of(part).Roles, odd) && !(part.Input && programs.Of(part).RunsInput()) {
		return false
	}
	return !slices.ContainsFunc(c.rules.Rules, func(r *Compiled) bool {
		return Covers(r.rule.Tool, c.Request.ToolName) && slices.ContainsFunc(r.allows, func(p programs.Pattern) bool { return p.Covers(part).OK })
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
