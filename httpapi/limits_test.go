package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

// clocked notes how long a request's body may take.
type clocked struct {
	*httptest.ResponseRecorder
	body time.Duration
}

func (c *clocked) SetReadDeadline(at time.Time) error {
	c.body = time.Until(at).Round(time.Second)
	return nil
}

func TestAStrangerHasLittleTimeForABody(t *testing.T) {
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	secret := keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
	handler := httpapi.New(httpapi.Backend{Keyring: keys, Origins: fence, Links: auth.NewOneTime(auth.LinkSecret, time.Minute)}).Handler()
	for path, c := range map[string]struct {
		bearer string
		want   time.Duration
	}{
		"/api/login":  {"", time.Second},
		"/api/tokens": {"", time.Second},
		"/api/links":  {secret, 30 * time.Second},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://gate.example"+path, strings.NewReader("{}"))
		r.Header.Set("Origin", "http://gate.example")
		if c.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+c.bearer)
		}
		w := &clocked{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, r)
		if w.body != c.want {
			t.Errorf("%s: %s, want %s (%d)", path, w.body, c.want, w.Code)
		}
	}
}

func TestANetworkOfIPv6IsOneClient(t *testing.T) {
	for forwarded, want := range map[string]string{
		"2001:db8::1":               "2001:db8::",
		"2001:db8:0:0:ffff::1":      "2001:db8::",
		"[2001:db8:0:1::1]:4711":    "2001:db8:0:1::",
		"203.0.113.9:4711":          "203.0.113.9",
		"203.0.113.9":               "203.0.113.9",
		"203.0.113.9, 2001:db8::99": "2001:db8::",
	} {
		if got := httpapi.AddressBehind("10.0.0.2", forwarded, "10.0.0.0/24"); got != want {
			t.Errorf("%s: %s, want %s", forwarded, got, want)
		}
	}
}
