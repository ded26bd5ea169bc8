package programs_test

import (
	"testing"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

func FuzzAPatternAndACommand(f *testing.F) {
	f.Add("git diff *", "git diff -p --stat x")
	f.Add("sort * --*", "sort -rnk2 -oout a")
	f.Add("cat 'a b' *.go", "cat 'a b' c.go")
	f.Fuzz(func(t *testing.T, pattern, line string) {
		p, err := programs.Compile(pattern)
		if err != nil {
			return
		}
		for _, part := range (plain.Shell{Home: "/home/ada"}).Read(line).Parts {
			got := p.Covers(part)
			if got.OK == (got.Why != "") {
				t.Errorf("%q for %q: %+v", pattern, line, got)
			}
			for _, r := range got.Roles {
				if r.Kind == programs.Unknown || r.Kind == programs.Option {
					t.Errorf("%q for %q: %+v", pattern, line, r)
				}
			}
		}
	})
}
