package cmdline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/cmdline"
)

func compile(t *testing.T, text string) cmdline.Pattern {
	t.Helper()
	p, err := cmdline.CompilePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAForbiddingPatternMatchesHoweverACommandIsSpelled(t *testing.T) {
	for _, c := range []struct {
		pattern string
		line    string
		want    cmdline.Answer
	}{
		{"rm -rf *", "rm -rf x", cmdline.Yes},
		{"rm -rf *", "rm -r -f x", cmdline.Yes},
		{"rm -rf *", "rm x -f --recursive", cmdline.Yes},
		{"rm -rf", "rm -rf x", cmdline.Yes},
		{"rm -rf *", "/bin/rm -Rfv x", cmdline.Yes},
		{"/bin/rm -rf", "rm -rf x", cmdline.Yes},
		{"rm -rf *", "rm -r x", cmdline.No},
		{"rm -rf *", "rm -- -rf", cmdline.No},
		{"rm -rf *", "rm -r $x", cmdline.Maybe},
		{"rm -rf *", "rm -r \"$x\"", cmdline.Maybe},
		{"rm -rf *", "rm -r src/*", cmdline.No},
		{"rm -rf *", "rm -r ~", cmdline.No},
		{"rm -rf *", "rmdir x", cmdline.No},
		{"rm -rf *", "$x", cmdline.Maybe},
		{"rm -rf *", "bash x.sh", cmdline.Maybe},
		{"rm -rf *", "echo rm -rf x", cmdline.No},
		{"rm --recursive", "rm -r x", cmdline.Yes},
		{"rm /", "rm -v a /", cmdline.Yes},
		{"rm /", "rm a", cmdline.No},
		{"rm /etc/*", "rm x /etc/passwd", cmdline.Yes},
		{"rm /etc/*", "rm \"/etc$x\"", cmdline.Maybe},
		{"git push *", "git push", cmdline.Yes},
		{"git push *", "git -C x push origin", cmdline.Yes},
		{"git push *", "git -c a=b --git-dir=y --no-pager push", cmdline.Yes},
		{"git push *", "git commit -m push", cmdline.No},
		{"git push *", "git stash push", cmdline.No},
		{"git push *", "git $x", cmdline.Maybe},
		{"git push --force *", "git push origin -f", cmdline.Yes},
		{"git push --force *", "git push origin +main", cmdline.Yes},
		{"git push --force *", "git push --force-with-lease", cmdline.No},
		{"git push * main", "git push -u origin main", cmdline.Yes},
		{"git push * main", "git push origin dev", cmdline.No},
		{"kubectl delete *", "kubectl -n prod delete pod x", cmdline.Yes},
		{"kubectl delete *", "kubectl get pods", cmdline.No},
		{"npm publish", "npm run publish", cmdline.No},
		{"foo --out=*", "foo --out x", cmdline.Yes},
		{"foo --out=a*", "foo --out=abc", cmdline.Yes},
		{"foo --out=a*", "foo --out=b", cmdline.No},
		{"foo --out x", "foo --out=x", cmdline.Yes},
		{"foo -ab", "foo -b -a", cmdline.Yes},
		{"foo -ab", "foo -a", cmdline.No},
		{"find * -delete", "find . -name x -delete", cmdline.Yes},
		{"find * -delete", "find . -maxdepth 1 -newer x", cmdline.No},
		{"mkfs*", "/sbin/mkfs.ext4 x", cmdline.Yes},
		{"./scripts/*", "./scripts/a.sh x", cmdline.Yes},
		{"./scripts/*", "a.sh", cmdline.No},
		{"*", "a b", cmdline.Yes},
		{"A=* b", "A=1 b", cmdline.Yes},
		{"A=* b", "b", cmdline.No},
		{"A=x* b", "A=$y b", cmdline.Maybe},
		{"b *", "A=1 b", cmdline.Yes},
		{"a 'b c'", "a 'b c'", cmdline.Yes},
		{"a 'b c'", "a b c", cmdline.No},
		{"a '*'", "a x", cmdline.No},
		{"chmod 777 *", "chmod -R 777 x", cmdline.Yes},
		{"chmod 777 *", "chmod $m x", cmdline.Maybe},
		{"a b*d", "a bcd", cmdline.Yes},
		{"a b*c*d", "a bdcd", cmdline.Yes},
		{"a b*c*d", "a bdc", cmdline.No},
	} {
		parts := cmdline.Parse(c.line).Parts
		if got := compile(t, c.pattern).Match(parts[0]); got != c.want {
			t.Errorf("%q on %q is %d, want %d", c.pattern, c.line, got, c.want)
		}
	}
}

func TestAnAllowingPatternCoversOnlyWhatItSays(t *testing.T) {
	for _, c := range []struct {
		pattern string
		line    string
		want    bool
	}{
		{"git status *", "git status", true},
		{"git status *", "git status --short -b", true},
		{"git status", "git status", true},
		{"git status", "git status -s", false},
		{"git status *", "git statusx", false},
		{"git status *", "git -C x status", false},
		{"git status *", "git -p status", false},
		{"git status *", "/usr/bin/git status", false},
		{"/usr/bin/git status", "git status", false},
		{"/usr/bin/git status", "/usr/bin/git status", true},
		{"git status *", "GIT_DIR=x git status", false},
		{"git status *", "LC_ALL=C git status", true},
		{"GIT_DIR=* git status *", "GIT_DIR=x git status", true},
		{"GIT_DIR=a* git status *", "GIT_DIR=b git status", false},
		{"GIT_DIR=a* git status *", "GIT_DIR=$x git status", false},
		{"GIT_DIR=* git status *", "GIT_DIR=$x git status", true},
		{"ls *", "ls", true},
		{"ls *", "lsblk", false},
		{"ls*", "lsblk", true},
		{"ls *", "ls $x", true},
		{"ls -l", "ls -l", true},
		{"ls -l", "ls -a", false},
		{"ls -l -a x", "ls -al x", true},
		{"ls -la", "ls -a -l", true},
		{"ls -la", "ls -a", false},
		{"rm -r build", "rm -r build", true},
		{"rm -r build", "rm --recursive build", true},
		{"rm -r build", "rm build -r", true},
		{"rm -r build", "rm -rf build", false},
		{"rm -r build", "rm -r build x", false},
		{"rm build", "rm $x", false},
		{"rm src/*", "rm src/a", true},
		{"rm src/*", "rm src/../x", false},
		{"rm src/*", "rm src/..", false},
		{"rm src/*", "rm src/$x", false},
		{"rm src/*", "rm src/a src/b", false},
		{"cp * dst", "cp a dst", true},
		{"cp * dst", "cp -r dst", false},
		{"cp * dst", "cp \"$x\" dst", false},
		{"foo -a x", "foo x -a", false},
		{"foo -a *", "foo -a x -b", true},
		{"foo -a *", "foo -b -a", false},
		{"python3 *", "python3 x.py", true},
		{"python3 *", "python3 -c x", false},
		{"python3 -c *", "python3 -c x", true},
		{"bash *", "bash x.sh", false},
		{"bash x.sh", "bash x.sh", true},
		{"bash x.sh *", "bash x.sh a b", true},
		{"sh", "sh", false},
		{"find *", "find . -delete", false},
		{"find . -delete", "find . -delete", true},
		{"find . -name * -delete", "find . -name x -delete", true},
		{"git -c a=b status", "git -c a=b status", true},
		{"*", "anything at all", true},
		{"*", "A=1 anything", true},
		{"*", "LD_PRELOAD=x ls", false},
		{"*", "$x", false},
		{"*", "bash x.sh", false},
		{"a 'b c'", "a 'b c'", true},
		{"a b", "a 'b '", false},
	} {
		parts := cmdline.Parse(c.line).Parts
		if got := compile(t, c.pattern).Covers(parts[0]); got != c.want {
			t.Errorf("%q on %q is %t, want %t (%q)", c.pattern, c.line, got, c.want, parts[0].Opaque)
		}
	}
}

func TestABarePartIsCoveredByNoPattern(t *testing.T) {
	for _, line := range []string{"PATH=x", "> f"} {
		if compile(t, "*").Covers(cmdline.Parse(line).Parts[0]) {
			t.Errorf("* covers %q", line)
		}
	}
}

func TestAPatternThatIsNotOneIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":        "empty",
		"  ":      "empty",
		"a 'b":    "not closed",
		`a "b`:    "not closed",
		`a \`:     "ends in",
		"a; b":    "for several commands",
		"a && b":  "for several commands",
		"a | b":   "for several commands",
		"a > b":   "for several commands",
		"a < b":   "for several commands",
		"a $(b)":  "for several commands",
		"a $b":    "for several commands",
		"a `b`":   "for several commands",
		"a\nb":    "for several commands",
		"a\x01":   "control character",
		"a\u202e": "invisible character",
		"a\xff":   "UTF-8",
		"A=1":     "names no program",
		"* a":     "only *",
		"A=1 *":   "only *",
		"** b":    "only *",
	} {
		_, err := cmdline.CompilePattern(text)
		if !errors.Is(err, cmdline.ErrPattern) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if p := compile(t, `a "b;c"`); p.String() != `a "b;c"` {
		t.Errorf("a pattern is written as %q", p)
	}
}

func TestSuggestedPatternsCoverALineAndAreNarrow(t *testing.T) {
	for line, want := range map[string][]string{
		"git status --short":            {"git status *"},
		"go test ./... 2>&1 | tail -5":  {"go test *", "tail *"},
		"ls; ls -l":                     {"ls *"},
		"timeout 5 go vet ./...":        {"go vet *"},
		"bash -c 'ls && pwd'":           {"ls *", "pwd *"},
		"npm run lint":                  {"npm run lint *"},
		"find . -name x | xargs grep y": {"find *", "grep *"},
		"kubectl get pods":              {"kubectl get *"},
		"kubectl delete pod x":          nil,
		"git push":                      nil,
		"git -C x status":               nil,
		"npm install":                   nil,
		"rm x":                          nil,
		"curl x":                        nil,
		"sudo ls":                       nil,
		"python3 x.py":                  nil,
		"bash x.sh":                     nil,
		"$x":                            nil,
		"ls; $x":                        nil,
		"ls (":                          nil,
		"PATH=x ls":                     nil,
		"find . -delete":                nil,
		"echo $((x))":                   nil,
	} {
		if diff := cmp.Diff(want, cmdline.Suggest(cmdline.Parse(line))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}
