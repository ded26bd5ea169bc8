package cmdline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// show writes a word: an unknown one ends in …, one that may be several in …*.
func show(w cmdline.Word) string {
	switch {
	case w.Known:
		return w.Text
	case w.Many:
		return w.Text + "…*"
	}
	return w.Text + "…"
}

func showPart(p cmdline.Part) string {
	var all []string
	for _, a := range p.Assigns {
		mark := ""
		if a.Exported {
			mark = "x:"
		}
		all = append(all, mark+a.Name+"="+show(a.Value))
	}
	for _, w := range p.Words {
		all = append(all, show(w))
	}
	for _, f := range p.Files {
		mark := "<"
		if f.Write {
			mark = ">"
		}
		all = append(all, mark+show(f.Path))
	}
	return strings.Join(all, "|")
}

func showParts(l cmdline.Line) []string {
	var all []string
	for _, p := range l.Parts {
		all = append(all, showPart(p))
	}
	return all
}

func TestEachCommandOfALineIsAPart(t *testing.T) {
	for line, want := range map[string][]string{
		"git status":                               {"git|status"},
		"a; b && c || d | e & f":                   {"a", "b", "c", "d", "e", "f"},
		"a; a; a":                                  {"a"},
		"! a; { b; }; (c)":                         {"a", "b", "c"},
		"if a; then b; elif c; then d; fi":         {"a", "b", "c", "d"},
		"for i in x $(a); do b; done":              {"a", "b"},
		"while a; do b; done; until c; do d; done": {"a", "b", "c", "d"},
		"case $(a) in $(b)) c;; esac":              {"a", "b", "c"},
		"f() { a; }; f":                            {"a", "f"},
		"a $(b `c`)":                               {"c", "b|…*", "a|…*"},
		"a \"${x:-$(b)}\"":                         {"b", "a|…"},
		"x=$(a) b":                                 {"a", "x:x=…|b"},
		"a <<E\n$(b)\nE":                           {"b", "a"},
		"a # b":                                    {"a"},
		"a \\\n b":                                 {"a|b"},
		"":                                         nil,
	} {
		if diff := cmp.Diff(want, showParts(cmdline.Parse(line))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestAWordIsWhatIsKnownOfItBeforeItRuns(t *testing.T) {
	for line, want := range map[string]string{
		`a 'b c' "d e" f\ g`: "a|b c|d e|f g",
		`a $'b' b$'\x41'`:    "a|b|b…",
		`a b$x`:              "a|b…*",
		`a "b$x"`:            "a|b…",
		`a "$@"`:             "a|…*",
		`a $#`:               "a|…",
		`a b*.go`:            "a|b…*",
		`a "*" \* '?'`:       "a|*|*|?",
		`a ~ ~/b x=~/c`:      "a|…|…|x=…",
		`a "~"`:              "a|~",
		`a $(b)c`:            "a|…*",
		`a ''`:               "a|",
		`a -x="$y"`:          "a|-x=…",
		`[ a ]`:              "[|a|]",
		`a {b,c}d`:           "a|bd|cd",
		`a {1..3}`:           "a|1|2|3",
		`a {b,{c,d}}`:        "a|…*",
		`a {} {b} b{`:        "a|{}|{b}|b{",
		`a "{b,c}"`:          "a|{b,c}",
	} {
		got := cmdline.Parse(line)
		if len(got.Parts) == 0 {
			t.Errorf("%q has no parts: %v", line, got.Unknown)
			continue
		}
		if parts := showParts(got); !slices.Contains(parts, want) {
			t.Errorf("%q is %q, want %q", line, parts, want)
		}
	}
}

func TestAnUnknownWordSaysWhatKindItIs(t *testing.T) {
	p := cmdline.Parse("a src/* ~/x src/$y").Parts[0]
	want := []cmdline.Word{
		{Text: "a", Known: true},
		{Text: "src/", Many: true, Glob: true},
		{Home: true, Below: "/x", Whole: true},
		{Text: "src/", Many: true},
	}
	if diff := cmp.Diff(want, p.Words); diff != "" {
		t.Error(diff)
	}
}

func TestAssignmentsAreKeptWithWhereTheyCount(t *testing.T) {
	for line, want := range map[string]string{
		"A=1 b":              "x:A=1|b",
		"A=1":                "A=1",
		"A=$x b":             "x:A=…|b",
		"a=(1 2)":            "a=…",
		"A='b c' d":          "x:A=b c|d",
		"A=~/b c":            "x:A=…|c",
		"export A=1 B":       "x:A=1|export|A=1|B",
		"declare -x A=1":     "x:A=1|declare|-x|A=1",
		"local a=1":          "a=1|local|a=1",
		"command export A=1": "",
	} {
		parts := showParts(cmdline.Parse(line))
		if want == "" {
			want = "x:A=1|export|A=1"
			parts = parts[1:]
		}
		if diff := cmp.Diff([]string{want}, parts); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestRedirectionsAreTheFilesThatTheyOpen(t *testing.T) {
	for line, want := range map[string]string{
		"a > b":                      "a|>b",
		"a >> b":                     "a|>b",
		"a >| b":                     "a|>b",
		"a &> b":                     "a|>b",
		"a &>> b":                    "a|>b",
		"a <> b":                     "a|>b",
		"a 2> b":                     "a|>b",
		"a >& b":                     "a|>b",
		"a < b":                      "a|<b",
		"a 2>&1 >&2 <&- 3>&4-":       "a",
		"a > /dev/null 2>&1":         "a",
		"a < /dev/stdin":             "a",
		"a <<< b":                    "a",
		"a > /dev/tcp/h/1":           "a|>/dev/tcp/h/1",
		"a > $x":                     "a|>…*",
		"a > b{c,d}":                 "a|>…*",
		"a > ~/b":                    "a|>…",
		"> b":                        ">b",
		"{ a; } > b":                 ">b",
		"for i in 1; do a; done > b": ">b",
		"a >& $x":                    "a|>…*",
		"tee b -a c":                 "tee|b|-a|c|>b|>c",
		"dd if=a of=b":               "dd|if=a|of=b|>b",
		"sort -ob c":                 "sort|-ob|c|>b",
		"sed -i s/a/b/ c d":          "sed|-i|s/a/b/|c|d|>c|>d",
		"git diff --output=b":        "git|diff|--output=b|>b",
		"curl -o b u":                "curl|-o|b|u|>b",
		"find . -fprint b":           "find|.|-fprint|b|>b",
	} {
		parts := showParts(cmdline.Parse(line))
		if len(parts) == 0 || parts[0] != want {
			t.Errorf("%q is %q, want %q first", line, parts, want)
		}
	}
}

func TestCdSaysWhereWhatFollowsRuns(t *testing.T) {
	own, unknown := cmdline.Bases{}, cmdline.Bases{Unknown: true}
	in := func(dirs ...string) cmdline.Bases { return cmdline.Bases{Dirs: dirs} }
	for line, want := range map[string]cmdline.Bases{
		"x":                           own,
		"cd a && x":                   in("a"),
		"cd a && cd b && x":           in("a/b"),
		"cd a && cd /b && x":          in("/b"),
		"cd a; x":                     in("", "a"),
		"cd a || exit; x":             in("", "a"),
		"cd a\nx":                     in("", "a"),
		"cd -- a && x":                in("a"),
		"(cd a); x":                   own,
		"(cd a && x)":                 in("a"),
		"{ cd a && x; }":              in("a"),
		"cd a & x":                    own,
		"$(cd a) ; x":                 own,
		"! cd a || x":                 in("a"),
		"cd $d && x":                  unknown,
		"cd && x":                     unknown,
		"cd - && x":                   unknown,
		"pushd a; x":                  unknown,
		"x; while a; do cd b; done":   unknown,
		"if cd a; then x; fi":         unknown,
		"x; eval 'cd a'":              unknown,
		"f() { x; }":                  unknown,
		"trap x EXIT":                 unknown,
		"find . -execdir x {} \\;":    unknown,
		"env -C a x":                  in("a"),
		"ssh h x":                     unknown,
		"cd a && bash -c 'cd b && x'": in("a/b"),
	} {
		l := cmdline.Parse(line)
		found := false
		for _, p := range l.Parts {
			if len(p.Words) > 0 && p.Words[0].Text == "x" {
				found = true
				if diff := cmp.Diff(want, p.Bases); diff != "" {
					t.Errorf("%q (-want +got):\n%s", line, diff)
				}
			}
		}
		if !found {
			t.Errorf("%q does not run x: %q", line, showParts(l))
		}
	}
}

func TestWhatCanNotBeKnownIsSaid(t *testing.T) {
	for line, want := range map[string]string{
		"a (":                            "not readable as a bash line",
		"a <(b)":                         "not readable as a POSIX shell line",
		"a\rb":                           "control character",
		"a\x00":                          "control character",
		"a \u202e":                       "invisible character",
		"a\u00a0b":                       "invisible character",
		"a \u3164":                       "blank character",
		"a \xff":                         "not valid UTF-8",
		"echo ${x@P}":                    "more than a name in it",
		"echo ${!x}":                     "more than a name in it",
		"echo ${x:-y}":                   "more than a name in it",
		"echo `a`":                       "a backquote",
		"echo \"\\`a\\`\"":               "a backquote",
		"echo $'a'":                      "has a text in $'…'",
		`echo $"a"`:                      `has a text in $"…"`,
		`echo "\$(a)"`:                   "has a $( that looks like text",
		"cat <<'E'\n${x:-`a`}\nE":        "a backquote",
		"echo $((x))":                    "arithmetic evaluates",
		"((x))":                          "arithmetic evaluates",
		"[[ $x -eq 1 ]]":                 "a test evaluates",
		"alias a=b":                      "changes what names mean",
		"eval $x":                        "eval runs what is not known",
		"trap $x EXIT":                   "trap runs what is not known",
		"set -a":                         "changes how the line is read",
		"shopt -s extglob":               "changes how the line is read",
		"printf -v PATH x":               "changes a variable",
		"f() { f; }":                     "calls itself",
		"cd() { a; }":                    "defines a function named cd",
		strings.Repeat("a", 70000):       "longer than",
		strings.Repeat("(", 3000):        "brackets",
		strings.Repeat("env ", 50) + "a": "wrapped more than",
	} {
		l := cmdline.Parse(line)
		if !strings.Contains(strings.Join(l.Unknown, "\n"), want) {
			t.Errorf("%.60q: %q does not say %q", line, l.Unknown, want)
		}
	}
}

func TestPlainLinesAreKnown(t *testing.T) {
	for _, line := range []string{
		"a", "a $x", "a &> b", "echo $(( 1 + 2 ))", "[[ -f x ]]", "[[ $x == y ]]", "a ${x} ${#x} ${10}", "a '${x:-`b`}' \"'$(c)'\"",
		"printf '%s' x", "read -r x", "set -euo pipefail", "x=1", "for i in a; do b; done", "export A=1", "a ünïcödé",
	} {
		for _, why := range cmdline.Parse(line).Unknown {
			if !strings.HasPrefix(why, "not readable as a POSIX") {
				t.Errorf("%q: %s", line, why)
			}
		}
	}
}

func TestArgvIsOneCommandWithoutAShell(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"ls", "*", "$(x)", "; y"}, []string{"ls|*|$(x)|; y"}},
		{[]string{"env", "A=1", "rm", "-rf", "x y"}, []string{"env|A=1|rm|-rf|x y", "x:A=1|rm|-rf|x y"}},
		{[]string{"sh", "-c", "a; b"}, []string{"sh|-c|a; b", "a", "b"}},
		{nil, nil},
	} {
		if diff := cmp.Diff(c.want, showParts(cmdline.Argv(c.words))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.words, diff)
		}
	}
	for _, words := range [][]string{nil, {"a\x00"}, {"ls", "\u202e"}, {""}, {"a=b"}} {
		if len(cmdline.Argv(words).Unknown) == 0 {
			t.Errorf("%q is known", words)
		}
	}
}

func TestHostileLinesCostLittle(t *testing.T) {
	for name, line := range map[string]string{
		"substitutions": strings.Repeat("$(", 1990),
		"nested":        strings.Repeat("a $(", 1900) + strings.Repeat(")", 1900),
		"defaults":      strings.Repeat("${x:-", 1900) + strings.Repeat("}", 1900),
		"ifs":           strings.Repeat("if a;then ", 6000) + strings.Repeat("fi;", 6000),
		"lists":         strings.Repeat("a&&", 20000) + "a",
		"braces":        "a " + strings.Repeat("{1..256} ", 1990),
		"products":      "a " + strings.Repeat("{a,b}", 1900),
		"sequences":     "a {1..999999999}",
		"evals":         strings.Repeat("eval 'ls;a'; cd x;", 3500),
		"redirections":  strings.Repeat("&>f ", 16000),
		"wrappers":      strings.Repeat("env ", 15000) + "a",
		"bodies":        strings.Repeat("f(){ ", 1900) + strings.Repeat("}", 1900),
	} {
		start := time.Now()
		l := cmdline.Parse(line)
		l.Hazards()
		cmdline.Suggest(l)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, line := range map[string]string{
		"Short":    "git status --short",
		"Pipeline": "cd sub && find . -name '*.go' -not -path './vendor/*' -print0 | xargs -0 grep -n \"func Test\" | sed 's/:.*//' | sort | uniq -c | sort -rn | head -20 > counts.txt 2>&1 && echo \"done: $(wc -l < counts.txt)\" || true",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cmdline.Parse(line)
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	r := readRules(b)
	all := append(r.allow, r.deny...)
	for len(all) < 100 {
		all = append(all, all[:min(len(all), 100-len(all))]...)
	}
	part := cmdline.Parse("git log --oneline -5 -- cmd/main.go").Parts[0]
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range all[:100] {
			p.Match(part)
			p.Covers(part)
		}
	}
}
