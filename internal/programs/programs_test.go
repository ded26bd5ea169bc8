package programs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

var kinds = map[programs.Kind]string{
	programs.Unknown: "unknown", programs.Read: "read", programs.Tree: "tree", programs.Shown: "shown", programs.List: "list", programs.Write: "write", programs.Make: "make",
	programs.Drop: "drop", programs.Dir: "dir", programs.URL: "url", programs.Code: "code",
}

// last is the last command of a line, which has to be plain.
func last(t testing.TB, line string) *plain.Part {
	t.Helper()
	l := plain.Shell{Dir: t.TempDir(), Home: "/home/ada"}.Read(line)
	if l.Unread != "" {
		t.Fatalf("%q %s", line, l.Unread)
	}
	p := l.Parts[len(l.Parts)-1]
	for p.Inner != nil {
		p = p.Inner
	}
	return p
}

var roles = map[string]string{
	`cat -n a b`:                         "read a, read b",
	`cat -- -n`:                          "read -n",
	`cat --config x`:                     "unknown --config, read x",
	`head -20 a`:                         "read a",
	`head -n 5 -c3 a`:                    "read a",
	`head -n`:                            "unknown -n",
	`sort -rnk 2 -o out a`:               "write out, read a",
	`sort -oout a`:                       "write out, read a",
	`sort --output=out a`:                "write out, read a",
	`sort --compress-program=x a`:        "unknown --compress-program=x, read a",
	`sort -T /tmp a`:                     "unknown -T, read /tmp, read a",
	`uniq in out`:                        "read in, write out",
	`uniq a b c`:                         "read a, write b, unknown c",
	`grep -rn x src`:                     "tree src",
	`grep -rn x`:                         "tree .",
	`grep x a b`:                         "read a, read b",
	`grep -e x a`:                        "read a",
	`grep -f words a`:                    "read words, read a",
	`rg x`:                               "shown .",
	`rg --pre cat x`:                     "unknown --pre, shown x",
	`find src -name '*.go' -not -path y`: "list src",
	`find . -delete`:                     "unknown -delete, list .",
	`find . -fprint out`:                 "unknown -fprint, list ., list out",
	`sed -n 10,40p a`:                    "read a",
	`sed -i s/a/b/g a`:                   "write a",
	`sed -i.bak s/a/b/ a`:                "unknown -i.bak, read a",
	`sed 's/a/b/e' a`:                    "unknown s/a/b/e, read a",
	`sed 'w out' a`:                      "unknown w out, read a",
	`sed -n '1,5p;10q' a`:                "read a",
	`sed -ne '1e evil' f`:                "unknown 1e evil, read f",
	`sed --expression='1e evil' f`:       "unknown 1e evil, read f",
	`grep -R x .`:                        "unknown -R, read .",
	`rg -nL x`:                           "unknown -nL, shown .",
	`diff -ur a b`:                       "unknown -ur, tree a, tree b",
	`npm run build -w ../x`:              "dir ../x, list build",
	`sed -f script a`:                    "unknown -f, unknown script, read a",
	`awk '{print $1}' a`:                 "read a",
	`awk 'BEGIN{system("id")}' a`:        `unknown BEGIN{system("id")}, read a`,
	`awk '{print > "out"}' a`:            `unknown {print > "out"}, read a`,
	`awk '{print | "sh"}' a`:             `unknown {print | "sh"}, read a`,
	`awk '{s+=$1} END {print s/NR}' a`:   "read a",
	`awk -F: '$3 == "x" && NR < 5 {print $1, length($2)}' a`: "read a",
	`awk '{print ENVIRON["X"]}' a`:                           `unknown {print ENVIRON["X"]}, read a`,
	`awk '{ARGV[1]="/etc/passwd"}' a`:                        `unknown {ARGV[1]="/etc/passwd"}, read a`,
	`awk '{print 1 / 2 | c / 3}' a`:                          `unknown {print 1 / 2 | c / 3}, read a`,
	`awk '@load "x"' a`:                                      `unknown @load "x", read a`,
	`awk '{while (("id" | getline x) > 0) print x}' a`:       `unknown {while (("id" | getline x) > 0) print x}, read a`,
	`xxd -ps x /etc/x`:                                       "read x, write /etc/x",
	`awk -f x a`:                                             "unknown -f, read a",
	`ln -s /etc`:                                             "list /etc, write .",
	`jq .scripts package.json`:                               "read package.json",
	`jq env`:                                                 "unknown env",
	`jq 'import "a" as b; .'`:                                `unknown import "a" as b; .`,
	`date +%s`:                                               "",
	`date 01010000`:                                          "unknown 01010000",
	`hostname evil`:                                          "unknown evil",
	`cp -r a b c`:                                            "tree a, tree b, write c",
	`mv a b`:                                                 "drop a, write b",
	`rm -rf a`:                                               "drop a",
	`tee -a a b`:                                             "write a, write b",
	`mkdir -p a/b`:                                           "make a/b",
	`curl -s http://a/`:                                      "url http://a/",
	`curl -o out -d @secret http://a/`:                       "write out, read secret, url http://a/",
	`curl -w '%output{x}' http://a/`:                         "unknown %output{x}, url http://a/",
	`curl file:///etc/passwd`:                                "unknown file:///etc/passwd",
	`curl -K conf`:                                           "unknown -K, url conf",
	`git diff HEAD~1 -- src`:                                 "read HEAD~1, read src",
	`git diff --output=x`:                                    "write x",
	`git log --ext-diff`:                                     "unknown --ext-diff",
	`git clone ext::x`:                                       "code ext::x",
	`git fetch ext::x`:                                       "unknown ext::x",
	`git push origin main`:                                   "",
	`git -c x=y status`:                                      "unknown -c, read x=y, read status",
	`go test -run X -o out ./...`:                            "write out, list ./...",
	`go test -exec x ./...`:                                  "unknown -exec, list x, list ./...",
	`go build -ldflags=-extld=x .`:                           "unknown -ldflags=-extld=x, list .",
	`npx tsc --noEmit -p conf`:                               "read conf",
	`npx eslint -f ./x.js src`:                               "unknown -f, read ./x.js, read src",
	`npx -y evil`:                                            "unknown -y, code evil",
	`python3 x.py`:                                           "code x.py",
	`python3 -m pytest -k 'not slow'`:                        "",
	`python3 -c x`:                                           "unknown -c, code x",
	`make test`:                                              "",
	`make GO=x`:                                              "unknown GO=x",
	`make -C sub test`:                                       "dir sub",
	`docker ps -a --format x`:                                "",
	`docker run x`:                                           "read run, read x",
	`kubectl get pods -o wide`:                               "",
	`kubectl get pods --kubeconfig x`:                        "unknown --kubeconfig",
	`tar xf a`:                                               "code xf, code a",
	`tar -xf a`:                                              "unknown -xf, code a",
	`tar -tzf a`:                                             "read a",
	`unlisted a -b c -- -d`:                                  "read a, unknown -b, read c, read -d",
	`/usr/bin/wc -l a`:                                       "read a",
}

func TestEachArgumentHasItsRole(t *testing.T) {
	for line, want := range roles {
		var found []string
		for _, r := range programs.Of(last(t, line)).Roles {
			if name, ok := kinds[r.Kind]; ok {
				found = append(found, name+" "+r.Word.Text)
			}
		}
		if got := strings.Join(found, ", "); !same(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// same compares lists, whatever their order.
func same(a, b string) bool {
	count := map[string]int{}
	for _, x := range strings.Split(a, ", ") {
		count[x]++
	}
	for _, x := range strings.Split(b, ", ") {
		count[x]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

var forms = []struct{ pattern, line, why string }{
	{"ls", "ls", ""},
	{"ls", "ls x", `the rule ends before "x"`},
	{"ls *", "ls", ""},
	{"ls *", "ls -la x y", ""},
	{"ls *", "ls --weird", `"--weird" may do more`},
	{"ls --* *", "ls --weird x", ""},
	{"ls * --*", "ls --weird x", ""},
	{"ls *", "lsof", `"lsof" is not`},
	{"git status *", "git status --short", ""},
	{"git status *", "git -c core.fsmonitor=x status", `"-c" is not`},
	{"git status *", "git stash", `"stash" is not`},
	{"npm run *", "npm run build", ""},
	{"npm run *", "npm run lint -- --fix", "may do more"},
	{"npm run *", "npm run --script-shell=x build", "may do more"},
	{"make test *", "make test GO='touch PWNED'", `"GO=touch PWNED" may do more`},
	{"make test *", "make test -j4", ""},
	{"make test *", "make test -f evil.mk", "may do more"},
	{"kubectl get *", "kubectl get pods --kubeconfig k.yaml", "may do more"},
	{"vitest run *", "vitest run --reporter=./r.mjs", "may do more"},
	{"npx vitest *", "npx vitest run src/a.test.ts", ""},
	{"eslint *", "eslint -f ./x.js a", "may do more"},
	{"eslint * --*", "eslint -f ./x.js a", ""},
	{"pylint *", "pylint --init-hook=x a", "may do more"},
	{"rspec *", "rspec -r ./x", "may do more"},
	{"just *", "just build", ""},
	{"just *", "just -f x", "may do more"},
	{"tar *", "tar --transform=x -xf a", "may do more"},
	{"python3 *", "python3 x.py", "is code"},
	{"python3 x.py *", "python3 x.py a b", ""},
	{"python3 x.py *", "python3 -c y", `"-c" is not`},
	{"bash *", "bash x.sh", "is code"},
	{"bash scripts/build.sh", "bash scripts/build.sh", ""},
	{"sh", "cat x | sh", "what comes on its input"},
	{"python3 *", "cat x | python3", "what comes on its input"},
	{"python3 *", "python3", "what comes on its input"},
	{"tar *", "tar cf x y", "is code"},
	{"sed *", "sed -n 1p a", ""},
	{"sed *", "sed 's/a/b/e' a", "may do more"},
	{"sed 's/a/b/e' *", "sed 's/a/b/e' a", ""},
	{"cat src/*", "cat src/a.go", ""},
	{"cat src/*", "cat src/../../etc/passwd", "is not"},
	{"cat *.go", "cat -x.go", "is not"},
	{"echo-*", "echo-x y", "the rule ends before"},
	{"curl -s http://localhost*", "curl -s http://localhost:3000/", ""},
	{"curl -s http://localhost*", "curl -s http://localhost:3000/ http://evil/", "the rule ends before"},
	{"grep *", "find . -type f | xargs grep x", "arguments are added"},
	{"grep *", "find . -type f -print0 | xargs -0 grep x", ""},
	{"wc *", "find . -type f -exec wc -l {} +", ""},
	{"wc *", "find . -exec wc -l {} +", "arguments are added"},
	{"cat *", `for f in a b; do cat "$f"; done`, ""},
	{"cat a*", `for f in a b; do cat "$f"; done`, "is not"},
	{"git commit *", "git commit -m \"$(cat <<'E'\nx\nE\n)\"", ""},
	{"env *", "for i in -u; do env $i a b; done", "may do more"},
	{"timeout *", "timeout --sig KILL 5 rec", "may do more"},
	{"unlisted *", "unlisted a b", ""},
	{"unlisted *", "unlisted -x", "may do more"},
	{"unlisted -x *", "unlisted -x a", ""},
	{`printf '*' *`, "wc -l", "is not"},
	{"* *", "wc -l", ""},
	{"*", "wc -l", ""},
	{"*", "> f", "runs no program"},
	{"*", "x=1", "runs no program"},
}

func TestAPatternStandsForItsFormAndNothingMore(t *testing.T) {
	for _, c := range forms {
		p, err := programs.Compile(c.pattern)
		if err != nil {
			t.Fatalf("%q: %v", c.pattern, err)
		}
		got := p.Covers(last(t, c.line))
		if got.OK != (c.why == "") || !strings.Contains(got.Why, c.why) {
			t.Errorf("%q for %q: %v, %q; want %q", c.pattern, c.line, got.OK, got.Why, c.why)
		}
		if !got.OK && got.Need != "" {
			wider, err := programs.Compile(got.Need)
			if err != nil || strings.Contains(got.Why, "may do more") && strings.HasPrefix(c.line, "make") && !strings.Contains(fmt.Sprint(wider), "make") {
				t.Errorf("%q offers %q: %v", c.pattern, got.Need, err)
			}
		}
	}
}

func TestAPatternThatCouldNotWorkIsRefused(t *testing.T) {
	for _, text := range []string{"", " ", "a | b", "a; b", "$x", "a > b", "'a", "(a)", "--*", "a\u202e", "`a`", "A=1 b", "A=* b"} {
		if p, err := programs.Compile(text); err == nil {
			t.Errorf("%q is taken: %v", text, p)
		}
	}
}
