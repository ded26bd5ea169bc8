package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/lineclear/lineclear/approval"
)

// Each block of commands in the documents is followed to the letter by somebody new, or says in a comment before it why not.
func TestTheDocumentsAreFollowedToTheLetter(t *testing.T) {
	docs := readDocuments(t)
	walks := map[string]func(*reader){
		"from nothing to a backup":   fromNothingToABackup,
		"rules":                      tryRules,
		"a program's first approval": firstProgram,
		"the command line":           examplesOfTheCommandLine,
	}
	ok := t.Run("walks", func(t *testing.T) {
		for name, walk := range walks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				walk(newReader(t, docs))
			})
		}
	})
	if !ok || len(docs.taken) == 0 {
		return
	}
	for _, fault := range docs.left() {
		t.Error(fault)
	}
}

func fromNothingToABackup(r *reader) {
	t := r.t
	for _, early := range []string{"serve", "validate", "doctor", "backup x", "approvals"} {
		r.runs("gateway "+early).want(t, 1, "write a first one with gateway init")
	}
	r.serves(r.block("docs/operations.md", "gateway init ", nil), func(v *tty) {
		for _, question := range []string{"Which model?", "In which folder", "May commands"} {
			v.sees(question)
			v.types("\n")
		}
	})
	r.logsIn()
	r.runs(r.block("docs/configuration.md", "gateway validate", nil)).want(t, 0, "agents.yaml is valid")
	r.runs(r.block("docs/models.md", "gateway validate", nil)).want(t, 0, "needs no connection")
	r.probes()
	r.proves()

	lines := commands(r.block("docs/operations.md", "gateway backup ", map[string]string{"/backups": r.home}))
	r.runs(lines[0]).want(t, 0, "is the backup")
	r.stops()
	r.runs("gateway doctor").want(t, 0, "All is well.")
	r.runs(lines[1]).want(t, 1, "is there already: move it away first")
	r.runs("mv ~/.local/state/lineclear ~/.config/lineclear/keys ~").want(t, 0)
	r.runs("gateway backup later").want(t, 1, "there is no gateway's data in ")
	r.runs(lines[1]).want(t, 0, "is restored")
	r.runs("gateway doctor").want(t, 0, "All is well.")
	r.serves("gateway serve")
	r.runs("gateway audit verify").want(t, 0, "Fine: ")
	if len(lines) != 2 {
		t.Errorf("there are %d commands: %q", len(lines), lines)
	}
}

// probes asks what Kubernetes would.
func (r *reader) probes() {
	r.t.Helper()
	var probes map[string]struct {
		Exec struct{ Command []string }
	}
	text := r.block("docs/operations.md", "livenessProbe:", map[string]string{"http://127.0.0.1:8787": r.url})
	if err := yaml.Unmarshal([]byte(text), &probes); err != nil {
		r.t.Fatal(err)
	}
	if !r.has("curl") {
		return
	}
	for name, says := range map[string]string{"livenessProbe": `"ok"`, "readinessProbe": `"ready"`} {
		r.runs(strings.Join(probes[name].Exec.Command, " ")).want(r.t, 0, says)
	}
}

// proves follows what is said of the audit log.
func (r *reader) proves() {
	t := r.t
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(r.dir, "bin"), "../auditverify").CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	key := strings.TrimSpace(r.runs("gateway audit key").want(t, 0).out)
	head := strings.TrimSpace(r.runs("gateway audit head").want(t, 0).out)
	block := r.block("docs/audit.md", "gateway audit key ", map[string]string{"KEY": key, "SEQ:HASH": head})
	r.runs(block).want(t, 0, "signed by "+key)
	if table, err := os.ReadFile(filepath.Join(r.folder, "today.csv")); err != nil || !strings.HasPrefix(string(table), "seq,at,kind") {
		t.Errorf("the table is %s, %v", table, err)
	}
}

// shipped is the file that comes with the program.
func (r *reader) shipped() {
	r.t.Helper()
	text, err := os.ReadFile("../../agents.yaml")
	if err != nil {
		r.t.Fatal(err)
	}
	r.writes("agents.yaml", string(text))
}

func tryRules(r *reader) {
	t := r.t
	r.shipped()
	r.serves("gateway serve")
	r.logsIn()
	d := r.desk("demo")
	asked, _ := d.run("uname -a")
	d.answer(asked, "approved", `,"scope":"session","grant":{"covers":"command"}`)
	d.run("date +%s > now")

	lines := commands(r.block("docs/policies.md", "gateway grants\n", nil))
	list := r.runs(lines[0]).want(t, 0, "uname *").out
	id := strings.Fields(strings.Split(list, "\n")[1])[0]
	r.unlocks(strings.Replace(lines[1], "GRANT", id, 1), 0, "revoked")
	r.runs(lines[0]).want(t, 0, "No grants.")

	r.runs("gateway policy test").want(t, 1, "agents.cases.yaml", "name yours with --cases")
	r.writes("agents.cases.yaml", r.block("docs/policies.md", "cases:", nil))
	r.runs(r.block("docs/policies.md", "gateway policy explain", nil)).want(t, 0, "ask: ", "2 cases", "1 requests wait")
	r.runs(r.block("docs/policies.md", "gateway policy observed", nil)).want(t, 0)

	lines = commands(r.block("docs/policies.md", "gateway modes\n", nil))
	r.runs(lines[0]).want(t, 0, "manual")
	r.unlocks(lines[1], 0, "demo is auto-deny now")
	r.runs(lines[0]).want(t, 0, "auto-deny")
}

func firstProgram(r *reader) {
	t := r.t
	r.writes("agents.yaml", r.docs.take(t, "docs/first-program.md", "models:"))
	r.runs(r.block("docs/first-program.md", "gateway validate", nil)).want(t, 0, "is valid", "ask: mode manual")
	r.serves("gateway serve")
	r.logsIn()
	token := regexp.MustCompile(`lct_\S+`).FindString(r.unlocks(r.block("docs/first-program.md", "gateway tokens", nil), 0))
	ws := r.tab()
	waits := func(line, tool, answer string, code int, says ...string) {
		t.Helper()
		v := r.types(line)
		id := shown(until(t, ws, "approvalRequest", tool))[0]
		send(t, ws, `{"event":"approvalResponse","data":{"approvalId":%q,"status":%q}}`, id, answer)
		(verb{code: code, out: v.ends(code)}).want(t, code, says...)
	}
	at := map[string]string{"lct_…": token, "http://127.0.0.1:8787": r.url}
	waits(r.block("docs/first-program.md", "export LINECLEAR_URL", at), "deploy", "approved", 0, `{"to":"staging"}`, `{"to":"production"}`)
	if r.has("curl") {
		any := regexp.MustCompile(`lct_\S+`).FindString(r.unlocks("gateway tokens create build --role agent", 0))
		line := "GATE=" + r.url + " TOKEN=" + any + "; " + r.block("docs/protocol.md", "curl ", nil)
		waits(line, "deploy", "approved", 0, `"status":"approved"`)
	}
	lines := commands(r.block("docs/cli.md", "gateway ask deploy", nil))
	r.writes("deploy.sh", "#!/bin/sh\necho \"deployed to $1\"\n")
	waits(lines[0], "deploy", "approved", 0, "deployed to staging")
	waits(lines[1], "publish", "denied", 3) // so that nothing is published
	export, _, _ := strings.Cut(r.block("docs/first-program.md", "export LINECLEAR_URL", at), "\n")
	r.runs(export+"\ngateway ask --agent deployer --expires 1s deploy '{\"to\": \"production\"}'").want(t, 6, "nobody answered within ")
	r.runs(export+"\ngateway ask --agent deployer deploy '{\"to\": \"moon\"}'").want(t, 1, "args: to: value must be one of")
	if len(lines) != 2 {
		t.Errorf("there are %d commands: %q", len(lines), lines)
	}
}

func examplesOfTheCommandLine(r *reader) {
	t := r.t
	r.shipped()
	r.serves("gateway serve")
	r.logsIn()
	d := r.desk("demo")
	const id, session = "9f86d081", "--session 9f86d081"
	for _, line := range commands(r.block("docs/cli.md", "gateway run demo", nil)) {
		var asked approval.Request
		waits := func(command string) string {
			d = r.desk("demo")
			asked, _ = d.run(command)
			return strings.Replace(line, id, short(asked.ApprovalID), 1)
		}
		verbs, _, _ := strings.Cut(line, "#")
		switch verbs = strings.TrimSpace(verbs); {
		case strings.Contains(verbs, session):
			r.unlocks(strings.Replace(line, id, short(d.session), 1), 0, "agents.yaml")
		case strings.HasPrefix(verbs, "gateway run "):
			v := r.types(line)
			v.unlock()
			v.sees("Approve?")
			v.types("y\n")
			v.sees("Linux")
			v.ends(0)
		case strings.HasPrefix(verbs, "gateway approvals approve "):
			command := "touch here"
			if strings.Contains(verbs, "--covers command") {
				command = "uname -n"
			}
			r.unlocks(waits(command), 0, "\nApproved")
			d.over()
		case strings.HasPrefix(verbs, "gateway approvals deny "):
			r.unlocks(waits("touch here"), 0, "Denied")
			d.over()
		case strings.HasPrefix(verbs, "gateway approvals show "):
			r.runs(waits("touch here")).want(t, 0, "touch here")
			d.answer(asked, "denied", "")
		case verbs == "gateway approvals watch --ask":
			v := r.types(line)
			v.unlock()
			waits("touch here")
			v.sees("touch here")
			v.sees("Approve?")
			v.types("y\n")
			d.over()
			v.types("\x03")
			v.ends(exitInterrupted)
		case verbs == "gateway approvals" || strings.HasPrefix(verbs, "gateway approvals ls "):
			r.runs(line).want(t, 0)
		case strings.HasPrefix(verbs, "gateway approvals export "):
			r.runs(line).want(t, 0)
		default:
			t.Errorf("nobody has tried %s", line)
		}
	}
	if r.has("jq") {
		r.inAScript()
	}
}

// inAScript answers what a script has looked at.
func (r *reader) inAScript() {
	r.t.Helper()
	script := r.block("docs/cli.md", "gateway approvals ls --json", nil)
	d := r.desk("demo")
	send(r.t, d.ws, `{"event":"message","data":{"sessionId":%q,"text":"read .env"}}`, d.session)
	d.next()
	r.unlocks(script, 0, "Approved: demo may do this once.")
	d.over()
}
