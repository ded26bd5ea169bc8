package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/httpapi"
	"github.com/lineclear/lineclear/internal/mask"
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

// limited is a server with an explanation that takes time, and tokens of two people.
func limited(t *testing.T, written int, explain func(context.Context) error) (send func(path, body, bearer string) int, a, b string) {
	t.Helper()
	fence, err := auth.NewOriginCheck("http://gate.example")
	if err != nil {
		t.Fatal(err)
	}
	keys := keyring(t, &auth.Memory{})
	token := func(name string) string {
		_, secret, err := keys.NewToken(t.Context(), auth.Identity{Roles: []auth.Role{auth.Admin}}, auth.Access{Name: name, Roles: []auth.Role{auth.Approver}})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	secrets, err := mask.NewSecrets(mask.SecretOptions{})
	if err != nil {
		t.Fatal(err)
	}
	handler := httpapi.New(httpapi.Backend{
		Keyring: keys, Origins: fence, Places: auth.NewPlaces(0, written), Door: door.New(door.Backend{Secrets: secrets}, approval.ViaREST),
		Explain: func(ctx context.Context, _ httpapi.TriedCall) (e httpapi.Explained, err error) {
			return e, explain(ctx)
		},
		Tried: func(httpapi.TriedCall) (r approval.Request, err error) { return r, approval.ErrInvalid },
	}).Handler()
	return func(path, body, bearer string) int {
		r := httptest.NewRequest(http.MethodPost, "http://gate.example"+path, strings.NewReader(body))
		r.Header.Set("Origin", "http://gate.example")
		r.Header.Set("Authorization", "Bearer "+bearer)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}, token("a"), token("b")
}

const question = `{"agentId":"demo","toolName":"shell","args":{}}`

func TestQuestionsThatTakeLongAreTakenFromTheTimeOfWhoAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send, a, b := limited(t, 0, func(context.Context) error { time.Sleep(time.Second); return nil })
		ask := func(bearer string) int { return send("/api/policy/explain", question, bearer) }
		for i := range 2 {
			if got := ask(a); got != http.StatusOK {
				t.Fatalf("question %d: %d", i, got)
			}
		}
		refused := 0
		for range 10 {
			if ask(a) == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused < 6 {
			t.Errorf("who has asked for long was refused %d times of 10", refused)
		}
		if got := ask(b); got != http.StatusOK {
			t.Errorf("somebody else: %d", got)
		}
		time.Sleep(time.Minute)
		if got := ask(a); got != http.StatusOK {
			t.Errorf("after a while: %d", got)
		}
	})
}

func TestAQuestionThatTakesTooLongIsEndedAndPaidFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send, a, b := limited(t, 0, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
		began := time.Now()
		if got := send("/api/policy/explain", question, a); got != http.StatusServiceUnavailable || time.Since(began) != 10*time.Second {
			t.Fatalf("it was ended with %d after %s", got, time.Since(began))
		}
		time.Sleep(30 * time.Second)
		if got := send("/api/policy/explain", question, a); got != http.StatusTooManyRequests {
			t.Errorf("who has asked for 10 seconds asks again after 30: %d", got)
		}
		if got := send("/api/policy/explain", question, b); got != http.StatusServiceUnavailable {
			t.Errorf("somebody else: %d", got)
		}
		time.Sleep(time.Minute)
		if got := send("/api/policy/explain", question, a); got != http.StatusServiceUnavailable {
			t.Errorf("after a while: %d", got)
		}
	})
}

func TestOneTokenMakesOnlySoMuchDurableInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send, a, b := limited(t, 400<<10, func(context.Context) error { return nil })
		long := `{"agentId":"demo","toolName":"shell","offer":"o","covers":"exact","args":{"text":"` + strings.Repeat("x", 40<<10) + `"}}`
		const taken = http.StatusUnprocessableEntity // and not what can be given
		for i, want := range []int{taken, taken, 429} {
			if got := send("/api/grants", long, a); got != want {
				t.Errorf("%d: %d, want %d", i, got, want)
			}
		}
		if got := send("/api/policy/explain", `{"agentId":"demo","toolName":"shell"}`, a); got != http.StatusOK {
			t.Errorf("what keeps nothing: %d", got)
		}
		if got := send("/api/grants", long, b); got != taken {
			t.Errorf("somebody else: %d", got)
		}
		time.Sleep(time.Hour)
		if got := send("/api/grants", long, a); got != taken {
			t.Errorf("in the next hour: %d", got)
		}
	})
}

func TestAListOfLongRequestsComesInPages(t *testing.T) {
	g := openGate(t)
	const n = 30
	for range n {
		g.want(t, 201, "POST", "/api/approvals", `{"toolName":"deploy","args":{"text":"`+strings.Repeat("x", 60_000)+`"}}`, g.program)
	}
	seen, pages, before := map[string]bool{}, 0, ""
	for {
		_, text := g.ask(t, "GET", "/api/approvals?limit=500&before="+before, "", g.person)
		var page struct {
			Approvals []struct {
				ApprovalID string `json:"approvalId"`
			} `json:"approvals"`
			Next string `json:"next"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(text) > 3<<20/2 {
			t.Fatalf("a page of %d bytes: %v", len(text), err)
		}
		pages++
		for _, a := range page.Approvals {
			seen[a.ApprovalID] = true
		}
		if before = page.Next; before == "" {
			break
		}
	}
	if len(seen) != n || pages < 2 {
		t.Errorf("%d of %d in %d pages", len(seen), n, pages)
	}
}
