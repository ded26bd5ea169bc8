package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/client"
)

// asking is a gateway as it is when nothing is said about the local key.
const asking = `
gateway: {listen: "127.0.0.1:0"}
models:
  demo: {provider: scripted}
agents:
  demo:
    model: demo
    toolConfirmation: {timeout: none}
    tools: {shell: {approval: {required: true}}}
`

// localKey is the key that every program of the gateway's user can read.
func (p *process) localKey() client.Access {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "cache", "lineclear", "*.json"))
	if err != nil || len(files) != 1 {
		p.t.Fatalf("the local key is in %q, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		p.t.Fatal(err)
	}
	var a client.Access
	if err := json.Unmarshal(raw, &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

// status sends a request with a bearer token.
func (p *process) status(method, path, body, token string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Origin", p.url)
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := browser.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func (p *process) row(approvalID string) (row standing) {
	p.t.Helper()
	if err := p.request(http.MethodGet, "/api/approvals/"+approvalID, struct{}{}, &row); err != nil {
		p.t.Fatal(err)
	}
	return row
}

// standing is how a request stands.
type standing struct {
	Status   approval.Status    `json:"status"`
	Response *approval.Response `json:"response"`
}

// An agent runs as the gateway's user, and can read whatever that user can: what lies
// there must not be enough to approve, to manage, or to become somebody who may.
func TestWhatEveryProgramOfTheUserCanReadApprovesNothing(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), asking)
	ws := p.tab()
	proof := filepath.Join(p.dir, "ran")
	sessionID, id := p.ask(ws, "touch "+proof)
	key := p.localKey().Token
	at := "/api/approvals/" + id
	for name, c := range map[string]struct{ method, path, body string }{
		"answers":            {"POST", at, `{"status":"approved"}`},
		"denies":             {"POST", at, `{"status":"denied"}`},
		"withdraws":          {"POST", at + "/cancel", `{}`},
		"sees its secrets":   {"POST", at + "/reveal", `{}`},
		"answers the sole":   {"POST", "/api/sessions/" + sessionID + "/approve", `{"seen":99}`},
		"sets a mode":        {"PUT", "/api/agents/demo/mode", `{"mode":"auto-approve","version":0}`},
		"makes a token":      {"POST", "/api/tokens", `{"name":"x","roles":["admin"]}`},
		"makes a link":       {"POST", "/api/links", `{"name":"x","roles":["admin"]}`},
		"lists the logins":   {"GET", "/api/logins", ``},
		"ends a grant":       {"DELETE", "/api/grants/x", ``},
		"raises itself":      {"PATCH", "/api/tokens/local", `{"roles":["admin"]}`},
		"makes a first link": {"POST", "/api/links/first", ``}, // an admin is in
	} {
		if got := p.status(c.method, c.path, c.body, key); got != http.StatusForbidden && got != http.StatusConflict {
			t.Errorf("the local key %s: %d", name, got)
		}
	}
	// Words that answer are for who may answer.
	p.status("POST", "/api/sessions/"+sessionID+"/messages", `{"text":"approve","seen":99}`, key)
	for _, args := range [][]string{
		{"approvals", "approve", id}, {"approvals", "deny", id}, {"approvals", "cancel", id},
		{"modes", "set", "demo", "auto-approve"}, {"grants", "revoke", "x"}, {"tokens"}, {"tokens", "create", "x", "--role", "admin"},
		{"logins"}, {"link", "x", "--role", "admin"},
	} {
		p.verb(args...).want(t, 1, "log in with: gateway login")
	}
	p.verb("link", "--first").want(t, 2, "--first needs a terminal")
	p.verb("login").want(t, 2, "login needs a terminal")
	if row := p.row(id); row.Status != approval.Pending {
		t.Errorf("the request is %s: %+v", row.Status, row.Response)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("it ran")
	}
	p.verb("modes").want(t, 0, "manual")

	// It looks, talks, asks and halts.
	p.verb("approvals", "show", id).want(t, 0, "touch "+proof)
	p.verb("sessions").want(t, 0, "demo")
	if got := p.status("POST", "/api/approvals", `{"toolName":"deploy","args":{}}`, key); got != http.StatusCreated {
		t.Errorf("it asks: %d", got)
	}
	p.verb("sessions", "cancel", sessionID).want(t, 0, "has ended")
}

func TestTheLocalKeyAnswersWhereTheConfigurationSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, strings.Replace(asking, `"127.0.0.1:0"`, `"127.0.0.1:0", localKey: answers`, 1))
	p.logged("every program of this user can approve")
	_, id := p.ask(p.tab(), "true")
	p.verb("approvals", "approve", id).want(t, 0, "Approved")
	var me struct {
		LocalKeyAnswers bool `json:"localKeyAnswers"`
	}
	if err := p.request(http.MethodGet, "/api/me", struct{}{}, &me); err != nil || !me.LocalKeyAnswers {
		t.Errorf("the page is told %+v, %v", me, err)
	}
	file := filepath.Join(dir, "agents", "agents.yaml")
	out, err := exec.Command("gateway", "validate", "--config", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "every program of this user can approve") {
		t.Errorf("validate says %s, %v", out, err)
	}
}

// press allows the terminal whose code is on the screen.
func (v *tty) press(p *process) {
	v.t.Helper()
	v.sees("shows the code ")
	m := regexp.MustCompile(`terminal/([A-Z]{4}-[A-Z]{4})`).FindStringSubmatch(v.text.String())
	if m == nil {
		v.t.Fatalf("there is no code:\n%s", v.text)
	}
	_ = p.request(http.MethodPost, "/api/device-logins/"+m[1], map[string]any{"allow": true, "hours": 1}, new(struct{})) // no body comes back
}

const passphrase = "correct horse battery"

// atTerminal logs a terminal in.
func (p *process) atTerminal() {
	p.t.Helper()
	v := p.person("login")
	v.press(p)
	v.sees("Choose a passphrase of at least 10 characters:")
	v.types("short\r")
	v.sees("Too short")
	v.sees("Choose a passphrase")
	v.types(passphrase + "\r")
	v.sees("Repeat it:")
	v.types(passphrase + "\r")
	v.sees("You are logged in as owner until ")
	if text := v.ends(0); strings.Contains(text, passphrase) {
		p.t.Errorf("the passphrase was shown:\n%s", text)
	}
}

func TestAPersonLogsTheirTerminalInAndEachVerbAsksForThePassphrase(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), asking)
	p.atTerminal()
	files, _ := filepath.Glob(filepath.Join(p.dir, "config", "lineclear", "logins", "*.age"))
	if len(files) != 1 {
		t.Fatalf("the login is in %q", files)
	}
	kept, err := os.ReadFile(files[0])
	info, failure := os.Stat(files[0])
	if err != nil || failure != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(string(kept), "age-encryption.org/v1\n-> scrypt ") ||
		strings.Contains(string(kept), "owner") {
		t.Errorf("it is kept as %q (%v, %v, %v)", kept, info, err, failure)
	}
	for i, wrong := range []bool{true, false} { // the second process asks again
		_, id := p.ask(p.tab(), "true "+strings.Repeat("x", i)) // a tab that nobody reads is closed after a while
		p.verb("approvals", "approve", id).want(t, 1, "which can only be entered at a terminal")
		v := p.person("approvals", "approve", id)
		v.sees("Passphrase of your login:")
		if wrong {
			v.types("another phrase\r")
			v.sees("Wrong passphrase.")
		}
		v.types(passphrase + "\r")
		v.sees("Approved: demo may do this once.")
		v.ends(0)
		if row := p.row(id); row.Status != approval.Approved || row.Response.By.Subject != "owner" {
			t.Errorf("it is %s, %+v", row.Status, row.Response)
		}
	}
	v := p.person("run", "demo", "run: echo in a terminal")
	v.sees("Passphrase of your login:")
	v.types(passphrase + "\r")
	v.sees("Approve?")
	v.types("y\n")
	v.sees("│ in a terminal")
	v.ends(0)

	v = p.person("approvals", "watch", "--ask")
	v.sees("Passphrase of your login:")
	v.types("\x03") // Ctrl-C
	v.ends(130)

	v = p.person("logout")
	v.sees("Passphrase of your login:")
	v.types(passphrase + "\r")
	v.sees("You are logged out.")
	v.ends(0)
	p.verb("tokens").want(t, 1, "log in with: gateway login")
}

func TestTheFirstLinkIsMadeAtATerminalWhileNoAdminIsLoggedIn(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), asking)
	v := p.person("link", "--first")
	v.sees("an admin is logged in")
	v.ends(1)
	_ = p.request(http.MethodPost, "/api/logout", struct{}{}, new(struct{}))
	var links []string
	for range 2 {
		v = p.person("link", "--first")
		v.sees("/#login=")
		links = append(links, regexp.MustCompile(`#login=(\S+)`).FindStringSubmatch(v.ends(0))[1])
	}
	p.login(links[0])
	p.post("/api/ws-ticket", struct{}{}, new(struct{ Ticket, ExpiresAt string }))
	var refused struct {
		Status int `json:"status"`
	}
	if err := p.request(http.MethodPost, "/api/login", map[string]string{"token": links[1]}, &refused); err != nil || refused.Status != http.StatusUnauthorized {
		t.Errorf("the second link: %+v, %v", refused, err)
	}
}

func TestNoLoginLinkIsPrintedWhereStandardOutputIsNoTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launchWith(t, "gateway", dir, asking) // with LINECLEAR_PRINT_LINK=1, or it would not come up
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c := p.command("serve", "--config", filepath.Join(dir, "agents", "agents.yaml"))
	log := newLogBuffer()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	if !log.await("serving") || !log.await("gateway link --first") {
		t.Errorf("it said:\n%s", log)
	}
	lacks(t, log.String(), "login=")

	v := p.person("serve", "--config", filepath.Join(dir, "agents", "agents.yaml"), "--listen", "127.0.0.1:0")
	v.sees("in use by another gateway")
	v.ends(1)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	v = p.person("serve", "--config", filepath.Join(dir, "agents", "agents.yaml"))
	v.sees("/#login=")
}

// terminals are the ids of those that are logged in, and the name of the last.
func (p *process) terminals() (ids []string, name string) {
	p.t.Helper()
	var list struct {
		Logins []auth.Credential `json:"logins"`
	}
	if err := p.request(http.MethodGet, "/api/logins", struct{}{}, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, l := range list.Logins {
		if l.Kind == auth.KindTerminal {
			ids, name = append(ids, l.ID), l.Name
		}
	}
	return ids, name
}

func TestATerminalThatIsClosedAtThePassphraseIsLoggedOut(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), asking)
	v := p.person("login")
	v.press(p)
	v.sees("Choose a passphrase")
	if err := v.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	v.ends(130)
	if left, _ := p.terminals(); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

func TestATerminalThatWasPutOutIsToldToLogInAgain(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), asking)
	p.atTerminal()
	p.atTerminal() // the first one is still known to the gateway
	ids, name := p.terminals()
	if len(ids) != 2 {
		t.Fatalf("there are %q", ids)
	}
	named := func(args ...string) *tty {
		v := p.person(args...)
		v.sees("Passphrase of your login:")
		v.types(passphrase + "\r")
		return v
	}
	v := named("logins", "revoke", name)
	v.sees(ids[0])
	v.ends(2)
	if left, _ := p.terminals(); len(left) != 2 {
		t.Errorf("of two with one name, left are %q", left)
	}
	for _, id := range ids {
		_ = p.request(http.MethodDelete, "/api/logins/"+id, struct{}{}, new(struct{ ID string }))
	}
	v = named("tokens")
	v.sees("log in again with: gateway login")
	v.ends(1)
}

// What is open to everybody takes nothing from who logs in, nor the other way round.
func TestTerminalsThatAskAndLoginsThatFailAreCountedApart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"asked first": http.StatusUnauthorized, "failed first": http.StatusCreated} {
		p := launchWith(t, "gateway", t.TempDir(), asking)
		ask := func() int { return p.status(http.MethodPost, "/api/device-logins", `{"name":"ada@laptop"}`, "") }
		guess := func() int { return p.status(http.MethodPost, "/api/login", `{"token":"wrong"}`, "") }
		flood, then := ask, guess
		if want == http.StatusCreated {
			flood, then = guess, ask
		}
		var all sync.WaitGroup
		var refused atomic.Int64
		for range 30 {
			all.Go(func() {
				if flood() == http.StatusTooManyRequests {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if refused.Load() < 15 {
			t.Errorf("%s: of a flood of 30, %d are refused", name, refused.Load())
		}
		if got := then(); got != want {
			t.Errorf("%s: the other is told %d", name, got)
		}
	}
}
