package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/tool/mcp"
)

func TestNoErrorOfAServerOnHTTPHasAKeyInIt(t *testing.T) {
	t.Parallel()
	for form, parts := range map[string]string{
		"HTTP://%s/mcp?key=sesame":           "no key=sesame, nor sesame",
		"http://user:pass@%s/mcp?key=sesame": "user:pass@ is not allowed with sesame",
		"http://%s/mcp?key=se%%73ame":        "no key=se%73ame, nor sesame",
		"http://%s/s/SECRETKEY/mcp":          "/s/SECRETKEY/mcp was not found",
		"http://%s/s/SECRET%%4BEY/mcp":       "/s/SECRETKEY/mcp was not found, nor /s/SECRET%4BEY/mcp",
		"http://SECRETUSER@%s/mcp#sesame":    "SECRETUSER is not allowed",
	} {
		t.Run(form, func(t *testing.T) {
			timed(t, mcp.Config{}, mcp.Options{}, func(t *testing.T, _ *mcp.Server, w *wire) {
				raw := newRaw()
				raw.tools = nil
				w.handler = raw
				c := mcp.Config{Name: "bank", URL: fmt.Sprintf(form, "bank.example"), Headers: map[string]string{"X-Key": "open-sesame", "Authorization": "Bearer SECRETTOKEN"}}
				_, err := newServer(t, c, mcp.Options{HTTP: w}).Check(t.Context())
				wantKept(t, fmt.Sprint(err))
				if !strings.Contains(fmt.Sprint(err), "session ID: ***") {
					t.Errorf("it says %v", err)
				}
				says := failing{c.URL + ": " + parts + "; open-sesame; " + strings.Repeat("x", 1850) + " Bearer SECRETTOKEN SECRETTOKEN SECRETTOKEN"}
				_, err = newServer(t, c, mcp.Options{HTTP: says}).Check(t.Context())
				wantKept(t, fmt.Sprint(err))
				if !strings.HasPrefix(fmt.Sprint(err), "mcp: server bank: http://bank.example can't be used: ") {
					t.Errorf("it says %v", err)
				}
			})
		})
	}
}

type failing struct{ text string }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("%s", f.text)
}

func wantKept(t *testing.T, text string) {
	t.Helper()
	for _, part := range []string{"sesame", "se%73ame", "SECRET", "pass@", "user:"} {
		if strings.Contains(text, part) {
			t.Errorf("it tells %q: %s", part, text)
		}
	}
}

func TestWhatAProgramIsGivenIsNotInItsWords(t *testing.T) {
	t.Parallel()
	said := newJournal()
	c := mcp.Config{Name: "files", Command: []string{"/bin/sh", "-c", `echo "no entry with $KEY, $PIN"; head -c 1990 /dev/zero | tr '\0' x >&2; echo "$KEY" >&2; sed -n 2p >&2 <<X
$LETTER
X
exit 3`}, Env: map[string]string{"KEY": "open-sesame", "PIN": "1234", "LETTER": "Dear Ali,\nthe word is sesame"}}
	_, err := newServer(t, c, said.options()).Check(t.Context())
	for _, text := range append(said.entries, fmt.Sprint(err)) {
		if strings.Contains(text, "open-s") || strings.Contains(text, "sesame") {
			t.Errorf("it says %s", text)
		}
	}
	if !strings.Contains(fmt.Sprint(err), "no entry with ***, 1234") || strings.Contains(fmt.Sprint(err), "\n") {
		t.Errorf("it says %v", err)
	}
}

func TestAnErrorOfACallHasNoKeyInIt(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	raw.call = func(w http.ResponseWriter, r *http.Request, m said) {
		sendJSON(w, m.fails(-32000, "not allowed: "+r.Header.Get("X-Key")))
	}
	c := served(t, raw)
	c.Headers = map[string]string{"X-Key": "open-sesame"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := newServer(t, c, mcp.Options{})
	wantText(t, runAs(t, ctx, find(t, s, "one", "pay"), call("one", "c", "{}")), true, "answered with an error: not allowed: ***.")
}
