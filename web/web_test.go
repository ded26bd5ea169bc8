package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/web"
)

func get(t *testing.T, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	web.Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// The page is the built one, or says how to build it; both must hold here.
func TestThePageComesWithAFreshNonceEachTime(t *testing.T) {
	nonce := regexp.MustCompile(`style-src 'self' 'nonce-([^']+)'`)
	seen := map[string]bool{}
	for _, path := range []string{"/", "/index.html", "/approvals", "/requests/0193", "/sessions", "/sessions/x", "/new/demo", "/terminal/AB-CD", "/history", "/../"} {
		w := get(t, http.MethodGet, path)
		m := nonce.FindStringSubmatch(w.Header().Get("Content-Security-Policy"))
		if w.Code != 200 || m == nil || seen[m[1]] {
			t.Fatalf("%s: %d, %q", path, w.Code, w.Header())
		}
		seen[m[1]] = true
		body := w.Body.String()
		if !strings.Contains(body, "Lineclear") || strings.Contains(body, "__CSP_NONCE__") {
			t.Errorf("%s: %s", path, body)
		}
		if strings.Contains(body, `csp-nonce`) && !strings.Contains(body, m[1]) {
			t.Errorf("%s: the page has another nonce than the header", path)
		}
	}
}

func TestWhatThereIsNotIsNotFound(t *testing.T) {
	for _, path := range []string{"/.git/config", "/debug/pprof/", "/nope", "/history/x", "/sessions/x/y", "/requests/x.js/y", "/request", "/../../etc/passwd", "/assets/", "/assets"} {
		if w := get(t, http.MethodGet, path); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "csp-nonce") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestTheDashboardIsOnlyRead(t *testing.T) {
	if w := get(t, http.MethodPost, "/"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("got %d", w.Code)
	}
}
