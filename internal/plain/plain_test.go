package plain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/plain"
)

const home = "/home/ada"

func folder(t testing.TB) string {
	dir := t.TempDir()
	for _, name := range []string{"b.go", "a.go", "it's.go", "src/x.ts", "src/y.ts", "-n.md", ".env"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func printed(l *plain.Line) string {
	return l.Print(func(name string) string { return name })
}

func TestAPlainLineIsPrintedAgainFromWhatWasRead(t *testing.T) {
	dir := folder(t)
	for line, want := range map[string]string{
		`ls`:                               `ls`,
		`  ls   -la # all`:                 `ls -la`,
		`echo "a b" 'c' d\ e f"g"'h'`:      `echo 'a b' c 'd e' fgh`,
		`echo it\'s "\$HOME \"q\" \\"`:     `echo 'it'\''s' '$HOME "q" \'`,
		`ls *.go`:                          `ls ./a.go ./b.go './it'\''s.go'`,
		`ls src/*.ts src/*.js`:             `ls ./src/x.ts ./src/y.ts 'src/*.js'`,
		`ls *.md`:                          `ls ./-n.md`,
		`cat src/{x,y}.ts`:                 `cat src/x.ts src/y.ts`,
		`cat ~/x $HOME/y "${HOME}/z"`:      `cat /home/ada/x /home/ada/y /home/ada/z`,
		`ls -- "$PWD"`:                     `ls -- ` + dir,
		`a && b || c; d & e`:               `a && b || c; d & e`,
		"a\nb":                             `a; b`,
		`! a | b`:                          `! a | b`,
		`(a; b) | { c; }`:                  `( a; b; ) | { c; }`,
		`a > f 2>&1 < g`:                   `a > f 2>&1 < g`,
		`a &> f`:                           `a > f 2>&1`,
		`a >| f`:                           `a > f`,
		`> f`:                              `: > f`,
		`for f in *.go; do cat "$f"; done`: `for f in ./a.go ./b.go './it'\''s.go'; do cat "${f}"; done`,
		`for i in 1 2; do a x$i"y"; done`:  `for i in 1 2; do a x"${i}"y; done`,
		"cat <<'E'\n$(id)\nE":              "cat <<'EOF'\n$(id)\nEOF",
		"cat <<E > f\nEOF\nE\nls":          "cat <<'EOF1' > f\nEOF\nEOF1\nls",
		"cat <<-E\n\t\tx\n\tE":             "cat <<'EOF'\nx\nEOF",
		"a <<< 'x y'":                      "a <<'EOF'\nx y\nEOF",
		"a <<'E' && b\nx\nE":               "a <<'EOF' &&\nx\nEOF\nb",
		"(a <<'E'\nx\nE\n)":                "( a <<'EOF'\nx\nEOF\n)",
		"git commit -m \"$(cat <<'E'\nit's\n\nE\n)\"": `git commit -m 'it'\''s'`,
		`cd src && ls`:                 `cd -P ./src || exit; ls`,
		`cd src; cd ..; ls`:            `cd -P ./src || exit; cd -P .. || exit; ls`,
		`cd src && a && cd ..`:         `cd -P ./src || exit; a && cd ..`,
		`cd src && a || b`:             `cd -P ./src || exit; a || b`,
		`(cd src && ls x*) && ls`:      `( cd -P ./src || exit; ls ./x.ts; ) && ls`,
		`x=1 a`:                        `x=1 a`,
		`x=1; echo "$x"`:               `x=1; echo "${x}"`,
		`export NODE_ENV=test`:         `export NODE_ENV=test`,
		`echo "exit: $?"`:              `echo 'exit: '"${?}"`,
		`[ "$x" = y ] && [ $? -eq 0 ]`: `'[' "${x}" '=' y ']' && '[' "${?}" -eq 0 ']'`,
		`bash -lc 'ls "a b" | wc'`:     `( ls 'a b' | wc; )`,
		`sh -c 'x' > f`:                `( x; ) > f`,
		`sh -c ''`:                     `( :; )`,
		`timeout 5 npm test`:           `timeout 5 npm test`,
		`time go test`:                 `'time' go test`,
		`find . -exec wc -l {} +`:      `find . -exec wc -l '{}' +`,
		`printf '%s\n' a`:              `printf '%s\n' a`,
		`set -euo pipefail; ls`:        `set -euo pipefail; ls`,
	} {
		l := plain.Shell{Dir: dir, Home: home}.Read(line)
		if got := printed(l); got != want || l.Unread != "" {
			t.Errorf("%q is printed as\n%q, want\n%q (%s)", line, got, want, l.Unread)
			continue
		}
		again := plain.Shell{Dir: dir, Home: home}.Read(want)
		if got := printed(again); got != want && !strings.Contains(want, "|| exit") {
			t.Errorf("printed once more %q is %q (%s)", want, got, again.Unread)
		}
	}
}

func TestProgramsArePrintedByTheirPlaces(t *testing.T) {
	for line, want := range map[string]string{
		`ls | wc -l`:                          `/bin/ls | /bin/wc -l`,
		`timeout 5 nice -n 3 npm test`:        `/bin/timeout 5 /bin/nice -n 3 /bin/npm test`,
		`env a=1 go test`:                     `/bin/env 'a=1' /bin/go test`,
		`sudo -u x rm ls`:                     `/bin/sudo -u x /bin/rm ls`,
		`xargs -n 2 grep ls < f`:              `/bin/xargs -n 2 /bin/grep ls < f`,
		`find . -exec ls {} \; -exec wc {} +`: `/bin/find . -exec /bin/ls '{}' ';' -exec /bin/wc '{}' +`,
		`echo ls; test -f ls; true`:           `echo ls; test -f ls; true`,
		`sh -c "ls; echo ls"`:                 `( /bin/ls; echo ls; )`,
		`command ls`:                          ``,
	} {
		l := plain.Shell{}.Read(line)
		if got := l.Print(func(name string) string { return "/bin/" + name }); got != want {
			t.Errorf("%q is printed as %q, want %q (%s)", line, got, want, l.Unread)
		}
	}
}

func TestWhatIsNotPlainIsNotRead(t *testing.T) {
	for _, line := range []string{
		// Read otherwise by some shell than by a parser.
		`x="${y:-'$(id > PWNED)'}"; pwd`, `x="${y:-'$(rm -rf docs)'}"; pwd`, "head <<E\n${y:-'$(touch PWNED)'}\nE", "x=`ls \"\"#;touch PWNED`; ls",
		`echo "${x:="$\(touch PWNED)"}"`, `echo "${y:-'$(rm -rf keep)'}"`, "echo `id`", `echo $'\x24(id)'`, `echo $"x"`, `echo ${x}${y:+1}`, `echo ${#x}`, `echo ${!x}`,
		// Expanded to what is not known.
		`cat $(ls)`, `cat "$f"`, `cat $UNKNOWN`, `echo $SECRET_KEY`, `echo $((1+1))`, `cat <(ls)`, `ls ~root`, `ls "$d"/*.go`, "cat <<E\n$x\nE", "cat <<E\n`id`\nE",
		`for f in $(ls); do cat $f; done`, `for f; do a; done`, `for ((;;)); do a; done`, `for f in a b; do f=/etc/passwd; cat "$f"; done`,
		`for f in a; do for f in b; do cat "$f"; done; done`, `x=$y`, `x=$(id)`, `$CMD x`, `"$x" y`,
		// Code, functions, and whatever changes how the rest is read.
		`eval ls`, `. ./x`, `source x`, `exec ls`, `trap 'id' EXIT`, `alias ls=id`, `f() { id; }; f`, `function f { id; }`, `if a; then b; fi`, `while a; do b; done`,
		`case x in *) a;; esac`, `[[ -v x ]]`, `(( x = 1 ))`, `let x=1`, `declare x=1`, `readonly x=1`, `unset x`, `read x`, `shift`, `set -f`, `set -- -o x`, `set -o posix`,
		`builtin ls`, `command ls`, `command -p ls`, `coproc a`, `a |& b`, `select x in a; do b; done`, `bash -c 'echo $(id)'`, `sh -c 'eval x'`,
		// Names that shells and programs look things up by.
		`PATH=. ls`, `IFS=x`, `LD_PRELOAD=./x ls`, `GIT_SSH_COMMAND=x git fetch`, `BASH_ENV=x bash`, `ENV=x sh`, `PS4='$(id)'`, `NODE_OPTIONS=-rx node`, `HOME=/ ls`, `PWD=/ ls`,
		`OPTIND='a[$(id)]'`, `RANDOM=1`, `for PATH in a; do ls; done`, `for IFS in a; do ls; done`, `env PATH=. ls`, `export PATH=.`, `export -f x`, `x+=1`, `x[0]=1`, `x=(a b)`, `http_proxy=x curl y`,
		// Words that a shell evaluates.
		`test -v 'a[$(id)]'`, `[ -v x ]`, `[ "$x" "$y" ]`, `test "$x" -eq 1`, `test -n 'a[1]' x y`, `printf -v x y`, `printf '%n' x`, `printf "$x" y`, `printf '%(%s)T'`, `wait -p x`,
		// Where it runs, and where it goes.
		`find . -name -exec -exec rm x ';'`, `find . -execdir a ';'`, `find . -ok a ';'`,
		`a; cd src; b`, `a || cd src; b`, `{ cd src; }; a`, `for d in a b; do cd $d; done`, `cd; ls`, `cd -; ls`, `cd a b; ls`, `cd "$x"; ls`, `cd src &`, `(a; cd src; b)`,
		`a 3> f`, `a <> f`, `a > "$x"`, `a >&3`, `a <&0`, `a {fd}> f`, `a > {b,c}`, `a > ''`,
		// What can't be seen.
		"ls\u202e", "ls\x00", "ls\r", "ls \ue000f\ue001", "ls \u00a0x", "\xff", "''", `"" x`, `timeout 1 ""`, `env a=1 '' x`, `ls | xargs ""`,
		// Too much of it.
		strings.Repeat("(", 3000), strings.Repeat("cd a && ", 21) + "ls", strings.Repeat("a;", 600), "a" + strings.Repeat(" b", 2100), strings.Repeat("x", 70_000), "ls {1..3000}",
		strings.Repeat("( ", 40) + "a" + strings.Repeat("; )", 40),
	} {
		l := plain.Shell{Dir: folder(t), Home: home}.Read(line)
		if got := printed(l); l.Unread == "" || got != "" {
			t.Errorf("%.80q is plain: %.200q", line, got)
		}
	}
}

func TestEachCommandOfALineIsAPart(t *testing.T) {
	dir := folder(t)
	for line, want := range map[string]string{
		`a x | b && (c; d) || e &`:                 "a x|b|c|d|e",
		`for f in p q; do cat "$f" o$f; done`:      "cat p,q op,oq",
		`cd src && a; b`:                           "cd src|a @src|b @src",
		`(cd src && a); b`:                         "cd src|a @src|b",
		`timeout 5 sudo rm -rf x`:                  "timeout 5 sudo rm -rf x|sudo rm -rf x|rm -rf x",
		`for i in -k 5; do timeout $i 7 8 x; done`: "timeout -k,5 7 8 x",
		`sudo -Z rm x`:                             "sudo -Z rm x",
		`sh -c "a; b c" > f`:                       ">f|a|b c",
		`x=1 a > f < g 2>/dev/null`:                "x=1 a >f <g",
		`{ a; } >> f`:                              ">f|a",
		`xargs -I{} mv {} old/{}`:                  "xargs -I{} mv {} old/{}|mv ? old/?",
		`find . -type f -exec grep x {} +`:         "find . -type f -exec grep x {} +|grep x …below",
		`find . -exec grep x {} +`:                 "find . -exec grep x {} +|grep x …",
		`find . -type f -print0 | xargs -0 grep x`: "find . -type f -print0|xargs -0 grep x|grep x …below",
		`find . -type f | xargs grep x`:            "find . -type f|xargs grep x|grep x …",
		// Of what is not plain the commands that can be seen.
		`if a "b c"; then d $(e f); fi`:       "a b c|d ?|e f",
		`x=$(rm -rf y) PATH=. eval "g h; i"`:  "x= PATH= eval g h; i|rm -rf y|g h|i",
		`bash -c 'rm -rf x; eval "ls $y"'`:    "bash -c rm -rf x; eval \"ls $y\"|rm -rf x|eval ls ?|ls",
		`while a; do ssh h "rm -rf z"; done`:  "a|ssh h rm -rf z|h|rm -rf z",
		`f() { rm x; }; cat $y > out/$z < in`: ">out/? <in|rm x|cat ?",
	} {
		var parts []string
		for _, p := range (plain.Shell{Dir: dir, Home: home}).Read(line).Parts {
			parts = append(parts, describe(p, dir))
		}
		wanted := strings.Split(want, "|")
		slices.Sort(parts)
		slices.Sort(wanted)
		if fmt.Sprint(parts) != fmt.Sprint(wanted) {
			t.Errorf("%q has\n%q, want\n%q", line, parts, wanted)
		}
	}
}

// describe is a part on one line.
func describe(p *plain.Part, dir string) string {
	var all []string
	for _, s := range p.Sets {
		all = append(all, s.Name+"="+s.Value.Text)
	}
	for _, w := range p.Words {
		all = append(all, text(w))
	}
	for _, f := range p.Files {
		op := "<"
		if f.Write {
			op = ">"
		}
		all = append(all, op+text(f.Path))
	}
	if below, ok := strings.CutPrefix(p.Dir, dir+"/"); ok {
		all = append(all, "@"+below)
	}
	if p.More {
		all = append(all, "…")
	}
	return strings.Join(all, " ") + map[bool]string{true: "below"}[p.Below]
}

func text(w plain.Word) string {
	switch {
	case w.Known:
		return w.Text
	case len(w.Any) > 0:
		return strings.Join(w.Any, ",")
	}
	return w.Text + "?"
}

func TestAProgramThatRunsWithoutAShellIsPlain(t *testing.T) {
	l := plain.Argv([]string{"ls", "$(id)", "*"})
	if len(l.Parts) != 1 || l.Unread != "" || describe(l.Parts[0], "") != "ls $(id) *" {
		t.Errorf("it is %+v", l)
	}
	for _, words := range [][]string{nil, {""}, {"ls", "\u202e"}} {
		if l := plain.Argv(words); l.Unread == "" {
			t.Errorf("%q is plain", words)
		}
	}
}

func FuzzAnyLineIsReadOrNot(f *testing.F) {
	for _, line := range []string{`a "b" 'c' | d > e`, "cat <<'E'\nx\nE", `for f in a; do b "$f"; done`, `sh -c 'a'`, `find . -exec a {} +`, `x="${y:-'$(id)'}"; pwd`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l := plain.Shell{Home: home}.Read(line)
		once := printed(l)
		if l.Unread != "" || strings.Contains(once, "|| exit") {
			return
		}
		if again := (plain.Shell{Home: home}).Read(once); again.Unread != "" || printed(again) != once {
			t.Errorf("%q is printed as %q, and that as %q (%s)", line, once, printed(again), again.Unread)
		}
	})
}
