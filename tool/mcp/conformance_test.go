//go:build conformance

package mcp_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// conformanceFolder is where make conformance installs the official suite, and the
// Node that it needs.
const conformanceFolder = "../../mcpgate/clients/node_modules/"

// TestTheOfficialSuiteFindsNothing has the official suite's servers look at us as
// their client; see beClient.
func TestTheOfficialSuiteFindsNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{
		"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "auth/client-credentials-basic",
	} {
		t.Run(scenario, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), conformanceFolder+".bin/node", conformanceFolder+"@modelcontextprotocol/conformance/dist/index.js",
				"client", "--scenario", scenario, "--command", self)
			c.Env = append(os.Environ(), kindVariable+"=client")
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "OVERALL: PASSED") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
