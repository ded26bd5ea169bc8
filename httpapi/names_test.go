package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestNamesThatCouldMisleadAreRefusedWithWhatWouldDo(t *testing.T) {
	g := openGate(t)
	body := func(of map[string]any) string {
		raw, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct {
		method, path, body, cookie, says string
	}{
		{"POST", "/api/approvals", body(map[string]any{"toolName": "t\u001b[2J"}), g.program, "toolName"},
		{"POST", "/api/approvals", body(map[string]any{"toolName": "дерloy"}), g.program, "toolName"},
		{"POST", "/api/approvals", body(map[string]any{"toolName": "deploy", "client": "a\u202eb"}), g.program, "client"},
		{"POST", "/api/sessions", body(map[string]any{"agentId": "demo", "title": "a\u200bb"}), g.person, "title"},
		{"POST", "/api/sessions", body(map[string]any{"agentId": "demo", "title": "a\nb"}), g.person, "title"},
		{"POST", "/api/tokens", body(map[string]any{"name": "оwner", "roles": []string{"viewer"}}), g.admin(t), "name"},
		{"POST", "/api/links", body(map[string]any{"subject": "owner", "roles": []string{"viewer"}}), g.admin(t), "owner"},
		{"POST", "/api/links", body(map[string]any{"subject": "owner\u3164", "roles": []string{"viewer"}}), g.admin(t), "U+3164"},
		{"POST", "/api/links", body(map[string]any{"subject": "ada\uffa0", "roles": []string{"viewer"}}), g.admin(t), "U+FFA0"},
		{"POST", "/api/links", body(map[string]any{"subject": "ada  x", "roles": []string{"viewer"}}), g.admin(t), "two spaces"},
		{"POST", "/api/links", body(map[string]any{"subject": "R00t", "roles": []string{"viewer"}}), g.admin(t), "root"},
	} {
		response, text := g.ask(t, c.method, c.path, c.body, c.cookie)
		if response.StatusCode != 422 || !strings.Contains(text, c.says) || strings.ContainsAny(text, "\u202e\u200b\u001b") {
			t.Errorf("%s %s: %d %s", c.path, c.body, response.StatusCode, text)
		}
	}
}

func TestAKeyOfACallIsVisible(t *testing.T) {
	g := openGate(t)
	for _, key := range []string{"a b", "a\u202eb", strings.Repeat("x", 256)} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", g.URL+"/api/approvals", strings.NewReader(`{"toolName":"deploy","args":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer " + g.doors.token}, "Content-Type": {"application/json"}, "Origin": {g.URL}, "Idempotency-Key": {key}}
		response, err := g.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", key, response.StatusCode)
		}
	}
}

// What is known of a request is found once and stands in it, at every door.
func TestARequestSaysWhatInItIsNotWhatItLooksLike(t *testing.T) {
	g := openGate(t)
	asked := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"curl","args":{"url":"https://раypal.com/\u202e"},"message":"plain"}`, g.program)
	for _, path := range []string{"/api/approvals/" + asked.ApprovalID, "/api/approvals?status=pending"} {
		_, text := g.ask(t, "GET", path, "", g.person)
		if !strings.Contains(text, `"misleading":["раypal`) || !strings.Contains(text, "U+0440") || !strings.Contains(text, "invisible U+202E") {
			t.Errorf("%s: %s", path, text)
		}
	}
	plain := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"curl","args":{"url":"https://例え.jp/","n":"naïve"}}`, g.program)
	if _, text := g.ask(t, "GET", "/api/approvals/"+plain.ApprovalID, "", g.person); strings.Contains(text, "misleading") {
		t.Errorf("of one script: %s", text)
	}
}

// A secret is taken out of what is made of it, too: of reasons, and of what is misleading.
func TestASecretStandsInNothingThatIsMadeOfIt(t *testing.T) {
	g := openGate(t)
	const secret = "huntеrXYZ98" // with a letter of another script
	for _, said := range []string{
		`"args":{"password":"` + secret + `"}`, `"args":{},"metadata":{"password":"` + secret + `"}`, `"args":{"command":"curl -u a:` + secret + ` x"}`,
		`"args":{},"context":[{"role":"user","text":"password=` + secret + `"}]`, `"args":{},"message":"use --password ` + secret + `"`,
	} {
		asked := g.want(t, 201, "POST", "/api/approvals", `{"toolName":"deploy",`+said+`}`, g.program)
		for _, path := range []string{"/api/approvals/" + asked.ApprovalID, "/api/sessions/" + asked.SessionID + "/events?limit=500"} {
			if _, text := g.ask(t, "GET", path, "", g.person); strings.Contains(text, "hunt") || strings.Contains(text, "h u n t") || !strings.Contains(text, "masked") {
				t.Errorf("%s: %s has %s", said, path, text)
			}
		}
	}
}
