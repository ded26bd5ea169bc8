package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/config"
)

func TestASandboxIsWhatTheFileSays(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		yaml string
		want config.Sandbox
	}{
		"nothing said": {"{}", config.Sandbox{}},
		"off":          {"{sandbox: {mode: off}}", config.Sandbox{}},
		"auto":         {"{sandbox: {mode: auto}}", config.Sandbox{Mode: config.SandboxAuto}},
		"all": {
			"{sandbox: {mode: required, network: true, write: [../docs]}}",
			config.Sandbox{Mode: config.SandboxRequired, Network: true, Write: []string{filepath.Join(filepath.Dir(here), "docs")}},
		},
	} {
		got, err := config.Parse("agents.yaml", []byte(begin+"  a: {model: m, tools: {shell: "+c.yaml+"}}\n"), os.LookupEnv)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Agents[0].Tools[0].Sandbox); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFaultsOfASandbox(t *testing.T) {
	at := begin + "  a:\n    model: m\n    tools:\n      shell:\n        sandbox: "
	tellsOf(t, []faulty{
		{"no mode", at + "{network: true}\n", "7:9: agents.a.tools.shell.sandbox has no mode, and needs one: off: commands may do all that the gateway's account may. auto: they run in bubblewrap where it works; where it does not, as with off, and every request says so. required: they run in bubblewrap, or the gateway does not start."},
		{"an unknown mode", at + "{mode: on}\n", `7:25: agents.a.tools.shell.sandbox.mode: "on" is not known (allowed: off, auto, required)`},
		{"a folder that is not there", at + "{mode: auto, write: [./missing]}\n", `7:39: agents.a.tools.shell.sandbox.write[0]: "./missing" can't be used: it does not exist; paths start at the folder of this file`},
	})
}
