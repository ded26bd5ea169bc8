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
		"auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3", "auth/scope-from-www-authenticate",
		"auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined", "auth/scope-step-up", "auth/scope-retry-limit", "auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post",
		"auth/token-endpoint-auth-none", "auth/pre-registration", "auth/resource-mismatch", "auth/offline-access-scope", "auth/offline-access-not-supported",
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
