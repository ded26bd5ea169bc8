package cmdline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/cmdline"
)

func TestTheScriptsThatALineRunsAreNamed(t *testing.T) {
	for line, want := range map[string]string{ // in the parts' order, each with the directories in which it may be
		"bash x.sh app.log":             "x.sh",
		"bash -e x.sh":                  "x.sh",
		"bash -o pipefail x.sh":         "x.sh",
		"bash -- x.sh app.log":          "x.sh",
		"bash --rcfile x.sh -i":         "x.sh",
		"bash --rcfile=x.sh -i":         "x.sh",
		"bash < x.sh":                   "x.sh",
		"cat x.sh | bash":               "x.sh",
		"BASH_ENV=x.sh bash -c ls":      "x.sh",
		"source x.sh":                   "x.sh",
		". x.sh":                        "x.sh",
		"./x.sh app.log":                "./x.sh",
		"timeout 5 ./x.sh":              "./x.sh",
		"sudo -u ada ./x.sh":            "./x.sh",
		"xargs ./x.sh":                  "./x.sh",
		"find . -exec ./x.sh ;":         "./x.sh",
		"sh -c './x.sh'":                "./x.sh",
		"busybox sh x.sh":               "x.sh",
		"cd sub && ./x.sh":              "./x.sh sub",
		"env -C sub bash x.sh":          "x.sh sub",
		"(cd sub; ./x.sh)":              "./x.sh |sub",
		"python3 x.py app.log":          "x.py",
		"python3 -W error x.py":         "x.py",
		"pypy3 x.py":                    "x.py",
		"node -r ./x.js y.js":           "y.js",
		"node --import=./x.js y.js":     "./x.js",
		"awk -f x.awk":                  "x.awk",
		"perl -I . x.pl":                "x.pl",
		"make -f x.mk":                  "x.mk",
		"fish x.fish":                   "x.fish",
		"dash x.sh":                     "x.sh",
		"nohup zsh x.zsh a b":           "x.zsh",
		"Rscript x.R":                   "x.R",
		"php x.php":                     "x.php",
		"ls x.sh":                       "",
		"tail app.log":                  "",
		"sed -n 1,5p app.log":           "",
		"python3 -c 'print(1)' app.log": "!app.log",
		"perl -ne print app.log":        "!app.log",
		"awk '{print}' app.log":         "!app.log",
		"bash -e x.sh app.log":          "!app.log",
	} {
		var got []string
		for _, s := range cmdline.Parse(line).Scripts() {
			got = append(got, strings.TrimSuffix(s.Path+" "+strings.Join(s.Bases.Dirs, "|"), " "))
		}
		switch not, forbidden := strings.CutPrefix(want, "!"); {
		case forbidden && slices.Contains(got, not):
			t.Errorf("%s: %q has what is only read", line, got)
		case !forbidden && want == "" && len(got) > 0, !forbidden && want != "" && !slices.Contains(got, want):
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
