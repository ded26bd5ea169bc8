package config_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/store"
)

func TestRetentionIsOffUnlessTheFileSaysOtherwise(t *testing.T) {
	for text, want := range map[string]store.Retention{
		"": {},
		"gateway: {retention: {sessions: 48h, requests: 24h, audit: 720h, auditExports: out}}\n": {
			Sessions: 48 * time.Hour, Requests: 24 * time.Hour, Audit: 720 * time.Hour, Exports: filepath.Join("/", "conf", "out"),
		},
	} {
		c, err := config.Parse("/conf/agents.yaml", []byte(text+begin+"  a: {model: m}\n"), func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, c.Gateway.Retention); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAnAgeThatIsTooShortOrPointlessIsAFault(t *testing.T) {
	tellsOf(t, []faulty{
		{"too short", "gateway: {retention: {audit: 1h}}\n" + begin + "  a: {model: m}\n", `1:30: gateway.retention.audit: "1h" is too short: want at least 24h`},
		{"requests beyond their session", "gateway: {retention: {sessions: 24h, requests: 48h}}\n" + begin + "  a: {model: m}\n", `1:48: gateway.retention.requests: "48h" is longer than sessions, and requests go with their session`},
	})
}
