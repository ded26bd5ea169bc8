package cmdline_test

import (
	"testing"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// worst is the strongest answer of a pattern for the parts of a line.
func worst(t *testing.T, pattern, line string) cmdline.Answer {
	t.Helper()
	p, err := cmdline.CompilePattern(pattern)
	if err != nil {
		t.Fatal(err)
	}
	answer := cmdline.No
	for _, part := range cmdline.Parse(line).Parts {
		answer = max(answer, p.Match(part))
	}
	return answer
}

func TestAVariableWhoseValueIsRunMayBeWhatARuleForbids(t *testing.T) {
	for _, line := range []string{
		"BASH_ENV='$(rm -rf x)' bash -c ls", "env 'BASH_FUNC_ls%%=() { rm -rf x; }' bash -c ls", "GIT_EXTERNAL_DIFF='rm -rf x' git diff",
		"PS4='$(rm -rf x)'; set -x; ls", "ENV=x sh -c ls", "PROMPT_COMMAND='rm -rf x'", "LESSOPEN='|rm -rf %s' less x", "EDITOR='rm -rf x' git commit",
		"PAGER='rm -rf x' man ls", "GIT_SSH_COMMAND='rm -rf x' git fetch", "LD_PRELOAD=./x.so ls", "export VISUAL='rm -rf x'; crontab -e",
		"declare -x GIT_PAGER='rm -rf x'; git log", "MANPAGER='rm -rf x' man ls", "SYSTEMD_PAGER='rm -rf x' systemctl status", "GOFLAGS=-toolexec=x go build",
		"PERL5OPT=-Mx perl x.pl", "SUDO_ASKPASS=./x sudo -A ls", "RUSTC_WRAPPER='rm -rf x' cargo build", "KUBE_EDITOR='rm -rf x' kubectl edit x",
	} {
		if got := worst(t, "rm -rf *", line); got != cmdline.Maybe {
			t.Errorf("rm -rf * matches %q: %v, want maybe", line, got)
		}
	}
	for _, line := range []string{"LC_ALL=C sort x", "NODE_ENV=test node x.js", "name=x; echo \"$name\"", "GOOS=linux go build", "FOO=bar ls"} {
		if got := worst(t, "rm -rf *", line); got != cmdline.No {
			t.Errorf("rm -rf * matches %q: %v, want no", line, got)
		}
	}
}

func TestAProgramThatNobodyKnowsMayRunWhatItsArgumentsName(t *testing.T) {
	for _, line := range []string{
		"systemd-inhibit rm -rf x", "systemd-cat rm -rf x", "gtimeout 5 rm -rf x", "run-one rm -rf x", "runcon x rm -rf x", "ifne rm -rf x",
		"pee 'rm -rf x'", "coreutils --coreutils-prog=rm -rf x", "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf x", "/lib/ld-musl-x86_64.so.1 /bin/rm -rf x",
		"./wrapper /usr/bin/rm -rf x", "foo 'ls; rm -rf x'", "foo --run=rm", "npx rm -rf x", "npm exec -- rm -rf x", "docker run -v /:/m a rm -rf /m",
		"uv run rm -rf x", "rustup run stable rm -rf x", "pnpm dlx rm x", "python3 x.py rm -rf x",
	} {
		if got := worst(t, "rm -rf *", line); got != cmdline.Maybe {
			t.Errorf("rm -rf * matches %q: %v, want maybe", line, got)
		}
	}
	for _, line := range []string{
		"echo rm -rf x", "grep rm x", "git log -- rm", "git rm x", "git commit -m 'rm x'", "ls rm", "cat rm", "which rm", "man rm", "go test ./rm -run rm",
		"npm run rm", "make rm", "docker rm x", "apt install rm", "nice ls rm", "timeout 5 grep rm x", "find . -name rm", "sed s/rm/x/ y", "printf rm",
		"python3 -m pytest -k rm", "[ rm = x ]", "type rm", "foo bar", "foo --warm=1 arm", "jq .rm x", "xargs echo rm",
	} {
		if got := worst(t, "rm -rf *", line); got != cmdline.No {
			t.Errorf("rm -rf * matches %q: %v, want no", line, got)
		}
	}
}

func TestOptionsOfGitThatAreNotKnownHideNoSubcommand(t *testing.T) {
	for line, want := range map[string]cmdline.Answer{
		"git --attr-source HEAD push -f":       cmdline.Yes,
		"git --attr-source=HEAD push -f":       cmdline.Yes,
		"git --shallow-file f push -f":         cmdline.Yes,
		"git -P --no-lazy-fetch push --force":  cmdline.Yes,
		"git push origin +main":                cmdline.Yes,
		"git push -- origin +main":             cmdline.Yes,
		"git --unknown x push -f":              cmdline.Maybe,
		"git --unknown push -f":                cmdline.Maybe,
		"git --unknown x status":               cmdline.Maybe,
		"git -x push -f":                       cmdline.Maybe,
		"git --attr-source push -f":            cmdline.Maybe,
		"git --no-pager log -f":                cmdline.No,
		"git push origin main":                 cmdline.No,
		"git push --force-with-lease=x origin": cmdline.No,
	} {
		if got := worst(t, "git push --force *", line); got != want {
			t.Errorf("git push --force * matches %q: %v, want %v", line, got, want)
		}
	}
}

func TestFilesThatAreWrittenByOptionsAreFiles(t *testing.T) {
	for line, want := range map[string]string{
		"go build -o bin/x .":                    "go|build|-o|bin/x|.|>bin/x",
		"go build -o=/x .":                       "go|build|-o=/x|.|>/x",
		"go test -coverprofile=c.out ./...":      "go|test|-coverprofile=c.out|./...|>c.out",
		"go test --test.cpuprofile c ./...":      "go|test|--test.cpuprofile|c|./...|>c",
		"tee -a x y":                             "tee|-a|x|y|>x|>y",
		"curl -so x h":                           "curl|-so|x|h|>x",
		"curl --output-dir d h":                  "curl|--output-dir|d|h|>d",
		"sort -ox y":                             "sort|-ox|y|>x",
		"sort -T -- -o x y":                      "sort|-T|--|-o|x|y|>x",
		"sed -i s/a/b/ x":                        "sed|-i|s/a/b/|x|>x",
		"sed -i -e s/a/b/ -- x":                  "sed|-i|-e|s/a/b/|--|x",
		"tar xf a -C .git":                       "tar|xf|a|-C|.git|>.git",
		"unzip a -d .git":                        "unzip|a|-d|.git|>.git",
		"patch -o x y":                           "patch|-o|x|y|>x",
		"gofmt -cpuprofile=x .":                  "gofmt|-cpuprofile=x|.|>x",
		"git diff --output=.git/config":          "git|diff|--output=.git/config|>.git/config",
		"find . -fprintf .git/config '[a]%p\\n'": "find|.|-fprintf|.git/config|[a]%p\\n|>.git/config",
	} {
		if got := showParts(cmdline.Parse(line))[0]; got != want {
			t.Errorf("%q is %s, want %s", line, got, want)
		}
	}
}
