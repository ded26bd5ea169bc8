package config_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/config"
)

func TestAnAgentsDigestChangesWithWhatIsSaidOfIt(t *testing.T) {
	const file = "gateway: {runWithin: 5m}\nmodels: {m: {provider: scripted}}\nagents:\n  a: {model: m, description: \"${NAME}\"}\n  b: {model: m}\n"
	digests := func(from, to, name string) (a, b string) {
		t.Helper()
		c, err := config.Parse("agents.yaml", []byte(strings.Replace(file, from, to, 1)), func(string) (string, bool) { return name, true })
		if err != nil {
			t.Fatal(err)
		}
		return c.Agents[0].Digest, c.Agents[1].Digest
	}
	a, b := digests("", "", "one")
	for name, c := range map[string]struct {
		from, to, name string
		a, b           bool // changes
	}{
		"nothing":                     {"", "", "one", false, false},
		"itself":                      {"a: {model: m,", "a: {model: m, maxTurns: 3,", "one", true, false},
		"what holds for all":          {"models:", "toolConfirmation: {timeout: 3m}\nmodels:", "one", true, true},
		"this gateway":                {"5m", "6m", "one", false, false},
		"an environment variable":     {"", "", "two", false, false},
		"the way in which it is said": {"b: {model: m}", "b:\n    model: \"m\"", "one", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if x, y := digests(c.from, c.to, c.name); (x != a) != c.a || (y != b) != c.b {
				t.Errorf("changed are a: %t, b: %t", x != a, y != b)
			}
		})
	}
}
