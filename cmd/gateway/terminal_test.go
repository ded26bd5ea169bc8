package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestARiskHasAColourOnATerminalAlone(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	_, id := p.ask(p.tab(), "rm -rf /etc")
	const red = "\x1b[1;31mcritical"
	if text := p.at(200, []string{"TERM=xterm"}, "approvals").ends(0); !strings.Contains(text, red) {
		t.Errorf("the list is %q", text)
	}
	if text := p.at(200, []string{"TERM=xterm"}, "approvals", "show", id).ends(0); !regexp.MustCompile(`\x1b\[1;31m  risk +critical\s+\x1b\[0m`).MatchString(text) {
		t.Errorf("the request is %q", text)
	}
	for name, text := range map[string]string{
		"on a pipe":     p.verb("approvals").want(t, 0, "critical").out,
		"with NO_COLOR": p.at(200, []string{"TERM=xterm", "NO_COLOR=1"}, "approvals").ends(0),
		"without any":   p.at(200, []string{"TERM=dumb"}, "approvals").ends(0),
	} {
		if strings.Contains(text, "\x1b") || !strings.Contains(text, "critical") {
			t.Errorf("%s the list is %q", name, text)
		}
	}
}

func TestTablesFitIntoFortyColumnsWithoutCutting(t *testing.T) {
	t.Parallel()
	p := launch(t, t.TempDir())
	ws := p.tab()
	sessionID, _ := p.ask(ws, "echo "+strings.Repeat("long ", 30))
	_, allowed := p.ask(ws, "uname -a")
	p.verb("approvals", "approve", allowed, "--covers", "exact").want(t, 0)
	p.verb("tokens", "create", "a-token-with-a-name", "--role", "viewer").want(t, 0)
	p.verb("halt", "hasty").want(t, 0)
	for words, whole := range map[string]string{
		"approvals": "demo", "sessions": short(sessionID), "sessions show " + sessionID: sessionID, "modes": "configuration", "halt --show": "hasty",
		"tokens": p.firstOf("tokens"), "grants": p.firstOf("grants"), "approvals ls --status all": short(allowed), "logins": "owner",
	} {
		text := p.at(40, []string{"NO_COLOR=1"}, strings.Fields(words)...).ends(0)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 40 {
				t.Errorf("%s has a line of %d columns: %s", words, n, line)
			}
		}
		if !strings.Contains(text, whole) {
			t.Errorf("%s lacks %s:\n%s", words, whole, text)
		}
	}
}

func TestTimesAreLocalAndSayTheirZone(t *testing.T) {
	t.Parallel()
	p := launchProgram(t, "gateway", t.TempDir(), "HASTY=1h")
	d := p.desk("hasty")
	r, _ := d.run("uname")
	p.verb("halt", "demo").want(t, 0)
	// A zone of one's own, three hours ahead of UTC, in the form of the zone files: one type, no change.
	zone := filepath.Join(p.dir, "zone")
	raw := append([]byte("TZif"), make([]byte, 16)...)
	for _, n := range []uint32{0, 0, 0, 0, 1, 4, 3 * 3600} { // six counts, of which the last are of types and letters, and the offset
		raw = binary.BigEndian.AppendUint32(raw, n)
	}
	if err := os.WriteFile(zone, append(raw, 0, 0, 'X', 'Y', 'Z', 0), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"approvals show " + r.ApprovalID, "halt --show", "sessions show " + r.SessionID, "logins", "link bob --role viewer"} {
		c := p.command(strings.Fields(words)...)
		c.Env = append(c.Env, "TZ="+zone)
		code, said := p.interrupted(c, "", nil)
		if code != 0 || !regexp.MustCompile(`\d\d:\d\d:\d\d XYZ`).MatchString(said) {
			t.Errorf("%s: %d, %s", words, code, said)
		}
	}
}
