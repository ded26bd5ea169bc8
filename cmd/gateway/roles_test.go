package main

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/cli"
)

const roleAgents = `
gateway: {listen: "127.0.0.1:0", limits: {requestsPerSecond: 1000000, addressRequestsPerSecond: 1000000}}
models: {demo: {provider: scripted}}
toolConfirmation: {rules: [{tool: "*", command: ["echo never"], effect: deny}]}
agents:
  demo: {model: demo, tools: {shell: }}
  other: {model: demo}
`

// duty is a verb that talks to a gateway, and what it does for whom.
type duty struct {
	args string // ID is a request that waits, SESSION its session, GRANT a grant, TOKEN a token
	in   string // on standard input
	may  string // the roles
	code int    // what it ends with for those
	says string // and says
	no   string // what it says to the others; unset: that their role does not allow it
	none int    // what it ends with for the others; unset: 1
	own  string // the roles that are told that the request is another's
	away int    // what it ends with for an operator of another agent; 0: as for others
}

const (
	seeing    = "viewer approver operator admin"
	answering = "approver admin"
	talking   = "operator admin"
)

// hooks are refused to who may answer, since an agent could use that, and to who may not ask.
var duties = []duty{
	{args: "approvals", may: seeing, says: "Nothing waits"},
	{args: "approvals ls --status all", may: seeing, says: "There are no such requests"},
	{args: "approvals export", may: seeing, says: "requestedAt,"},
	{args: "approvals show ID", may: seeing, says: "deploy", own: "agent", away: 4},
	{args: "approvals approve ID", may: answering, says: "may do this once", own: "agent", away: 4},
	{args: "approvals deny ID", may: answering, says: "Denied.", own: "agent", away: 4},
	{args: "approvals cancel ID", may: answering, says: "Withdrawn.", own: "operator agent", away: 4},
	{args: "approvals cancel --agent demo", may: answering},
	{args: "approvals watch --ask", may: "", none: 2, no: "needs a terminal"},
	{args: "sessions", may: seeing, says: "There are no sessions"},
	{args: "sessions ls --agent demo", may: seeing, says: "There are no sessions"},
	{args: "sessions show SESSION", may: seeing, says: "demo", away: 4},
	{args: "sessions messages SESSION", may: seeing, says: "Nothing was said yet", away: 4},
	{args: "sessions cancel SESSION", may: talking, says: "has ended", away: 4},
	{args: "run demo help", may: talking, says: "Session ", away: 4},
	{args: "ask --agent demo deploy -- echo never", may: talking + " agent", code: 7, says: "Denied by the policy", away: 1},
	{args: "halt demo", may: answering + " operator", says: "is halted", away: 4},
	{args: "halt --show", may: seeing, says: "HALTED BY"},
	{args: "halt demo --lift", may: "admin", code: 0, says: "no longer halted"},
	{args: "nodes", may: seeing, says: "there is no cluster", away: 1},
	{args: "reload", may: "admin", says: "Nothing has changed"},
	{args: "modes", may: seeing, says: "configuration"},
	{args: "modes set demo manual", may: "admin", says: "demo is manual now", away: 4},
	{args: "grants", may: seeing, says: "No grants"},
	{args: "grants revoke GRANT", may: answering, says: "revoked"},
	{args: "tokens", may: "admin", says: "viewer"},
	{args: "tokens create made --role viewer", may: "admin", says: "lct_"},
	{args: "tokens set TOKEN --role agent", may: "admin", says: "agent"},
	{args: "tokens revoke TOKEN", may: "admin", says: "spare"},
	{args: "logins", may: "admin", says: "owner"},
	{args: "logins set nobody --role viewer", may: "admin", code: 4, says: `there is no login "nobody"`},
	{args: "logins revoke nobody", may: "admin", code: 4, says: `there is no login "nobody"`},
	{args: "link bob --role viewer", may: "admin", says: "#login="},
	{args: "policy suggest", may: seeing, says: "requests wait"},
	{args: "policy suggest ID", may: seeing, own: "agent", away: 4},
	{args: "policy observed", may: seeing, says: "No call has run"},
	{args: "hook claude-code --agent demo", in: strings.NewReplacer("COMMAND", "echo never", "ID", "toolu_1").Replace(claudes), may: "operator agent", says: `"permissionDecision":"deny"`, no: " may ", none: 2, away: 2},
	{args: "acp -- /no/such/agent", may: "operator agent", code: 1, says: "no such file", no: " may "},
	{args: "host claude", may: "operator agent", code: 1, says: "executable file not found", no: " may "},
	{args: "mcp -- /no/such/server", may: "operator agent", code: 1, says: "can't be started", no: " may "},
	{args: "prompt-tool", may: "operator agent", no: " may "},
	{args: "login", may: "", none: 2, no: "needs a terminal"},
	{args: "logout", may: "", no: "you are not logged in at this terminal"},
}

// local are the verbs that talk to no gateway.
var local = []string{
	"init", "serve", "validate", "policy explain", "policy test", "install", "uninstall", "doctor", "doctor agents", "backup", "restore", "migrate", "data move",
	"audit", "audit verify", "audit export", "audit head", "audit key", "version", "mcp login", "mcp logout", "approvals watch", // which has no end
}

func TestEveryVerbDoesForEachRoleWhatItMay(t *testing.T) {
	t.Parallel()
	const together = 3 // an address with too many wrong tokens is refused for a while
	for batch := range slices.Chunk(duties, together) {
		t.Run(batch[0].args, func(t *testing.T) {
			t.Parallel()
			p := launchWith(t, "gateway", t.TempDir(), roleAgents)
			tokens := p.tokens()
			for i, d := range batch {
				for j, name := range []string{"viewer", "approver", "operator", "admin", "agent", "elsewhere", "wrong", "expired", "foreign"} {
					if !thorough() && (i+j)%together > 0 { // each verb by three, each role with a third of the verbs
						continue
					}
					p.tryDuty(t, d, name, tokens[name])
				}
			}
		})
	}
	for _, path := range verbsOf(cli.Root()) {
		if !slices.Contains(local, path) && !slices.ContainsFunc(duties, func(d duty) bool { return d.args == path || strings.HasPrefix(d.args, path+" ") }) {
			t.Errorf("nobody has tried: gateway %s", path)
		}
	}
}

// tokens are one of each kind.
func (p *process) tokens() map[string]string {
	p.t.Helper()
	tokens := map[string]string{"wrong": "lct_wrong", "foreign": "lct_" + strings.Repeat("A", 43)}
	for _, role := range []auth.Role{auth.Viewer, auth.Approver, auth.Operator, auth.Admin, auth.Agent} {
		tokens[string(role)] = p.token(string(role), role)
	}
	var made struct {
		Secret string `json:"secret"`
	}
	p.post("/api/tokens", map[string]any{"name": "elsewhere", "roles": []string{"operator"}, "agents": []string{"other"}}, &made)
	tokens["elsewhere"] = made.Secret
	p.verb("tokens", "create", "x").want(p.t, 1) // the local key does not manage
	admin := p.command("tokens", "create", "expired", "--role", "admin", "--expires", "300ms")
	admin.Env = append(admin.Env, "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+tokens["admin"])
	out, err := admin.Output()
	if err != nil {
		p.t.Fatal(err)
	}
	tokens["expired"] = strings.TrimSpace(string(out))
	p.until("it has expired", func() bool { return p.status("GET", "/api/me", "", tokens["expired"]) != 200 })
	return tokens
}

// tryDuty runs a verb with a token, and compares what comes of it.
func (p *process) tryDuty(t *testing.T, d duty, name, token string) {
	t.Helper()
	c := p.command()
	c.Args = append(c.Args[:1], p.fill(d.args)...)
	c.Env = append(c.Env, "LINECLEAR_URL="+p.url, "LINECLEAR_TOKEN="+token)
	if d.args == "host claude" {
		c.Env = append(c.Env, "PATH=/nowhere")
	}
	code, said := p.interrupted(c, d.in, nil)
	role := name
	if name == "elsewhere" {
		role = "operator"
	}
	want, words := d.code, d.says
	switch {
	case !strings.Contains(d.may, role) && d.none == 2 && d.may == "": // before anybody is asked
		want, words = d.none, d.no
	case token == "lct_wrong", name == "expired", name == "foreign":
		want, words = max(d.none, 1), "is not valid, or has expired"
	case name == "elsewhere" && d.away > 0:
		want, words = d.away, ""
	case slices.Contains(strings.Fields(d.own), role):
		want, words = 1, "this request is another's"
	case !slices.Contains(strings.Fields(d.may), role):
		want, words = max(d.none, 1), cmp.Or(d.no, "your role does not allow this: ")
	case name == "elsewhere":
		words = ""
	}
	if d.args == "logout" { // which comes to know nothing of the gateway
		want, words = 1, d.no
	}
	if code != want || !strings.Contains(said, words) {
		t.Errorf("%s, by %s: %d, want %d and %q:\n%s", d.args, name, code, want, words, said)
	}
}

// fill makes what a verb is about.
func (p *process) fill(args string) []string {
	p.t.Helper()
	var row approval.Request
	var s struct {
		SessionID string `json:"sessionId"`
	}
	var made struct {
		Token auth.Credential `json:"token"`
	}
	for what, make := range map[string]func() string{
		" ID": func() string {
			p.post("/api/approvals", map[string]any{"agentId": "demo", "toolName": "deploy", "args": map[string]string{"to": "staging"}}, &row)
			return row.ApprovalID
		},
		" SESSION": func() string {
			p.post("/api/sessions", map[string]string{"agentId": "demo"}, &s)
			return s.SessionID
		},
		" TOKEN": func() string {
			p.post("/api/tokens", map[string]any{"name": "spare " + rand.Text(), "roles": []string{"viewer"}}, &made)
			return made.Token.ID
		},
		" GRANT": func() string {
			var given struct {
				Response approval.Response `json:"response"`
			}
			p.post("/api/runs", map[string]any{"agentId": "demo"}, &s)
			p.post("/api/approvals", map[string]any{"agentId": "demo", "sessionId": s.SessionID, "toolName": "deploy", "args": struct{}{}}, &row)
			p.post("/api/approvals/"+row.ApprovalID, map[string]any{"status": "approved", "scope": "session"}, &given)
			return given.Response.GrantID
		},
	} {
		if strings.Contains(args, what) {
			args = strings.ReplaceAll(args, what, " "+make())
		}
	}
	return strings.Fields(args)
}
