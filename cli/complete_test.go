package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestWhatHasANameOrAListIsCompleted(t *testing.T) {
	t.Parallel()
	flags := []string{"agent", "role", "tool", "session", "format", "status", "risk", "outcome", "scope", "covers", "log-format", "log-level", "model"}
	args := []string{"AGENT", "ID", "GRANT", "TOKEN", "LOGIN", "[APPROVAL]"}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, flag := range flags {
			if f := c.LocalFlags().Lookup(flag); f == nil {
				continue
			}
			if _, completes := c.GetFlagCompletionFunc(flag); !completes {
				t.Errorf("%s does not complete --%s", c.CommandPath(), flag)
			}
		}
		words := strings.Fields(c.Use)
		named := slices.ContainsFunc(args, func(a string) bool { return len(words) > 1 && words[1] == a })
		if named && c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 {
			t.Errorf("%s does not complete %s", c.CommandPath(), words[1])
		}
		if c.HasParent() && !c.Parent().HasParent() && c.GroupID == "" {
			t.Errorf("%s is in no group of the help", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(Root())
}
