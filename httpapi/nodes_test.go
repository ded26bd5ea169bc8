package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/session"
)

func TestTheGatewaysOfAClusterAreListedForWhoMaySeeEverything(t *testing.T) {
	began := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	list := []session.Node{
		{Name: "one", Here: true, State: session.NodeWorks, Since: began, Version: "v1", Sessions: 3, Behind: 2,
			Differs: []session.Differing{{AgentID: "demo", Digest: "sha256:1", Counts: "sha256:2"}}},
		{Name: "two", State: session.NodeGone, Since: began, Silent: 90},
	}
	w := watch(t, func(b *httpapi.Backend) {
		b.Nodes = func(context.Context) ([]session.Node, error) { return list, nil }
	})
	const told = `{"nodes":[{"name":"one","here":true,"state":"works","since":"2026-11-28T09:00:00Z","version":"v1","sessions":3,"behind":2,"silentSeconds":0,"differs":[{"agentId":"demo","digest":"sha256:1","counts":"sha256:2"}]},` +
		`{"name":"two","state":"gone","since":"2026-11-28T09:00:00Z","sessions":0,"behind":0,"silentSeconds":90}]}`
	for name, c := range map[string]struct {
		roles  []auth.Role
		agents []string
		status int
		body   string
	}{
		"a viewer":                    {[]auth.Role{auth.Viewer}, nil, http.StatusOK, told},
		"an agent":                    {[]auth.Role{auth.Agent}, nil, http.StatusForbidden, ""},
		"a viewer of one agent alone": {[]auth.Role{auth.Viewer}, []string{"demo"}, http.StatusForbidden, ""},
	} {
		_, secret, err := w.backend.Keyring.NewToken(t.Context(), auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}},
			auth.Access{Name: name, Roles: c.roles, Agents: c.agents})
		if err != nil {
			t.Fatal(err)
		}
		got := w.ask("GET", "/api/nodes", "", "Authorization", "Bearer "+secret)
		if got.Code != c.status {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
		if diff := cmp.Diff(c.body, got.Body.String()); c.body != "" && diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := w.ask("GET", "/api/nodes", ""); got.Code != http.StatusUnauthorized {
		t.Errorf("a stranger: %d", got.Code)
	}
}

func TestAGatewayAloneListsNoneAndSaysSoToWhoLogsIn(t *testing.T) {
	d := open(t, house{})
	viewer := d.login(t, auth.Viewer)
	if response, body := d.ask(t, "GET", "/api/nodes", "", viewer); response.StatusCode != http.StatusOK || body != `{"nodes":[]}` {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	of := func(nodes func(context.Context) ([]session.Node, error)) bool {
		w := watch(t, func(b *httpapi.Backend) { b.Nodes = nodes })
		return strings.Contains(w.ask("GET", "/api/me", "", "Authorization", "Bearer "+w.token).Body.String(), `"cluster":true`)
	}
	if of(nil) || !of(func(context.Context) ([]session.Node, error) { return nil, nil }) {
		t.Error("whether there is a cluster is not what it says")
	}
}
