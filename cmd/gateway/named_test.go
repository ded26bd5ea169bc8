package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/cli"
)

// Also of what can't be run here: the verbs and flags have to be there.
func TestEveryVerbAndFlagThatTheDocumentsNameIsThere(t *testing.T) {
	docs, lines := readDocuments(t), map[string][]string{}
	for _, f := range docs.blocks {
		lines[f.doc] = append(lines[f.doc], "")
		if f.language == "sh" {
			lines[f.doc] = append(lines[f.doc], commands(f.text)...)
		}
	}
	for doc := range lines {
		raw, err := os.ReadFile("../../" + doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`((?:sudo -u \\w+ |\\./bin/)?gateway [^`]+)`").FindAllStringSubmatch(string(raw), -1) {
			lines[doc] = append(lines[doc], m[1])
		}
	}
	quoted := regexp.MustCompile(`'[^']*'|"[^"]*"| #.*`)
	form, found := regexp.MustCompile(`(?:^|[\s(/])gateway ([a-z][^|&;]*)`), 0
	for doc, all := range lines {
		for _, line := range all {
			for _, call := range form.FindAllStringSubmatch(quoted.ReplaceAllString(line, " QUOTED"), -1) {
				if found++; named(call[1]) != "" {
					t.Errorf("%s: gateway %s: %s", doc, call[1], named(call[1]))
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d were found", found)
	}
	for _, wrong := range []string{"backups FILE", "approvals lst", "backup FILE --out x", "run demo x -z"} {
		if named(wrong) == "" {
			t.Errorf("gateway %s is taken", wrong)
		}
	}
}

// named says what of a command line is not there.
func named(call string) string {
	root := cli.Root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	words := strings.Fields(call)
	c, rest, err := root.Find(words)
	if err != nil {
		return err.Error()
	}
	if c.HasSubCommands() && len(rest) > 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(rest[0]) {
		return "it has no " + rest[0]
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	for _, word := range words {
		if word == "--" {
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			continue
		}
		if name, _, _ := strings.Cut(strings.TrimRight(strings.TrimLeft(word, "-"), ",).:"), "="); !knows(c, word, name) {
			return "it has no " + word
		}
	}
	return ""
}

func knows(c *cobra.Command, word, name string) bool {
	if strings.HasPrefix(word, "--") {
		return c.Flag(name) != nil
	}
	return len(name) == 1 && (c.Flags().ShorthandLookup(name) != nil || c.InheritedFlags().ShorthandLookup(name) != nil)
}
