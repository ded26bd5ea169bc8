package httpapi_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

func TestWhoSendsTooMuchIsToldToWaitAndOthersAreServed(t *testing.T) {
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	secret := keys.Local(auth.Identity{Subject: "root", Roles: []auth.Role{auth.Admin}})
	synctest.Test(t, func(t *testing.T) {
		handler := httpapi.New(httpapi.Backend{
			Keyring: keys, Origins: fence, Limits: httpapi.Limits{AddressRate: 2, IdentityRate: 1},
		}).Handler()
		send := func(host, from, bearer string) int {
			r := httptest.NewRequest("GET", "http://"+host+"/api/me", nil)
			r.RemoteAddr = from + ":1234"
			if bearer != "" {
				r.Header.Set("Authorization", "Bearer "+bearer)
			}
			w := httptest.NewRecorder()
			began := time.Now()
			handler.ServeHTTP(w, r)
			refused := w.Code == http.StatusTooManyRequests
			if refused && w.Header().Get("Retry-After") == "" {
				t.Error("it is not said when to try again")
			}
			if waited := time.Since(began) >= time.Second; waited != refused {
				t.Errorf("%d was told after %s", w.Code, time.Since(began))
			}
			return w.Code
		}
		// refused is how many of n that come at once are told to wait.
		refused := func(n int, host, from, bearer string) (told int64) {
			var all sync.WaitGroup
			var count atomic.Int64
			for range n {
				all.Go(func() {
					if send(host, from, bearer) == http.StatusTooManyRequests {
						count.Add(1)
					}
				})
			}
			all.Wait()
			return count.Load()
		}
		if n := refused(20, "gate.example", "127.0.0.1", ""); n != 10 { // also from this machine
			t.Errorf("one address: %d", n)
		}
		if got := send("gate.example", "192.0.2.1", secret); got != http.StatusOK {
			t.Errorf("somebody else meanwhile: %d", got)
		}
		if n := refused(10, "gate.example", "192.0.2.2", secret); n != 6 { // one was used above
			t.Errorf("one token: %d", n)
		}
		if n := refused(20, "gate.example", "192.0.2.3", "lct_guess"); n != 10 {
			t.Errorf("guesses: %d", n)
		}
		if n := refused(20, "other.example", "192.0.2.4", ""); n != 10 {
			t.Errorf("another host: %d", n)
		}
	})
}

// A crowd of strangers at the same address doesn't shut out who has logged in, from the
// routes that are open to all either.
func TestWhoHasLoggedInIsServedWhereStrangersCrowd(t *testing.T) {
	g := openGate(t)
	fence, err := auth.NewOriginCheck(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		handler := httpapi.New(httpapi.Backend{
			Keyring: g.keyring, Origins: fence, Tickets: auth.NewOneTime(auth.TicketSecret, time.Minute),
			WebSocket: http.NotFoundHandler(), Dashboard: http.NotFoundHandler(), Limits: httpapi.Limits{AddressRate: 1, IdentityRate: 1},
		}).Handler()
		send := func(path string, header http.Header) int {
			r := httptest.NewRequestWithContext(t.Context(), "GET", g.URL+path, nil)
			r.Header = header
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w.Code
		}
		for range 5 {
			send("/healthz", http.Header{})
		}
		known := []http.Header{{"Cookie": {g.person}}, {"Authorization": {"Bearer " + g.doors.token}}}
		for _, path := range []string{"/", "/ws", "/api/login/challenge"} {
			for _, header := range known {
				if got := send(path, header); got == http.StatusTooManyRequests {
					t.Errorf("%s by one who has logged in: %d", path, got)
				}
			}
		}
		if got := send("/", http.Header{"Cookie": {"lineclear_login_x=y"}}); got != http.StatusTooManyRequests {
			t.Errorf("a stranger: %d", got)
		}
		refused := false
		for range 10 {
			refused = send("/", known[0]) == http.StatusTooManyRequests || refused
		}
		if !refused {
			t.Error("one who asks too much is served all the same")
		}
	})
}

func TestOnlyTrustedProxiesSayForWhomTheyAsk(t *testing.T) {
	for name, c := range map[string]struct{ peer, forwarded, want string }{
		"no proxy":             {"192.0.2.9", "203.0.113.1", "192.0.2.9"},
		"a proxy":              {"10.0.0.2", "203.0.113.1", "203.0.113.1"},
		"two proxies":          {"10.0.0.2", "203.0.113.1, 10.0.0.3", "203.0.113.1"},
		"what a client claims": {"10.0.0.2", "127.0.0.1, 203.0.113.1", "203.0.113.1"},
		"nonsense":             {"10.0.0.2", "nobody", "10.0.0.2"},
		"nothing":              {"10.0.0.2", "", "10.0.0.2"},
		"a mapped address":     {"::ffff:10.0.0.2", "203.0.113.1", "203.0.113.1"},
	} {
		if got := httpapi.AddressBehind(c.peer, c.forwarded, "10.0.0.0/24"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The streams of a login that has many open get every event, in order, as all others do.
func TestEachOfManyStreamsGetsEverything(t *testing.T) {
	g := openGate(t)
	var streams []*bufio.Scanner
	for range 20 {
		streams = append(streams, g.watch(t, g.doors.token))
	}
	var want []string
	for range 3 {
		_, text := g.bearer(t, "POST", "/api/approvals", deploy, g.doors.token)
		var row struct {
			ApprovalID string `json:"approvalId"`
		}
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Fatal(err, text)
		}
		want = append(want, row.ApprovalID)
	}
	id := regexp.MustCompile(`"approvalId":"([^"]+)"`)
	for _, lines := range streams {
		var got []string
		for len(got) < len(want) && lines.Scan() {
			if lines.Text() == "event: approvalRequest" && lines.Scan() {
				got = append(got, id.FindStringSubmatch(lines.Text())[1])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}
