package policy_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// conditionalSpec is a tool whose schema has what only narrows it.
func conditionalSpec() tool.Spec {
	return tool.Spec{Name: "cond", Command: tool.CommandArgs{Line: "command"}, Schema: tool.JSON(`{"type":"object","additionalProperties":false,
		"properties":{"command":{"type":"string"},"n":{"type":["integer","null"]},"level":{"enum":["low","high"]},"list":{"type":"array","items":{"type":"string"}},
			"any":{},"ref":{"$ref":"#/$defs/x"},"either":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"fixed":{"const":1},"real":{"type":"number"},
			"o":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]}},
		"if":{"required":["command"]},"then":{"properties":{"n":{"minimum":1}}},"else":{"required":["n"]},"allOf":[{"not":{"required":["x"]}}]}`)}
}

func TestARuleThatLoadsWouldDoSomething(t *testing.T) {
	on := func(path string, m policy.Matcher) policy.Rule {
		return policy.Rule{Args: map[string]policy.Matcher{path: m}}
	}
	equals := func(v string) policy.Matcher { return policy.Matcher{Equals: tool.JSON(v)} }
	glob := policy.Matcher{Glob: ptr("*rm*")}
	for name, c := range map[string]struct {
		rule     policy.Rule
		at, text string
	}{
		"no command in a list":               {policy.Rule{Command: []string{}}, "command", "leave command out"},
		"no argument at all":                 {policy.Rule{Args: map[string]policy.Matcher{}}, "args", "leave args out"},
		"no folder in a list":                {policy.Rule{Paths: []string{}}, "paths", "leave paths out"},
		"a word that is no argument":         {on("comand", glob), "args comand", "has no argument comand; there are"},
		"one inside an object":               {on("o.b", glob), "args o.b", "no argument b"},
		"one inside all of a choice":         {on("either.x", glob), "args either.x", "no argument x"},
		"one inside a type or null":          {on("n.x", glob), "args n.x", "no argument x"},
		"a number for a text":                {on("command", equals(`5`)), "args command equals", "cond's command is a string"},
		"a text for a number":                {on("n", equals(`"5"`)), "args n equals", "cond's n is an integer or null"},
		"a fraction for a whole":             {on("n", equals(`5.5`)), "args n equals", "is an integer"},
		"a list for a text":                  {on("command", equals(`["a"]`)), "args command equals", "is a string"},
		"a number in a list of texts":        {on("list", equals(`1`)), "args list equals", "is an array"},
		"a glob on a number":                 {on("n", glob), "args n glob", "glob is for texts"},
		"a regex on a number":                {on("real", policy.Matcher{Regex: ptr("a")}), "args real regex", "regex is for texts"},
		"a path that is a number":            {on("n", policy.Matcher{PathWithin: ptr("a")}), "args n pathWithin", "pathWithin is for texts"},
		"a host that is a number":            {on("n", policy.Matcher{HostWithin: ptr("a.b")}), "args n hostWithin", "hostWithin is for texts"},
		"none of the values":                 {on("level", equals(`"middle"`)), "args level equals", `one of "low", "high"`},
		"a prefix of none":                   {on("level", policy.Matcher{Prefix: ptr("mid")}), "args level prefix", `one of "low", "high"`},
		"a glob on what is fixed":            {on("fixed", glob), "args fixed glob", "1"},
		"neither of two types":               {on("either", equals(`1`)), "args either equals", "string"},
		"CEL on no argument":                 {policy.Rule{When: `args.pth == "x"`}, "when", "cond has no argument pth; there are"},
		"CEL by index on none":               {policy.Rule{When: `args["pth"] == "x"`}, "when", "no argument pth"},
		"CEL that looks for none":            {policy.Rule{When: `has(args.pth) && args.n > 1`}, "when", "no argument pth"},
		"CEL with in":                        {policy.Rule{When: `"pth" in args`}, "when", "no argument pth"},
		"CEL on none inside":                 {policy.Rule{When: `args.o.b == "x"`}, "when", "no argument b"},
		"CEL within a list":                  {policy.Rule{When: `args.list.exists(x, x == args.pth)`}, "when", "no argument pth"},
		"CEL that is always false":           {policy.Rule{When: `false`}, "when", "always false"},
		"CEL that is always true":            {policy.Rule{When: `true`}, "when", "always true"},
		"CEL that is true in a long way":     {policy.Rule{When: `1 < 2 || args.n > 1`}, "when", "always true"},
		"CEL that says nothing":              {policy.Rule{When: `"a" == "b"`}, "when", "always false"},
		"a home in a pattern":                {policy.Rule{Command: []string{"ls", "~/bin/x *"}}, "command 1", "~"},
		"a home as an argument":              {policy.Rule{Command: []string{"cat ~/x"}, Effect: policy.Allow}, "command 0", "paths:"},
		"another's home":                     {policy.Rule{Command: []string{"cat ~ada"}}, "command 0", "~"},
		"a home as a value":                  {policy.Rule{Command: []string{"A=~/x ls"}}, "command 0", "leave that out"},
		"a command that is one word":         {policy.Rule{Command: []string{"'rm -rf *'"}}, "command 0", "leave the quotes out"},
		"one in double quotes":               {policy.Rule{Command: []string{`"git status"`}}, "command 0", "leave the quotes out"},
		"one with a folder":                  {policy.Rule{Command: []string{"'/bin/rm -rf *'"}}, "command 0", "leave the quotes out"},
		"one with a backslash":               {policy.Rule{Command: []string{`git\ status *`}}, "command 0", "leave the"},
		"a glob with a question mark":        {on("command", policy.Matcher{Glob: ptr("a?c")}), "args command glob", "only * is"},
		"a glob with a question mark, allow": {policy.Rule{Tool: "edit_file", Args: map[string]policy.Matcher{"path": {Glob: ptr("a?c")}}, Effect: policy.Allow}, "args path glob", "regex"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.rule.Tool == "" {
				c.rule.Tool = "cond"
			}
			if c.rule.Effect == "" {
				c.rule.Effect = policy.Deny
			}
			made, faults := policy.Compile(c.rule, []tool.Spec{conditionalSpec(), editSpec()})
			if made != nil || len(faults) != 1 || strings.Join(faults[0].At, " ") != c.at || !strings.Contains(faults[0].Text, c.text) ||
				strings.Contains(faults[0].Text, "\n") {
				t.Errorf("%v, %q", made != nil, faults)
			}
		})
	}
}

func TestRulesThatMayDoSomethingAreNotBlamed(t *testing.T) {
	equals := func(v string) policy.Matcher { return policy.Matcher{Equals: tool.JSON(v)} }
	for name, r := range map[string]policy.Rule{
		"a value of each type": {Args: map[string]policy.Matcher{
			"n": equals(`5`), "/n": equals(`null`), "level": equals(`"low"`), "list": equals(`"a"`), "list.0": equals(`"a"`), "/list": equals(`["a"]`),
			"any": equals(`7`), "ref": equals(`7`), "ref.x.y": equals(`7`), "either": equals(`true`), "fixed": equals(`1.0`), "real": equals(`5`),
			"o": equals(`{"a":"b"}`), "command": equals(`"x"`), "/command": {Glob: ptr("*")}, "any.x": {Glob: ptr("*")}, "/level": {Glob: ptr("l*")}}},
		"a tool of several has it": {Tool: "*", Args: map[string]policy.Matcher{"path": equals(`"x"`), "n": equals(`1`)}, When: `args.path == "x" || args.n > 1`},
		"a condition":              {When: `args.n > 1 && has(args.o.a) && args.list[0] == "x" && "x" in args.list && args.any.x.y && args.exists(k, k == "z")`},
		"a name that is computed":  {When: `args[tool] == 1`},
		"a tilde in the middle":    {Command: []string{"git show HEAD~1 *", `cat '~' "~x" \~y *~`}},
		"a program with a space":   {Command: []string{"'/opt/My App/run' *", "git commit -m 'a b'"}},
	} {
		if r.Tool == "" {
			r.Tool = "cond"
		}
		r.Effect = policy.Ask
		if made, faults := policy.Compile(r, []tool.Spec{conditionalSpec(), editSpec()}); made == nil || len(faults) > 0 {
			t.Errorf("%s: %q", name, faults)
		}
	}
}
