package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/lineclear/lineclear/auth"
)

// says runs a verb, holds it to its code and words, and returns its output.
func (p *process) says(code int, words []string, args ...string) string {
	p.t.Helper()
	return p.verb(args...).want(p.t, code, words...).out
}

func TestTheVerbsMakeChangeAndEndAccess(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	p.says(0, []string{"No tokens."}, "tokens")
	secret := strings.TrimSpace(p.says(0, []string{"The token ci", "this once"}, "tokens", "create", "ci", "--role", "agent", "--agent", "demo", "--expires", "1h"))
	if !strings.HasPrefix(secret, "lct_") || strings.ContainsAny(secret, " \n") {
		t.Errorf("it printed %q", secret)
	}
	list := p.says(0, []string{"ci", "agent", "demo", "owner"}, "tokens")
	if strings.Contains(list, secret) {
		t.Error("the secret is listed")
	}
	p.says(1, []string{"there is a token of that name"}, "tokens", "create", "ci", "--role", "agent")
	p.says(1, []string{"roles: missing"}, "tokens", "create", "x")
	p.says(1, []string{`unknown role "root"`}, "tokens", "create", "x", "--role", "root")
	p.says(0, []string{"viewer"}, "tokens", "set", "ci", "--role", "viewer")
	p.says(4, []string{`there is no token "nobody"`}, "tokens", "revoke", "nobody")

	link := strings.TrimSpace(p.says(0, []string{"Good for one login as carol"}, "link", "carol", "--role", "approver"))
	m := regexp.MustCompile(`^(http://\S+)/#login=(\S+)$`).FindStringSubmatch(link)
	if m == nil || m[1] != p.url {
		t.Fatalf("the link is %q", link)
	}
	carol := &process{t: t, dir: p.dir, url: p.url}
	carol.login(m[2])
	var me struct {
		Identity auth.Identity `json:"identity"`
		CSRF     string        `json:"csrf"`
	}
	if err := carol.request(http.MethodGet, "/api/me", struct{}{}, &me); err != nil || me.Identity.Subject != "carol" {
		t.Errorf("carol is %+v, %v", me, err)
	}
	row := ""
	for line := range strings.Lines(p.says(0, nil, "logins")) {
		if strings.Contains(line, "carol") {
			row = line
		}
	}
	p.says(0, []string{"carol"}, "logins", "revoke", strings.Fields(row)[0])
	me.Identity = auth.Identity{}
	if err := carol.request(http.MethodGet, "/api/me", struct{}{}, &me); err == nil && me.Identity.Subject == "carol" {
		t.Error("carol is still in")
	}
	p.says(0, []string{"ci"}, "tokens", "revoke", "ci")
	p.says(0, []string{"No tokens."}, "tokens")
	p.says(0, []string{"Fine:"}, "audit", "verify")
	log := p.says(0, []string{"token.created", "token.changed", "token.revoked", "link.created", "login", "logout"}, "audit", "export", "--format", "jsonl")
	if strings.Contains(log, secret) || strings.Contains(log, m[2]) {
		t.Error("a secret is in the audit log")
	}
}

func TestLastUsesAndInvitationsOutliveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := launch(t, dir)
	secret := strings.TrimSpace(p.says(0, nil, "tokens", "create", "ci", "--role", "viewer"))
	if row := tokenRow(p); strings.Count(row, "never") != 2 {
		t.Errorf("before it was used: %s", row)
	}
	if status := p.status(http.MethodGet, "/api/me", "", secret); status != http.StatusOK {
		t.Fatal(status)
	}
	_, link, _ := strings.Cut(strings.TrimSpace(p.says(0, nil, "link", "carol", "--role", "approver")), "#login=")
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p = launch(t, dir)
	if row := tokenRow(p); strings.Count(row, "never") != 1 || !strings.HasSuffix(strings.TrimSpace(row), "127.0.0.1") {
		t.Errorf("after a restart: %s", row)
	}
	carol := &process{t: t, dir: dir, url: p.url}
	carol.login(link)
	if carol.csrf == "" {
		t.Error("the link of an invitation ends with the process")
	}
}

// tokenRow returns the line of the only token.
func tokenRow(p *process) string {
	p.t.Helper()
	lines := strings.Split(strings.TrimSpace(p.says(0, []string{"ci"}, "tokens")), "\n")
	return lines[len(lines)-1]
}

// A program on another machine has an address and a token.
func TestATokenIsEnoughForTheVerbsElsewhere(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	_, id := p.ask(p.tab(), "touch "+filepath.Join(p.dir, "ran"))
	secret, err := p.member("approver")
	if err != nil {
		t.Fatal(err)
	}
	away := func(token string, args ...string) verb {
		c := p.command(args...)
		c.Env = append(os.Environ(), "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+token, "XDG_CACHE_HOME="+t.TempDir())
		c.Args = append([]string{"gateway"}, args...)
		out, err := c.CombinedOutput()
		return verb{code: p.code(err), out: string(out)}
	}
	if v := away(secret, "approvals", "approve", id); v.code != 0 {
		t.Errorf("it ended with %d: %s", v.code, v.out)
	}
	if v := away("lct_wrong", "approvals"); v.code != 1 || !strings.Contains(v.out, "LINECLEAR_TOKEN") {
		t.Errorf("with a wrong token it ended with %d: %s", v.code, v.out)
	}
	if v := away(secret, "tokens"); v.code != 1 || !strings.Contains(v.out, "your role does not allow this") {
		t.Errorf("an approver lists tokens: %d %s", v.code, v.out)
	}
}
