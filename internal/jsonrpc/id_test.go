package jsonrpc_test

import (
	"testing"

	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/tool"
)

func TestAnIDIsNamedByItsValue(t *testing.T) {
	for _, same := range [][]string{
		{"7", "7.0", "70e-1", "0.7E+1", " 7"}, {"100", "1e2", "1.00e2"}, {"0", "-0", "0.0e9"}, {"-3", "-3.0"},
		{`"a"`, `"\u0061"`}, {"1764488480123456789", "1764488480123456789.0"},
	} {
		for _, id := range same {
			if got, want := jsonrpc.Key(tool.JSON(id)), jsonrpc.Key(tool.JSON(same[0])); got != want {
				t.Errorf("%s is %s, not %s", id, got, want)
			}
		}
	}
	seen := map[string]string{}
	for _, id := range []string{"1", `"1"`, "10", "-1", "0.1", "1764488480123456789", "1764488480123456790", "1e99999999999", "2e99999999999", "null", ""} {
		name := jsonrpc.Key(tool.JSON(id))
		if other, is := seen[name]; is {
			t.Errorf("%s and %s are both %s", id, other, name)
		}
		seen[name] = id
	}
}
