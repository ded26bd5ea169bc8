package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/config"
)

func TestBrowsersAreCalledUnlessTheFileSaysNo(t *testing.T) {
	type says struct {
		On    bool
		Hosts []string
	}
	for gateway, want := range map[string]says{
		"{}":                     {On: true},
		"{push: on}":             {On: true},
		"{push: off}":            {},
		"{push: '${CALL:-off}'}": {},
		"{pushHosts: ['push.example.com:8443', '*.push.example.com', 10.0.0.9]}": {true, []string{"push.example.com:8443", "*.push.example.com", "10.0.0.9"}},
	} {
		c, err := config.Parse("agents.yaml", []byte("gateway: "+gateway+"\n"+most), lookup(nil))
		if err != nil {
			t.Errorf("%s: %v", gateway, err)
			continue
		}
		if diff := cmp.Diff(want, says{c.Gateway.Push, c.Gateway.PushHosts}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", gateway, diff)
		}
	}
	if (config.Gateway{}).Push {
		t.Error("the zero gateway calls browsers")
	}
}

func TestHostsOfPushServicesAreHosts(t *testing.T) {
	const remedy = `: write push.example.com, push.example.com:8443 or *.push.example.com`
	tellsOf(t, []faulty{
		{"a word that is not valid", "gateway: {push: maybe}\n" + begin + "  a: {model: m}\n", `1:17: gateway.push: "maybe" is not known (allowed: on, off)`},
		{"an address", "gateway: {pushHosts: ['https://push.example.com']}\n" + begin + "  a: {model: m}\n", `1:23: gateway.pushHosts[0]: "https://push.example.com" is no host` + remedy},
		{"a star in the middle", "gateway: {pushHosts: [a, 'push.*.com']}\n" + begin + "  a: {model: m}\n", `1:26: gateway.pushHosts[1]: "push.*.com" is no host` + remedy},
		{"a star alone", "gateway: {pushHosts: ['*']}\n" + begin + "  a: {model: m}\n", `1:23: gateway.pushHosts[0]: "*" is no host` + remedy},
	})
}
