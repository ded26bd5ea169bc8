package gateway_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
)

func TestTheSettingsOfCodingAgentsAreAskedAboutForEveryAgent(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	c, err := config.Load("../agents.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules := gateway.Rules(c)
	if len(rules) == 0 {
		t.Fatal("there are no agents")
	}
	for id, r := range rules {
		if !slices.Contains(r.Protected.Ask, filepath.Join(home, ".gemini/trustedFolders.json")) || !slices.Contains(r.Protected.Endings, ".claude/settings.local.json") {
			t.Errorf("%s: %+v", id, r.Protected)
		}
	}
}
