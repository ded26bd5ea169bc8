package httpapi_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

// Whoever has stored all that it may in an hour can still deny, withdraw and halt.
func TestANoNeedsNoBudget(t *testing.T) {
	g := openGate(t)
	waiting := []string{g.keyed(t, "one", g.program), g.keyed(t, "two", g.program)}
	closing, cancel := context.WithCancel(t.Context())
	cancel() // a 429 is delayed until the gateway closes
	poor := &doors{Server: httptest.NewUnstartedServer(nil), keyring: g.keyring}
	fence, err := auth.NewOriginCheck("http://" + poor.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b := g.api.Backend
	b.Origins, b.Closing, b.Places = fence, closing, auth.NewPlaces(0, 4)
	poor.Config.Handler = httpapi.New(b).Handler()
	poor.start(t)
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"/api/approvals", deploy, 429},
		{"/api/approvals/" + waiting[0], `{"status":"denied"}`, 200},
		{"/api/approvals/" + waiting[1] + "/cancel", `{}`, 200},
		{"/api/approvals/cancel", `{"all":true}`, 200},
		{"/api/halts", `{"all":true}`, 200},
		{"/api/links", `{"subject":"ada","roles":["viewer"]}`, 429},
	} {
		if status, text := poor.bearer(t, "POST", c.path, c.body, g.doors.token); status != c.want {
			t.Errorf("%s: %d %s, want %d", c.path, status, text, c.want)
		}
	}
}
