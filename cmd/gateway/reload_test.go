package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/client"
)

func TestReloadPrintsTheDifferenceOrWhereTheFaultIs(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), granting)
	file := filepath.Join(p.dir, "agents", "agents.yaml")
	reload := func(yaml string, code int, says ...string) verb {
		t.Helper()
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		return p.verb("reload").want(t, code, says...)
	}
	d := p.desk("demo")
	waiting, _ := d.run("uname -a")
	reload(granting, 0, "Nothing has changed.")
	denying := strings.Replace(granting, `["rm *"]`, `["rm *", "uname -a"]`, 1)
	v := reload(denying, 0, "toolConfirmation.rules[0]: ", `["rm *"]`, `became`, `["rm *","uname -a"]`, "Taken over.")
	lacks(t, v.out, "map[")
	if f := until(t, d.ws, "approvalResponse", waiting.ApprovalID); !strings.Contains(string(f.Data), "policy_denied") {
		t.Errorf("what waited: %s", f.Data)
	}
	d.over()

	// What can't be taken over leaves all as it was.
	v = reload(denying+"\n  broken: {modle: demo}\n", 1, "nothing was taken over", file+":", `unknown key "modle"`)
	if v.out != "" {
		t.Errorf("it printed %s", v.out)
	}
	reload("agents: {", 1, file+":1:")
	reload(strings.Replace(granting, "tools: {shell: }", "tools: {shell: , read_file: }", 1), 1, "restart it for the rest", "tools.read_file added")
	reload(strings.Replace(granting, `"127.0.0.1:0"`, `"0.0.0.0:0"`, 1), 1, "nothing was taken over", "no loopback address")
	d.want("uname -a", "denied by policy")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.verb("reload").want(t, 1, "gateway init")

	var list struct {
		Items []client.Change `json:"items"`
	}
	if err := os.WriteFile(file, []byte(granting), 0o600); err != nil {
		t.Fatal(err)
	}
	p.verb("reload", "--json").want(t, 0).json(t, &list)
	if len(list.Items) != 1 || !strings.HasSuffix(list.Items[0].Place, "toolConfirmation.rules[0]") {
		t.Errorf("it prints %+v", list)
	}
	log := p.verb("audit", "export").want(t, 0, `"config.reloaded","subject":"owner","via":"rest"`, `"config.refused"`).out
	if strings.Count(log, `"config.refused"`) != 5 {
		t.Errorf("of five refused files the log has %d", strings.Count(log, `"config.refused"`))
	}
}
