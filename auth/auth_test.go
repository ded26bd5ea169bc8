package auth_test

import (
	"errors"
	"net/http/httptest"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

func TestWhatEachRoleMay(t *testing.T) {
	all := []auth.Right{auth.See, auth.Answer, auth.Talk, auth.Manage, auth.Ask}
	for name, c := range map[string]struct {
		roles []auth.Role
		may   []auth.Right
	}{
		"nobody":                {nil, nil},
		"an unknown role":       {[]auth.Role{"root"}, nil},
		"a viewer":              {[]auth.Role{auth.Viewer}, []auth.Right{auth.See}},
		"an approver":           {[]auth.Role{auth.Approver}, []auth.Right{auth.See, auth.Answer}},
		"an operator":           {[]auth.Role{auth.Operator}, []auth.Right{auth.See, auth.Talk, auth.Ask}},
		"both":                  {[]auth.Role{auth.Operator, auth.Approver}, []auth.Right{auth.See, auth.Answer, auth.Talk, auth.Ask}},
		"an admin":              {[]auth.Role{auth.Admin}, []auth.Right{auth.See, auth.Answer, auth.Talk, auth.Manage, auth.Ask}},
		"an agent":              {[]auth.Role{auth.Agent}, []auth.Right{auth.Ask}},
		"an agent that is more": {[]auth.Role{auth.Admin, auth.Agent}, []auth.Right{auth.Ask}},
	} {
		t.Run(name, func(t *testing.T) {
			id := auth.Identity{Subject: "x", Roles: c.roles}
			allowed := map[auth.Right]bool{}
			for _, r := range c.may {
				allowed[r] = true
			}
			for _, r := range append(all, 0, -1, 99) {
				if id.May(r) != allowed[r] {
					t.Errorf("right %d: %v", r, id.May(r))
				}
			}
		})
	}
}

func TestASecretWorksOnceAndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := auth.NewOneTime(auth.LinkSecret, 30*time.Second)
		who := auth.Identity{Subject: "ada"}
		secret, late := issue(t, o, who), issue(t, o, who)
		if got, err := o.Redeem(t.Context(), secret); err != nil || got.Subject != "ada" {
			t.Errorf("first: %+v, %v", got, err)
		}
		if _, err := o.Redeem(t.Context(), secret); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("again: %v", err)
		}
		time.Sleep(30 * time.Second) // the bubble's clock
		if _, err := o.Redeem(t.Context(), late); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("late: %v", err)
		}
		if _, err := o.Redeem(t.Context(), ""); !errors.Is(err, auth.ErrUnknown) {
			t.Errorf("empty: %v", err)
		}
	})
}

func TestTheFenceTakesOurOwnPagesOnly(t *testing.T) {
	fence, err := auth.NewOriginCheck(auth.LoopbackOrigins(netip.MustParseAddrPort("127.0.0.2:8787"))...)
	if err != nil {
		t.Fatal(err)
	}
	const ours = "http://127.0.0.1:8787"
	for name, c := range map[string]struct {
		method, host string
		origin       []string
		upgrade      bool
		want         int
		bearer       string
	}{
		"an address typed in":           {"GET", "127.0.0.1:8787", nil, false, 0, ""},
		"our page":                      {"POST", "127.0.0.1:8787", []string{ours}, false, 0, ""},
		"the address listened on":       {"POST", "127.0.0.2:8787", []string{"http://127.0.0.2:8787"}, false, 0, ""},
		"our page by another name":      {"POST", "localhost:8787", []string{"http://localhost:8787"}, false, 0, ""},
		"our WebSocket":                 {"GET", "127.0.0.1:8787", []string{ours}, true, 0, ""},
		"a rebound host name":           {"GET", "evil.example:8787", nil, false, 421, ""},
		"another port as host":          {"GET", "127.0.0.1:80", nil, false, 421, ""},
		"no host":                       {"GET", "", nil, false, 421, ""},
		"no origin on a post":           {"POST", "127.0.0.1:8787", nil, false, 403, ""},
		"no origin on a WebSocket":      {"GET", "127.0.0.1:8787", nil, true, 403, ""},
		"the null origin":               {"POST", "127.0.0.1:8787", []string{"null"}, false, 403, ""},
		"a foreign origin":              {"POST", "127.0.0.1:8787", []string{"http://evil.example"}, false, 403, ""},
		"a foreign origin on a get":     {"GET", "127.0.0.1:8787", []string{"http://evil.example"}, false, 403, ""},
		"ours as a prefix":              {"POST", "127.0.0.1:8787", []string{ours + ".evil.example"}, false, 403, ""},
		"ours with another scheme":      {"POST", "127.0.0.1:8787", []string{"https://127.0.0.1:8787"}, false, 403, ""},
		"another port":                  {"POST", "127.0.0.1:8787", []string{"http://127.0.0.1:9999"}, false, 403, ""},
		"two origins, one of them ours": {"POST", "127.0.0.1:8787", []string{ours, "http://evil.example"}, false, 403, ""},
		"a program with a token":        {method: "POST", host: "127.0.0.1:8787", bearer: "Bearer lct_x"},
		"a token and a foreign origin":  {"POST", "127.0.0.1:8787", []string{"http://evil.example"}, false, 403, "Bearer lct_x"},
		"a token on a WebSocket":        {"GET", "127.0.0.1:8787", nil, true, 403, "Bearer lct_x"},
		"another kind of authorization": {"POST", "127.0.0.1:8787", nil, false, 403, "Basic YTpi"},
		"two in one header":             {"POST", "127.0.0.1:8787", []string{ours + " http://evil.example"}, false, 403, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/", nil)
			r.Host = c.host
			r.Header.Set("Authorization", c.bearer)
			for _, o := range c.origin {
				r.Header.Add("Origin", o)
			}
			if c.upgrade {
				r.Header.Set("Upgrade", "websocket")
			}
			if got, _ := fence.Refuse(r); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestOriginsAreReadExactly(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:8787", "http://", "http://a/b", "ftp://a", "http://user@a", "http://a?b"} {
		if _, err := auth.NewOriginCheck(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// issue makes a link or a ticket.
func issue(t testing.TB, o *auth.OneTime, who auth.Identity) string {
	t.Helper()
	secret, err := o.Issue(t.Context(), who)
	if err != nil {
		t.Error(err)
	}
	return secret
}
