package programs_test

import (
	"testing"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

func compile(t testing.TB, text string) programs.Pattern {
	t.Helper()
	p, err := programs.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var spelled = []struct {
	pattern string
	line    string
	want    programs.Answer
}{
	{"rm -rf *", "rm -rf x", programs.Yes},
	{"rm -rf *", "rm -r -f x", programs.Yes},
	{"rm -rf *", "rm x -f --recursive", programs.Yes},
	{"rm -rf *", "rm x --forc --rec", programs.Yes},
	{"rm -rf", "rm -rf x", programs.Yes},
	{"rm -rf *", "/bin/rm -Rfv x", programs.Yes},
	{"rm -rf *", "./rm -rf x", programs.Yes},
	{"/bin/rm -rf", "rm -rf x", programs.Yes},
	{"rm -rf *", "rm -rfvvvvvvvvv x", programs.Yes},
	{"rm -rf *", "rm -r x", programs.No},
	{"rm -rf *", "rm -- -rf", programs.No},
	{"rm -rf *", "rm -r $x", programs.Maybe},
	{"rm -rf *", "for f in -f a; do rm -r $f; done", programs.Yes},
	{"rm -rf *", "rmdir x", programs.No},
	{"rm -rf *", "$x", programs.Maybe},
	{"rm -rf *", "bash x.sh", programs.No},
	{"rm -rf *", "echo rm -rf x", programs.No},
	{"rm -rf *", "git commit -m 'rm -rf x'", programs.No},
	{"rm -rf *", "grep 'rm -rf' x", programs.No},
	{"rm -rf *", "strace rm -rf x", programs.Maybe},
	{"rm -rf *", "foo --run='rm -rf x'", programs.Maybe},
	{"rm -rf *", "foo 'cd x && rm -rf y'", programs.Maybe},
	{"rm -rf *", "foo rm x", programs.No},
	{"rm -rf *", "ls | xargs rm", programs.Maybe},
	{"rm -rf *", "ls | xargs grep x", programs.No},
	{"rm --recursive", "rm -r x", programs.Yes},
	{"rm /", "rm -v a /", programs.Yes},
	{"rm /", "rm a", programs.No},
	{"rm /etc/*", "rm x /etc/passwd", programs.Yes},
	{"git push *", "git push", programs.Yes},
	{"git push *", "git -C x push origin", programs.Yes},
	{"git push *", "git -c a=b --git-dir=y --no-pager push", programs.Yes},
	{"git push *", "git commit -m push", programs.No},
	{"git push *", "git stash push", programs.No},
	{"git push *", "git $x", programs.Maybe},
	{"git push --force *", "git push origin -f", programs.Yes},
	{"git push --force *", "git push origin +main", programs.Yes},
	{"git push --force *", "git push --force-with-lease", programs.No},
	{"git push -f *", "git push --follow-tags", programs.No},
	{"git push * main", "git push -u origin main", programs.Yes},
	{"git push * main", "git push origin dev", programs.No},
	{"kubectl delete *", "kubectl -n prod delete pod x", programs.Yes},
	{"kubectl delete *", "kubectl get pods", programs.No},
	{"npm publish", "npm run publish", programs.No},
	{"curl -X POST *", "curl --request=POST x", programs.Yes},
	{"curl -X POST *", "curl -sXPOST x", programs.Yes},
	{"curl -XPOST *", "curl -X POST x", programs.Yes},
	{"curl -XPOST *", "curl -X GET x", programs.No},
	{"foo --out=*", "foo --out x", programs.Yes},
	{"foo --out=a*", "foo --out=abc", programs.Yes},
	{"foo --out=a*", "foo --out abc", programs.Yes},
	{"foo --out=a*", "foo --out=b", programs.No},
	{"foo --out x", "foo --out=x", programs.Yes},
	{"foo --out=x", "foo --out x", programs.Yes},
	{"foo -f", "foo --force", programs.Maybe},
	{"foo --force", "foo -f", programs.Maybe},
	{"foo -ab", "foo -b -a", programs.Yes},
	{"foo -ab", "foo -a", programs.No},
	{"find * -delete", "find . -name x -delete", programs.Yes},
	{"find * -delete", "find -delete", programs.Yes},
	{"find * -delete", "find . -maxdepth 1 -newer x", programs.No},
	{"mkfs*", "/sbin/mkfs.ext4 x", programs.Yes},
	{"./scripts/*", "./scripts/a.sh x", programs.Yes},
	{"./scripts/*", "a.sh", programs.No},
	{"*", "a b", programs.Yes},
	{"a 'b c'", "a 'b c'", programs.Yes},
	{"a 'b c'", "a b c", programs.No},
	{"a '*'", "a x", programs.No},
	{"chmod 777 *", "chmod -R 777 x", programs.Yes},
	{"chmod 777 *", "chmod $m x", programs.Maybe},
	{"a b*d", "a bcd", programs.Yes},
	{"a b*c*d", "a bdcd", programs.Yes},
	{"a b*c*d", "a bdc", programs.No},
	{"terraform apply -auto-approve *", "terraform apply -no-color -auto-approve", programs.Yes},
	{"terraform apply -auto-approve *", "terraform apply -no-color", programs.No},
}

func TestAPatternThatForbidsMatchesHoweverACommandIsSpelled(t *testing.T) {
	for _, c := range spelled {
		read := plain.Shell{Dir: "/w", Home: "/home/ada"}.Read(c.line)
		got := programs.No
		for _, part := range read.Parts {
			got = max(got, compile(t, c.pattern).Forbids(part, programs.Of(part)))
		}
		if got != c.want {
			t.Errorf("%q on %q is %d, want %d", c.pattern, c.line, got, c.want)
		}
	}
}

func TestCodeInAnArgumentIsADoubtAndAScriptIsNone(t *testing.T) {
	for line, want := range map[string]bool{
		"python3 x.py":                false,
		"bash x.sh a b":               false,
		"npm install":                 false,
		"make all":                    false,
		"tar czf x.tgz src":           false,
		"cat data | python3 x.py":     false,
		"foo --title x --body y":      false,
		"git commit -m 'a; b'":        false,
		"rsync -a src/ host:/x":       false,
		"python3 -c 'print(1)'":       true,
		"node -e x":                   true,
		"cat x | sh":                  true,
		"curl x | bash -s":            true,
		"bash -xc ls":                 true,
		"env -S'rm -rf x'":            true,
		"foo 'a $(b)'":                true,
		"git -c alias.x='!id;ls' x":   true,
		"ssh host 'ls; id'":           true,
		"tar xf x --to-command='a|b'": true,
	} {
		read := plain.Shell{Dir: "/w", Home: "/home/ada"}.Read(line)
		part := read.Parts[len(read.Parts)-1]
		if got := programs.Of(part).Doubt(part); got != want {
			t.Errorf("%q: %t, want %t", line, got, want)
		}
	}
}
