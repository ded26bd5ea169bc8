package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// termed is a file whose agent has a server with what is said of it in line 3.
func termed(said string) string {
	return "models: {m: {provider: scripted}}\nagents:\n  a: {model: m, mcp: {t: {" + said + "}}}\nmcpServers: {t: {command: x}}\n"
}

func pattern(t *testing.T, text string) approval.Pattern {
	t.Helper()
	p, err := approval.CompilePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheTermsOfOneToolWinOverThoseOfItsServerKeyByKey(t *testing.T) {
	both, once := []approval.Scope{approval.Once, approval.Session}, []approval.Scope{approval.Once}
	for name, c := range map[string]struct {
		server, own string
		want        approval.Terms
	}{
		"nothing said of the tool":                    {`required: true, message: m`, ``, approval.Terms{Need: approval.NeedAsk, Message: "m", Scopes: both}},
		"a message of its own":                        {`required: true, message: m`, `message: n`, approval.Terms{Need: approval.NeedAsk, Message: "n", Scopes: both}},
		"asked where the server is not":               {`required: false, message: m`, `required: true`, approval.Terms{Need: approval.NeedAsk, Message: "m", Scopes: both}},
		"not asked where the server is":               {`required: true`, `required: false`, approval.Terms{Need: approval.NeedNone, Scopes: both}},
		"a scope of its own":                          {`scope: session`, `scope: once`, approval.Terms{Scopes: once}},
		"options of its own in place of a scope":      {`scope: session`, `options: [Once, Deny]`, approval.Terms{Scopes: once}},
		"a scope of its own in place of options":      {`options: [Once, Deny]`, `scope: session`, approval.Terms{Scopes: both}},
		"asked where the server is always allowed":    {`scope: always`, `required: true`, approval.Terms{Need: approval.NeedAsk, Scopes: both}},
		"always allowed where the server is asked":    {`required: true`, `scope: always`, approval.Terms{Need: approval.NeedNone, Scopes: both}},
		"the server's pattern":                        {`pattern: ".*"`, `required: true`, approval.Terms{Need: approval.NeedAsk, Pattern: pattern(t, ".*"), Scopes: both}},
		"no pattern and no message where it says so":  {`pattern: ".*", message: m`, `pattern: "", message: ""`, approval.Terms{Scopes: both}},
		"only once where the server allows a session": {`options: [Once, Always]`, `scope: once`, approval.Terms{Scopes: once}},
	} {
		t.Run(name, func(t *testing.T) {
			a := parse(t, termed(`approval: {`+c.server+`}, tools: {deploy: {approval: {`+c.own+`}}}`)).Agents[0]
			_, terms, ok, err := a.Find("t__deploy")
			terms.Options = nil
			if diff := cmp.Diff(c.want, terms, readable); diff != "" || !ok || err != nil || terms.Pattern.Covers("{}") != c.want.Pattern.Covers("{}") {
				t.Errorf("%v, %v (-want +got):\n%s", ok, err, diff)
			}
			if _, other, _, _ := a.Find("t__read"); other.Need != a.MCP[0].Terms.Need || other.Message != a.MCP[0].Terms.Message {
				t.Errorf("another tool has %+v, and the server %+v", other, a.MCP[0].Terms)
			}
		})
	}
}

func TestTermsThatCanNotBeMeantAreFaultsWithTheirPlace(t *testing.T) {
	tellsOf(t, []faulty{
		{"a tool that except leaves out", termed(`except: [deploy], tools: {deploy: {approval: {required: true}}}`), `3:53: agents.a.mcp.t.tools.deploy: the agent does not have this tool: except leaves it out`},
		{"a tool that only leaves out", termed(`only: ["read_*"], tools: {deploy: {approval: {required: true}}}`), `3:53: agents.a.mcp.t.tools.deploy: the agent does not have this tool: it is not among only`},
		{"a name that no tool can have", termed(`tools: {"de ploy": }`), `3:35: agents.a.mcp.t.tools.de ploy: no tool of a server can be named so: write the server's own name, letters, digits and _ . / : -`},
		{"an unknown key of a tool", termed(`tools: {deploy: {aproval: }}`), `3:44: unknown key "aproval" in agents.a.mcp.t.tools.deploy; did you mean approval? (known: approval)`},
		{"a fault of the server's terms is said once", termed(`approval: {pattern: "("}, tools: {a: {approval: {message: m}}, b: {approval: {message: m}}}`), "3:47: agents.a.mcp.t.approval.pattern: missing closing ): `(`"},
		{"a tool's own contradiction", termed(`tools: {deploy: {approval: {scope: always, required: true}}}`), `3:62: agents.a.mcp.t.tools.deploy.approval.scope: always means that the tool is never asked about, and required: true that it always is: leave one of them out`},
		{
			"a message about an argument that the shell has not", begin + "  a: {model: m, tools: {shell: {approval: {message: \"Run {cmd} now\"}}}}\n",
			`3:53: agents.a.tools.shell.approval.message: {cmd} stands for an argument that shell does not have (there are argv, command, timeoutSeconds)`,
		},
		{
			"one about an argument that a file tool has not", begin + "  a: {model: m, tools: {write_file: {approval: {message: \"{path} {file}\"}}}}\n",
			`3:58: agents.a.tools.write_file.approval.message: {file} stands for an argument that write_file does not have (there are content, path)`,
		},
		{
			"one about an argument that a client tool has not", begin + "  a: {model: m, clientTools: {x: {schema: {type: object, properties: {to: {}}, additionalProperties: false}, approval: {message: \"{too}\"}}}}\n",
			`3:130: agents.a.clientTools.x.approval.message: {too} stands for an argument that x does not have; did you mean to? (there are to)`,
		},
		{
			"one about an argument that a tool of the dashboard has not", begin + "  a: {model: m, clientTools: {ui.openLink: {approval: {message: \"{link}\"}}}}\n",
			`3:65: agents.a.clientTools.ui.openLink.approval.message: {link} stands for an argument that ui.openLink does not have (there are url)`,
		},
	})
	for _, sound := range []string{
		begin + "  a: {model: m, tools: {shell: {approval: {message: \"Run {command} for {timeoutSeconds}: {} { }\"}}}}\n",
		begin + "  a: {model: m, clientTools: {x: {approval: {message: \"{anything}\"}}}}\n",
		begin + "  a: {model: m, clientTools: {x: {schema: {properties: {a: {}}, additionalProperties: true}, approval: {message: \"{b}\"}}}}\n",
		termed(`approval: {message: "Deploy to {to}"}`),
	} {
		parse(t, sound)
	}
}

func TestWhatAServerDoesNotHaveIsToldOnceItsToolsAreKnown(t *testing.T) {
	specs := []tool.Spec{
		{Name: "t__deploy", Schema: tool.JSON(`{"type":"object","properties":{"to":{"type":"string"}}}`)},
		{Name: "t__read", Schema: tool.JSON(`{"type":"object"}`)},
		{Name: "t__list", Schema: tool.JSON(`{"type":"object","properties":{"dir":{"type":"string"}},"additionalProperties":false}`)},
	}
	for name, c := range map[string]struct{ said, want string }{
		"all of it fits":                       {`tools: {deploy: {approval: {message: "Deploy to {to}"}}}`, ""},
		"a tool that does not exist":           {`tools: {deplyo: {approval: {required: true}}}`, `mcp.t.tools.deplyo: the server has no such tool; did you mean deploy? (there are deploy, read, list)`},
		"a message about no argument":          {`tools: {deploy: {approval: {message: "{too}"}}}`, `mcp.t.tools.deploy.approval.message: {too} stands for an argument that deploy does not have; did you mean to? (there are to)`},
		"the server's message, for some of it": {`approval: {message: "{to}"}`, `mcp.t.approval.message: {to} stands for an argument that list does not have (there are dir)`},
		"a message that is replaced":           {`approval: {message: "{to}"}, tools: {list: {approval: {message: m}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(parse(t, termed(c.said)).Agents[0].MCP[0].Misfits(specs), "\n")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTermsCanBeTakenOverWithoutARestart(t *testing.T) {
	file := func(server, client string) string {
		return begin + "  a: {model: m, clientTools: {x: {" + client + "}}, mcp: {t: {" + server + "}}}\nmcpServers: {t: {command: x}}\n"
	}
	before := parse(t, file("approval: {required: true}", "timeout: 1s"))
	for said, live := range map[string]bool{
		file("approval: {required: false}", "timeout: 1s"):                                            true,
		file("tools: {deploy: {approval: {required: false}}}", "timeout: 1s"):                         true,
		file("approval: {required: true}", "timeout: 1s, approval: {message: m}"):                     true,
		file("approval: {required: true}, only: [read]", "timeout: 1s"):                               false,
		file("approval: {required: true}", "timeout: 2s"):                                             false,
		file("approval: {required: true}, tools: {deploy: {approval: {scope: once}}}", "timeout: 1s"): true,
	} {
		changes := before.Changes(parse(t, said))
		if len(changes) == 0 {
			t.Errorf("%s changes nothing", said)
		}
		for _, c := range changes {
			if c.Live != live {
				t.Errorf("%s: live %v", c, c.Live)
			}
		}
	}
}

func TestAnAgentIsObservedUntilTheEndOfADay(t *testing.T) {
	in := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	tellsOf(t, []faulty{
		{"too far off", begin + "  a: {model: m, observeUntil: " + in(15) + "}\n", `3:31: agents.a.observeUntil: "` + in(15) + `" is too far off: an agent can be observed for 14 days`},
		{"no day", begin + "  a: {model: m, observeUntil: soon}\n", `3:31: agents.a.observeUntil: "soon" is no day: write it like 2026-12-10`},
	})
	for _, days := range []int{-30, 0, 14} {
		a := parse(t, begin+"  a: {model: m, observeUntil: "+in(days)+"}\n").Agents[0]
		if got := a.ObserveUntil.Add(-time.Second).Format(time.DateOnly); got != in(days) {
			t.Errorf("in %d days: until the end of %s, want %s", days, got, in(days))
		}
	}
	if a := parse(t, begin+"  a: {model: m}\n").Agents[0]; !a.ObserveUntil.IsZero() {
		t.Errorf("without a word: %s", a.ObserveUntil)
	}
}

func TestFaultsOfAProgramsAgentSayWhereTheyAre(t *testing.T) {
	tellsOf(t, []faulty{
		{"a program with a model", begin + "  a: {kind: external, model: m}\n", "3:30: agents.a.model: an external agent has none: leave it out. Tools that the program runs stand under clientTools"},
		{"terms of an offered server's tools", begin + "  a: {kind: external, mcp: {n: {approval: {required: true}}}}\nmcpServers: {n: {command: x}}\n", "3:43: agents.a.mcp.n.approval: belongs to agents that the gateway runs: write a rule about n__TOOL instead"},
		{"a server that two agents offer", begin + "  a: {kind: external, mcp: {n: }}\n  b: {kind: external, mcp: {n: }}\nmcpServers: {n: {command: x}}\n", "4:29: agents.b.mcp.n: a offers this server already: name it twice under mcpServers, or take it out of one"},
		{"a program's tool with a time limit", begin + "  a: {kind: external, clientTools: {x: {timeout: 3s}}}\n", "3:50: agents.a.clientTools.x.timeout: belongs to tools that the gateway has a client run: leave it out"},
		{"a program's argument that is not valid", begin + "  a: {kind: external, clientTools: {x: {arguments: {reads: [a..b]}}}}\n", "3:61: agents.a.clientTools.x.arguments.reads[0]: an empty name: write options.force, or a JSON Pointer such as /options/force"},
		{"a rule about a tool that no program declares", begin + "  a: {kind: external, clientTools: {Bash: {}}, toolConfirmation: {rules: [{tool: Bsh, effect: deny}]}}\n", `3:82: agents.a.toolConfirmation.rules[0].tool: "Bsh" matches no tool of agent a; did you mean Bash? (there are Bash)`},
		{"a rule about an argument that a program's tool does not name", begin + "  a: {kind: external, clientTools: {d: {schema: {type: object, properties: {environment: {}}}}}, toolConfirmation: {rules: [{tool: d, args: {env: {equals: x}}, effect: deny}]}}\n", "3:147: agents.a.toolConfirmation.rules[0].args.env: d has no argument env; there are environment"},
		{"another kind", begin + "  a: {kind: outside}\n", `3:13: agents.a.kind: "outside" is not known (allowed: external)`},
	})
}
