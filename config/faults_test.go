package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/config"
)

// begin is two lines that are right, so that the tests' own begin in line 3.
const begin = "models: {m: {provider: scripted}}\nagents:\n"

// faulty is a file and what is said about it, without the file's name.
type faulty struct{ name, yaml, want string }

func TestFaultsInTheFormSayWhereTheyAreAndWhatWouldDo(t *testing.T) {
	tellsOf(t, []faulty{
		{"nothing", "", "1:1: the file is empty: it needs at least agents"},
		{"only comments", "# nothing\n", "1:1: the file is empty: it needs at least agents"},
		{"not YAML", "agents: [\n", "1:9: not readable as YAML: sequence end token ']' not found"},
		{"a tab", "agents:\n\tdemo: {}\n", "2:1: not readable as YAML: found character '\t' that cannot start any token"},
		{"a list", "- a\n", "1:1: the file: want a mapping (key: value), found a list"},
		{"two documents", begin + "  a: {model: m}\n---\nagents: {}\n", "5:1: a second document begins here: the file is one document, without ---"},
		{"no agents", "models: {}\n", "1:1: the file has no agents, and needs one: The agents by name."},
		{"empty agents", "agents: {}\n", "1:9: agents is empty: it needs at least one entry, as in demo: {model: demo}"},
		{"agents that are nothing", "agents:\n", "1:1: agents: want a mapping (key: value), found nothing"},
		{"an agent that is nothing", begin + "  a:\n", "3:3: agents.a: want a mapping (key: value), found nothing"},
		{"an agent without a model", begin + "  a: {description: x}\n", "3:3: agents.a has no model, and needs one: the name of one of the models, or kind: external for a program that asks"},
		{"a name that can't be an agent's", begin + "  a b: {model: m}\n", `3:3: the name "a b" can't be used: use letters, digits, and . _ - between them`},
		{"an unknown model", begin + "  a: {model: n}\n", `3:14: agents.a.model: there is no model "n"; did you mean m? (there are: m)`},
		{"no models at all", "agents:\n  a: {model: m}\n", `2:14: agents.a.model: there is no model "m", nor any other: add it, as in models: {demo: {provider: scripted}}`},
		{"an unknown provider", "models: {m: {provider: gemini}}\nagents: {a: {model: m}}\n", `1:24: models.m.provider: "gemini" is not known (allowed: scripted, openai, anthropic, google)`},
		{"a model without a provider", "models: {m: {delay: 1s}}\nagents: {a: {model: m}}\n", `1:10: models.m has no provider, and needs one: Who answers. scripted needs no key; openai is also every server that speaks its chat completions; google is Gemini.`},

		{"gateways of no cluster", "models: {m: {provider: scripted}}\nagents: {a: {model: m, nodes: [one]}}\n", `2:31: agents.a.nodes: there is no cluster: leave this out, or say under cluster where gateways share a database`},
		{"a wrong address of a NATS server", "cluster: {postgres: \"postgres://db/lineclear\", nats: \"nats://ada:secret@one:4222, http://ada:secret@two\"}\nmodels: {m: {provider: scripted}}\nagents: {a: {model: m}}\n", `1:54: cluster.nats: this is no address of a NATS server: write it like nats://user:password@host:4222 or tls://user:password@host:4222, several with commas, best in an environment variable; in a password, / ? # , and % are written %2F %3F %23 %2C and %25`},
		{"an unknown key at the top", "agent: {}\nagents: {a: {model: m}}\nmodels: {m: {provider: scripted}}\n", `1:1: unknown key "agent"; did you mean agents? (known: gateway, cluster, models, mcpServers, toolConfirmation, agents)`},
		{
			"an unknown key of an agent", begin + "  a: {model: m, workDir: .}\n",
			`3:17: unknown key "workDir" in agents.a; did you mean workdir? (known: description, kind, model, instructions, workdir, nodes, maxTurns, maxDenials, contextTokens, contextBytes, resultBytes, maxTokens, maxCost, toolConfirmation, observeUntil, tools, clientTools, mcp, delegates)`,
		},
		{"an unknown key that is like none", begin + "  a:\n    model: m\n    tools: {read_file: {approval: {zzz: 1}}}\n", `5:36: unknown key "zzz" in agents.a.tools.read_file.approval (known: required, message, scope, pattern, standing, standingFor, options)`},
		{
			"an unknown tool", begin + "  a: {model: m, tools: {bash: {}}}\n",
			`3:25: unknown tool "bash" in agents.a.tools (known: shell, read_file, write_file, edit_file, list_files, ask_user)`,
		},
		{
			"a tool that is nearly known", begin + "  a: {model: m, tools: {readFile: {}}}\n",
			`3:25: unknown tool "readFile" in agents.a.tools; did you mean read_file? (known: shell, read_file, write_file, edit_file, list_files, ask_user)`,
		},
		{"a client tool with a name of the gateway's", begin + "  a: {model: m, clientTools: {client.x: {}}}\n", "3:41: agents.a.clientTools.client.x: names that begin with client. are the gateway's own: choose another one"},
		{"a client tool of a tool's name", begin + "  a: {model: m, tools: {shell: }, clientTools: {shell: {}}}\n", "3:56: agents.a.clientTools.shell: the agent has another tool of that name, under tools"},
		{"a client tool whose output schema is none", begin + "  a: {model: m, clientTools: {x: {output: {type: 7}}}}\n", "3:43: agents.a.clientTools.x.output: that is no JSON Schema: at '/type': got number, want array"},
		{"approvers of whom none is named", begin + "  a: {model: m, tools: {shell: }, toolConfirmation: {rules: [{tool: shell, effect: ask, approvers: {roles: [], subjects: []}}]}}\n",
			"3:108: agents.a.toolConfirmation.rules[0].approvers.roles: nothing is in it: name some, or leave it out for all\n" +
				"3:122: agents.a.toolConfirmation.rules[0].approvers.subjects: nothing is in it: name some, or leave it out for all"},
		{"none of a server's tools", "mcpServers: {s: {command: x}}\n" + begin + "  a: {model: m, mcp: {s: {only: []}}}\n", "4:33: agents.a.mcp.s.only: nothing is in it: name some, or leave it out for all"},
		{"work for an unknown agent", begin + "  a: {model: m, delegates: [b]}\n", `3:29: agents.a.delegates[0]: there is no agent "b"; did you mean a? (there are: a)`},
		{"work for itself", begin + "  a: {model: m, delegates: [a]}\n", `3:29: agents.a.delegates[0]: "a" would be handed back to a: an agent can't be among those below it`},
		{
			"work that goes round", begin + "  a: {model: m, delegates: [b]}\n  b: {model: m, delegates: [a]}\n",
			"3:29: agents.a.delegates[0]: \"b\" would be handed back to a: an agent can't be among those below it\n" +
				"4:29: agents.b.delegates[0]: \"a\" would be handed back to b: an agent can't be among those below it",
		},
		{"a shell's option on another tool", begin + "  a: {model: m, tools: {read_file: {timeout: 1s}}}\n", `3:37: unknown key "timeout" in agents.a.tools.read_file (known: location, approval)`},
		{"a key given twice", begin + "  a:\n    model: m\n    model: n\n", "5:5: agents.a.model is given twice; first in line 4"},
		{"an agent given twice", begin + "  a: {model: m}\n  a: {model: m}\n", "4:3: agents.a is given twice; first in line 3"},
		{"a key that is no text", begin + "  1: {model: m}\n  a: {model: m}\n", `3:3: a key has to be a text; put quotes around it, as in "1": …`},
		{"an anchor", begin + "  a: &x {model: m}\n", "3:6: anchors (&) and aliases (*) can't be used here; put quotes around a text that begins so"},
		{
			"a star without quotes", begin + "  a: {model: m, tools: {shell: }}\ntoolConfirmation: {toolPolicies: {alwaysDeny: [*]}}\n",
			"4:49: not readable as YAML: unexpected scalar value type; put quotes around a text that begins with * or &",
		},
		{
			"an alias without quotes", begin + "  a: {model: m, tools: {shell: }}\ntoolConfirmation: {toolPolicies: {alwaysDeny: [*x]}}\n",
			"4:48: anchors (&) and aliases (*) can't be used here; put quotes around a text that begins so",
		},
		{"a tag", begin + "  a: {model: !!str m}\n", "3:14: tags (!) can't be used here; put quotes around a text that begins so"},

		{"a text for a number", begin + "  a: {model: m, maxTurns: many}\n", `3:27: agents.a.maxTurns: want a whole number, found the text "many"`},
		{"half a number", begin + "  a: {model: m, maxTurns: 2.5}\n", `3:27: agents.a.maxTurns: want a whole number, found the number 2.5`},
		{"too small a number", begin + "  a: {model: m, maxTurns: 0}\n", `3:27: agents.a.maxTurns: want 1 or more, found 0`},
		{"too large a number", begin + "  a: {model: m, maxTurns: 99999999999}\n", `3:27: agents.a.maxTurns: want 1000000000 or less, found 99999999999`},
		{"a number for a text", begin + "  a: {model: m, description: 5}\n", `3:30: agents.a.description: want a text, found the number 5`},
		{"a word for a truth", begin + "  a: {model: m, tools: {shell: {approval: {required: yes}}}}\n", `3:54: agents.a.tools.shell.approval.required: want true or false, found the text "yes"`},
		{"nothing for a list", begin + "  a: {model: m, toolConfirmation: {rules: [{tool: shell, effect: deny, command: }]}, tools: {shell: }}\n", `3:72: agents.a.toolConfirmation.rules[0].command: want a list, found nothing`},
		{"a text for a list", begin + "  a: {model: m, tools: {shell: {approval: {options: Once}}}}\n", `3:53: agents.a.tools.shell.approval.options: want a list, found the text "Once"`},
		{"a bad duration", begin + "  a: {model: m, toolConfirmation: {timeout: 2 minutes}}\n", `3:45: agents.a.toolConfirmation.timeout: "2 minutes" is no duration: write it like 500ms, 30s, 2m or 1h30m, or none to wait without limit`},
		{"a number for a duration", begin + "  a: {model: m, toolConfirmation: {timeout: 120}}\n", `3:45: agents.a.toolConfirmation.timeout: want a text, found the number 120`},
		{"none where something is needed", begin + "  a: {model: m, tools: {shell: {timeout: none}}}\n", `3:42: agents.a.tools.shell.timeout: "none" is no duration: write it like 500ms, 30s, 2m or 1h30m`},
		{"no time at all", begin + "  a: {model: m, tools: {shell: {timeout: 0s}}}\n", `3:42: agents.a.tools.shell.timeout: "0s" is no time at all: want more than 0`},
		{"more time than there is", begin + "  a: {model: m, tools: {shell: {timeout: 9999999h}}}\n", `3:42: agents.a.tools.shell.timeout: "9999999h" is no duration: write it like 500ms, 30s, 2m or 1h30m`},
	})
}

func TestWhatIsEmptyIsNoChoice(t *testing.T) {
	tellsOf(t, []faulty{
		{"nothing for a sandbox", begin + "  a: {model: m, tools: {shell: {sandbox: }}}\n", `3:33: agents.a.tools.shell.sandbox: want a mapping (key: value), found nothing`},
		{"nothing for a truth", begin + "  a: {model: m, tools: {shell: {approval: {required: }}}}\n", `3:44: agents.a.tools.shell.approval.required: want true or false, found nothing`},
		{"no tool in a rule", begin + "  a: {model: m, toolConfirmation: {rules: [{tool: '${NO_SUCH_TOOL:-}', effect: deny}]}, tools: {shell: }}\n", `3:51: agents.a.toolConfirmation.rules[0].tool is empty: write something, or leave it out`},
		{"no letter in a list", begin + "  a: {model: m, tools: {shell: {sandbox: {mode: auto, write: ['']}}}}\n", `3:63: agents.a.tools.shell.sandbox.write[0] is empty: write something, or leave it out`},
		{"no folder", begin + "  a: {model: m, workdir: ''}\n", `3:26: agents.a.workdir is empty: write something, or leave it out`},
	})
}

func TestFaultsInTheValuesSayWhereTheyAreAndWhatWouldDo(t *testing.T) {
	tellsOf(t, []faulty{
		{"an unknown mode", begin + "  a: {model: m, toolConfirmation: {mode: auto-aprove}}\n", `3:42: agents.a.toolConfirmation.mode: "auto-aprove" is not known; did you mean auto-approve? (allowed: manual, auto-approve, auto-deny)`},
		{"the old name of manual", begin + "  a: {model: m, toolConfirmation: {mode: event-based}}\n", `3:42: agents.a.toolConfirmation.mode: event-based was renamed to manual`},
		{"a client tool", begin + "  a: {model: m, tools: {shell: {location: client}}}\n", `3:43: agents.a.tools.shell.location: tools that a client runs stand under clientTools; the only location here is server`},
		{"always and required", begin + "  a: {model: m, tools: {shell: {approval: {required: true, scope: always}}}}\n", `3:67: agents.a.tools.shell.approval.scope: always means that the tool is never asked about, and required: true that it always is: leave one of them out`},
		{"scope and options", begin + "  a: {model: m, tools: {shell: {approval: {scope: once, options: [Once]}}}}\n", `3:66: agents.a.tools.shell.approval.options: scope is given as well, and both say what an approval may cover: leave one of them out`},
		{"an unknown option", begin + "  a: {model: m, tools: {shell: {approval: {options: [Maybe, Once]}}}}\n", `3:54: agents.a.tools.shell.approval.options[0]: unknown answer "Maybe": use once, session, deny or cancel`},
		{"options that can't approve", begin + "  a: {model: m, tools: {shell: {approval: {options: [Cancel]}}}}\n", `3:53: agents.a.tools.shell.approval.options: none of them approves, so the tool could never run: add Once, or deny the tool under toolPolicies.alwaysDeny`},
		{"a pattern that is not valid", begin + "  a: {model: m, tools: {shell: {approval: {pattern: '('}}}}\n", "3:53: agents.a.tools.shell.approval.pattern: missing closing ): `(`"},
		{
			"a rule about a tool that the agent does not have", begin + "  a: {model: m, tools: {shell: , read_file: }, toolConfirmation: {toolPolicies: {alwaysDeny: [shel, write*]}}}\n",
			`3:95: agents.a.toolConfirmation.toolPolicies.alwaysDeny[0]: "shel" matches no tool of agent a; did you mean shell? (there are read_file, shell)` + "\n" +
				`3:101: agents.a.toolConfirmation.toolPolicies.alwaysDeny[1]: "write*" matches no tool of agent a (there are read_file, shell)`,
		},
		{
			"a rule for all about a tool that none has", begin + "  a: {model: m}\ntoolConfirmation: {toolPolicies: {alwaysAllow: [shell]}}\n",
			`4:49: toolConfirmation.toolPolicies.alwaysAllow[0]: "shell" matches no tool of any agent (there are no tools)`,
		},
		{"an address without a port", begin + "  a: {model: m}\ngateway: {listen: localhost}\n", `4:19: gateway.listen: "localhost" is no address: write host:port, such as 127.0.0.1:8787`},
		{"an origin without TLS", begin + "  a: {model: m}\ngateway: {publicOrigins: [\"http://a.example\"]}\n", `4:27: gateway.publicOrigins[0]: "http://a.example" is without TLS, and logins could be read on the way: write https://, or open it on the gateway's own machine`},
		{"a proxy that is everybody", begin + "  a: {model: m}\ngateway: {trustedProxies: [\"0.0.0.0/0\"]}\n", `4:28: gateway.trustedProxies[0]: "0.0.0.0/0": is everybody: write an address such as 10.0.0.2, or a network such as 10.0.0.0/24`},
		{"a proxy with host bits", begin + "  a: {model: m}\ngateway: {trustedProxies: [\"10.0.0.2/8\"]}\n", `4:28: gateway.trustedProxies[0]: "10.0.0.2/8": is within 10.0.0.0/8: say which of both is meant: write an address such as 10.0.0.2, or a network such as 10.0.0.0/24`},
		{"a proxy that is mapped", begin + "  a: {model: m}\ngateway: {trustedProxies: [\"::ffff:10.0.0.2\"]}\n", `4:28: gateway.trustedProxies[0]: "::ffff:10.0.0.2": write 10.0.0.2 as the IPv4 address that it is: write an address such as 10.0.0.2, or a network such as 10.0.0.0/24`},
		{"one host with and without TLS", begin + "  a: {model: m}\ngateway: {publicOrigins: [\"https://localhost:1\", \"http://localhost:1\"]}\n", `4:26: gateway.publicOrigins: auth: origin "http://localhost:1": this host is named with and without TLS; name it once`},
		{"an origin with a path", begin + "  a: {model: m}\ngateway: {publicOrigins: [\"https://a.example/\"]}\n", `4:27: gateway.publicOrigins[0]: "https://a.example/" is no origin: write the scheme, the host and a port where there is one, such as https://approvals.example.com`},
		{"a folder that is not there", begin + "  a: {model: m, workdir: ./missing}\n", `3:26: agents.a.workdir: "./missing" can't be used: it does not exist; paths start at the folder of this file`},
		{"a file for a folder", begin + "  a: {model: m, workdir: config.go}\n", `3:26: agents.a.workdir: "config.go" is a file: want a directory`},
		{"a script that is not there", "models: {m: {provider: scripted, script: s.yaml}}\nagents: {a: {model: m}}\n", `1:42: models.m.script: "s.yaml" can't be read: it does not exist; paths start at the folder of this file`},
		{"a folder for a script", "models: {m: {provider: scripted, script: ../docs}}\nagents: {a: {model: m}}\n", `1:42: models.m.script: "../docs" is no script: want a file of at most 1048576 bytes`},
	})
}

func TestFaultsAboutVariablesTellNothingOfWhatTheyHold(t *testing.T) {
	tellsOf(t, []faulty{
		{"a variable that is not set", begin + "  a: {model: m, description: \"${NOBODY}\"}\n", `3:30: agents.a.description: the environment variable NOBODY is not set: set it, or write ${NOBODY:-default}`},
		{"a variable that is never closed", begin + "  a: {model: m, description: \"${NOBODY\"}\n", `3:30: agents.a.description: ${NOBODY is never closed: write ${NAME}, or $${ for the text ${`},
		{"a variable without a name", begin + "  a: {model: m, description: \"${1:-x}\"}\n", `3:30: agents.a.description: ${1:-x} names no environment variable: write ${NAME} or ${NAME:-default}, or $${ for the text ${`},
		{"what a variable holds is not told", begin + "  a: {model: \"${SECRET}\"}\n", `3:14: agents.a.model: there is no model "${SECRET}" (with the environment's values) (there are: m)`},
		{"a variable is a text, also where it looks like a number", begin + "  a: {model: m, maxTurns: \"${TURNS}\"}\n", `3:27: agents.a.maxTurns: want a whole number, found the text "${TURNS}" (with the environment's values)`},
		{"a long text is cut in the message", begin + "  a: {model: m, maxTurns: " + strings.Repeat("ä", 61) + "}\n", `3:27: agents.a.maxTurns: want a whole number, found the text "` + strings.Repeat("ä", 60) + `"…`},
	})
}

func tellsOf(t *testing.T, tests []faulty) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := faults(t, "agents.yaml", tt.yaml)
			want := "agents.yaml:" + strings.ReplaceAll(tt.want, "\n", "\nagents.yaml:")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllFaultsAreReportedAtOnceInTheirOrder(t *testing.T) {
	got := faults(t, "conf/agents.yaml", `gateway:
  listen: nowhere
  port: 1
models:
  m: {provider: scripted, delay: soon}
agents:
  a:
    model: x
    maxTurns: none
    maxTurns: 5
    toolConfirmation: {mode: event-based, timeout: 0s}
    tools:
      shell: {approval: {required: true, scope: always, pattern: "["}}
      bash: {}
  b:
    tools: []
    toolConfirmation: {toolPolicies: {alwaysDeny: [shell]}}
`)
	want := strings.TrimSpace(`
conf/agents.yaml:2:11: gateway.listen: "nowhere" is no address: write host:port, such as 127.0.0.1:8787
conf/agents.yaml:3:3: unknown key "port" in gateway (known: listen, data, auditKey, localKey, publicOrigins, runWithin, runIdle, askerGrace, requireHello, push, pushHosts, traces, retention, secrets, tls, trustedProxies, limits)
conf/agents.yaml:5:34: models.m.delay: "soon" is no duration: write it like 500ms, 30s, 2m or 1h30m
conf/agents.yaml:8:12: agents.a.model: there is no model "x"; did you mean m? (there are: m)
conf/agents.yaml:9:15: agents.a.maxTurns: want a whole number, found the text "none"
conf/agents.yaml:10:5: agents.a.maxTurns is given twice; first in line 9
conf/agents.yaml:11:30: agents.a.toolConfirmation.mode: event-based was renamed to manual
conf/agents.yaml:11:52: agents.a.toolConfirmation.timeout: "0s" is no time at all: want more than 0
conf/agents.yaml:13:49: agents.a.tools.shell.approval.scope: always means that the tool is never asked about, and required: true that it always is: leave one of them out
conf/agents.yaml:13:66: agents.a.tools.shell.approval.pattern: missing closing ]: ` + "`[`" + `
conf/agents.yaml:14:7: unknown tool "bash" in agents.a.tools (known: shell, read_file, write_file, edit_file, list_files, ask_user)
conf/agents.yaml:15:3: agents.b has no model, and needs one: the name of one of the models, or kind: external for a program that asks
conf/agents.yaml:16:12: agents.b.tools: want a mapping (key: value), found a list
`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAScriptsFaultsAreNamedWithTheirOwnPlaces(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s.yaml"), "steps:\n  - match: /(/\n    say: b\n  - match: c\n")
	name := filepath.Join(dir, "agents.yaml")
	got := faults(t, name, "models: {m: {provider: scripted, script: s.yaml}}\nagents: {a: {model: m}}\n")
	want := name + `:1:42: models.m.script: in "s.yaml": line 2, column 12: steps[0].match: error parsing regexp: missing closing ): ` + "`(`\n" +
		name + `:1:42: models.m.script: in "s.yaml": line 4, column 5: steps[1]: nothing happens: give say, calls or both`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(most))
	f.Add([]byte(begin + "  a: {model: m, tools: {shell: {timeout: 1s, approval: {options: [Once]}}}}\n"))
	f.Add([]byte(begin + "  a: {model: ${X:-m}, maxTurns: 3, toolConfirmation: {mode: manual, timeout: none, toolPolicies: {alwaysDeny: ['*']}}}\n"))
	f.Add([]byte("agents: {a: &x [1, .inf, !!str y, *x, <<: z]}\n? a\n: |\n  b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("agents.yaml", data, lookup(map[string]string{"X": ""}))
		if err != nil {
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) == 0 || err.Error() == "" {
				t.Errorf("an error that is no fault of the file: %v", err)
			}
			return
		}
		if len(c.Agents) == 0 {
			t.Error("accepted without an agent")
		}
		for _, a := range c.Agents {
			if a.ID == "" || a.Model.Model == nil || a.Timeout == 0 || a.Mode == "" {
				t.Errorf("accepted an agent that is not complete: %+v", a)
			}
		}
	})
}

func faults(t *testing.T, name, yaml string) string {
	t.Helper()
	_, err := config.Parse(name, []byte(yaml), lookup(map[string]string{"SECRET": "hunter2", "TURNS": "5"}))
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v, want faults", err)
	}
	return faults.Error()
}
