package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sound is a file that the gateway serves, with places for what spoils it.
const sound = `
gateway: {listen: "127.0.0.1:0", GATEWAY}
models: {demo: {provider: scripted}MODEL}
agents:
  demo: {model: demo, workdir: WORKDIR, tools: {shell: }AGENT}
`

func TestWhatServeRefusesValidateRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ listen, gateway, model, workdir, agent, says string }{
		"sound":                                  {},
		"not YAML":                               {gateway: "}{", says: "f.yaml:2:"},
		"an unknown key":                         {agent: ", modle: x", says: `unknown key "modle"`},
		"another machine's address":              {listen: "0.0.0.0:0", says: "no loopback address"},
		"a name that is not one of this machine": {listen: "nohost.invalid:0", says: "no loopback address"},
		"no port":                                {listen: "127.0.0.1", says: "listen"},
		"an origin that is not valid":            {gateway: "publicOrigins: [x]", says: "publicOrigins"},
		"others without an origin":               {listen: "0.0.0.0:0", gateway: "trustedProxies: [127.0.0.1]", says: "gateway.publicOrigins"},
		"a certificate that is not there":        {gateway: "tls: {cert: no.pem, key: no.key}", says: "no.key"},
		"a certificate that is empty":            {gateway: "tls: {cert: empty, key: empty}", says: "tls"},
		"a data folder that is a file":           {gateway: "data: empty", says: "not a directory"},
		"a data folder others can write":         {gateway: "data: shared", says: "open to other users"},
		"a key that is not valid":                {gateway: "auditKey: secret", says: "no private key in PEM"},
		"a key others can read":                  {gateway: "auditKey: empty", says: "open to other users"},
		"data where the agent works":             {gateway: "data: work/data", workdir: "work", says: "could read it"},
		"data of an earlier version":             {workdir: "work", says: "has the data of an earlier version"},
		"a workdir that is not there":            {workdir: "nowhere", says: "nowhere"},
		"a key's file that is empty":             {model: ", m: {provider: openai, name: x, keyFile: empty}", says: "is empty: put the key into it"},
		"a script that is not there":             {model: ", m: {provider: scripted, script: no.yaml}", says: "no.yaml"},
		"a tool that does not exist":             {agent: ", mcp: {nowhere: }", says: "nowhere"},
		"a rule with a wrong pattern":            {agent: `, toolConfirmation: {rules: [{tool: shell, when: "((", effect: deny}]}`, says: "when"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &process{t: t, dir: t.TempDir()}
			folder := filepath.Join(p.dir, "conf")
			for _, dir := range []string{"work", "shared", "apart"} {
				if err := os.MkdirAll(filepath.Join(folder, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			workdir := c.workdir
			if workdir == "" {
				workdir = "apart"
			}
			text := strings.NewReplacer("GATEWAY", c.gateway, "MODEL", c.model, "WORKDIR", workdir, "AGENT", c.agent).Replace(sound)
			if c.listen != "" {
				text = strings.Replace(text, "127.0.0.1:0", c.listen, 1)
			}
			file := filepath.Join(folder, "f.yaml")
			for path, of := range map[string]struct {
				text string
				mode os.FileMode
			}{file: {text, 0o600}, filepath.Join(folder, "empty"): {"", 0o644}, filepath.Join(folder, "secret"): {"x", 0o600}} {
				if err := os.WriteFile(path, []byte(of.text), of.mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(filepath.Join(folder, "shared"), 0o777); err != nil {
				t.Fatal(err)
			}
			if name == "data of an earlier version" {
				if err := os.MkdirAll(filepath.Join(folder, "data"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "data", "lineclear.db"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			served := p.starts("--config", file)
			c2 := p.command()
			c2.Args = []string{c2.Args[0], "validate", "--config", file}
			code, said := p.interrupted(c2, "", nil)
			if c.says == "" {
				if served.code != 0 || code != 0 {
					t.Errorf("serve: %d %s\nvalidate: %d %s", served.code, served.err, code, said)
				}
				return
			}
			if served.code != 1 || code != 1 || !strings.Contains(served.err, c.says) || !strings.Contains(served.err, said) {
				t.Errorf("serve: %d %s\nvalidate: %d %s", served.code, served.err, code, said)
			}
		})
	}
}
