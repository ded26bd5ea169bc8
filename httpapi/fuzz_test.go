package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/httpapi"
)

// Whatever somebody sends who may only look, nothing is decided, and nothing
// that the gateway has to answer for goes wrong.
func FuzzWhoMayOnlyLookChangesNothing(f *testing.F) {
	g := openGate(f)
	asked := g.want(f, 201, "POST", "/api/approvals", deploy, g.program)
	viewer := g.loginAs(f, "eve", auth.Viewer)
	at := "/api/approvals/" + asked.ApprovalID
	f.Add("POST", at, "", `{"status":"approved"}`)
	f.Add("POST", at, "", `{"status":"denied","status":"approved"}`)
	f.Add("POST", "/api/sessions/"+asked.SessionID+"/messages", "", `{"text":"approve","seen":9}`)
	f.Add("POST", "/api/sessions/"+asked.SessionID+"/approve", "", `{"decision":"approve","seen":9}`)
	f.Add("GET", "/api/approvals", "status=pending&limit=0", "")
	f.Add("GET", "/api/sessions/"+asked.SessionID+"/events", "after=-1", "")
	f.Add("POST", "/api/policy/explain", "", `{"agentId":"external","toolName":"x","args":{"a":[1e999]}}`)
	f.Add("GET", "/api/0\x83", "", "")
	f.Add("PATCH", "/api/tokens/x", "", `{"roles":["admin"]}`)
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		address, err := url.Parse(path)
		if err != nil || address.Host != "" || !strings.HasPrefix(address.Path, "/") || strings.HasSuffix(address.Path, "/events") && !strings.Contains(address.Path, "sessions") {
			return // no address of ours, or a stream, which does not end
		}
		r, err := http.NewRequestWithContext(t.Context(), method, g.URL, strings.NewReader(body))
		if err != nil {
			return
		}
		r.URL.Path, r.URL.RawQuery, r.RequestURI = address.Path, query, ""
		r.Header.Set("Origin", g.URL)
		withCookie(r, viewer)
		w := httptest.NewRecorder()
		g.Config.Handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %s?%s %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
		if row, err := g.manager.Get(t.Context(), asked.ApprovalID); err != nil || row.Status != approval.Pending {
			t.Errorf("%s %s?%s %q: the request is %s, %v", method, path, query, body, row.Status, err)
		}
	})
}

// Only the exact host and origin come in.
func FuzzTheFenceTakesExactlyItsOwn(f *testing.F) {
	fence, err := auth.NewOriginCheck("https://gate.example", "http://127.0.0.1:8787")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("gate.example", "https://gate.example")
	f.Add("GATE.example", "https://gate.example.evil")
	f.Add("127.0.0.1:8787", "null")
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := &http.Request{Method: http.MethodPost, Host: host, Header: http.Header{"Origin": {origin}}}
		hosts, origins := []string{"gate.example", "127.0.0.1:8787"}, []string{"https://gate.example", "http://127.0.0.1:8787"}
		ours := slices.Contains(hosts, strings.ToLower(host)) && slices.Contains(origins, origin)
		if status, _ := fence.Refuse(r); (status == 0) != ours {
			t.Errorf("host %q, origin %q: %d", host, origin, status)
		}
	})
}

// What a client writes into X-Forwarded-For makes it nobody that a proxy has not
// seen: the address is the peer's, or one that stands there.
func FuzzTheAddressIsTheProxysOrOneThatItNames(f *testing.F) {
	f.Add("10.0.0.2", "203.0.113.1, 10.0.0.3")
	f.Add("192.0.2.1", "127.0.0.1")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		at, err := netip.ParseAddr(peer)
		if err != nil {
			return // a connection comes from an address
		}
		got := httpapi.AddressBehind(peer, forwarded, "10.0.0.0/24")
		if got == httpapi.AddressBehind(peer, "", "10.0.0.0/24") {
			return
		}
		if !netip.MustParsePrefix("10.0.0.0/24").Contains(at.Unmap()) {
			t.Errorf("%q is believed: %q", peer, got)
		}
		if _, err := netip.ParseAddr(got); err != nil {
			t.Errorf("%q is no address", got)
		}
	})
}
