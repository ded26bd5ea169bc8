package cmdline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/internal/cmdline"
)

func TestWhatAWrapperRunsIsAPartToo(t *testing.T) {
	for line, want := range map[string]string{
		"env -u B A=1 x y":             "x:A=1|x|y",
		"env -S 'x y' z":               "x|y|z",
		"nice -n 5 x y":                "x|y",
		"nice -5 x y":                  "x|y",
		"timeout -k 1 5 x y":           "x|y",
		"nohup x y":                    "x|y",
		"time -p x y":                  "x|y",
		"/usr/bin/time -f %e x y":      "x|y",
		"command -p x y":               "x|y",
		"builtin x y":                  "x|y",
		"exec -a z x y":                "x|y",
		"sudo -u root -- x y":          "x|y",
		"sudo A=1 x y":                 "x:A=1|x|y",
		"doas -u a x y":                "x|y",
		"su a -c 'x y'":                "x|y",
		"runuser -u a -- x y":          "x|y",
		"setsid -w x y":                "x|y",
		"stdbuf -oL x y":               "x|y",
		"ionice -c3 x y":               "x|y",
		"chrt -b 0 x y":                "x|y",
		"taskset -c 0 x y":             "x|y",
		"chroot /r x y":                "x|y",
		"flock -n l x y":               "x|y",
		"flock l -c 'x y'":             "x|y",
		"strace -f -o o x y":           "x|y",
		"watch -n1 x y":                "x|y",
		"xargs -n1 x y":                "x|y|…*",
		"xargs -I{} x a{}b y":          "x|a…|y",
		"parallel x y ::: a":           "x|y|…*",
		"find . -exec x y {} \\;":      "x|y|.…",
		"find a -exec x y {} +":        "x|y|…",
		"fd -x x y":                    "x|y|…*",
		"bash -ec 'x y' z":             "x|y",
		"sh -c 'x y'":                  "x|y",
		"busybox x y":                  "x|y",
		"busybox sh -c 'x y'":          "x|y",
		"ssh -p 1 h x y":               "x|y",
		"script -qc 'x y' f":           "x|y",
		"eval x y":                     "x|y",
		"trap 'x y' EXIT":              "x|y",
		"nice nohup env timeout 5 x y": "x|y",
		"A=1 nice x y":                 "x:A=1|x|y",
	} {
		if got := showParts(cmdline.Parse(line)); !slices.Contains(got, want) {
			t.Errorf("%q has %q, not %q", line, got, want)
		}
	}
}

func TestAWrapperIsLightOnlyWhereItChangesNothing(t *testing.T) {
	for line, want := range map[string]bool{
		"nice ls": true, "nohup ls": true, "timeout 5 ls": true, "command ls": true, "command -v ls": true, "env ls": true,
		"env A=1 ls": true, "xargs ls": true, "stdbuf -oL ls": true, "bash -c ls": true, "eval ls": true, "exec ls": true, "watch ls": true,
		"/usr/bin/env ls": true, "builtin ls": true, "ionice ls": true,
		"env": false, "env -i ls": false, "env -C x ls": false, "sudo ls": false, "su -c ls": false, "ssh h ls": false, "setsid ls": false,
		"flock l ls": false, "parallel ls": false, "./env ls": false, "/tmp/nice ls": false, "bash x": false, "bash": false,
		"nice --odd ls": false, "timeout $x ls": false, "A=1 bash -c ls": false, "A=1 watch ls": false, "chroot x ls": false, "ls": false,
		"x=1": true, "X1=1": false, "> f": true, "LC_ALL=C": true,
	} {
		if got := cmdline.Parse(line).Parts[0].Light; got != want {
			t.Errorf("%q is %t, want %t", line, got, want)
		}
	}
}

func TestWhatMayRunMoreThanIsSeenIsOpaqueAndSaysWhy(t *testing.T) {
	for line, want := range map[string]string{
		"bash x.sh":          "runs a script that is not seen (bash) @1",
		"bash":               "runs what comes on its input (bash) @-1",
		"bash -s":            "has an option that is not understood (bash -s) @1",
		"bash -c \"a$x\"":    "runs code that is not known (bash -c) @2",
		". x":                "runs a script that is not seen (.) @1",
		"python3 -c x":       "runs code that is not seen (python3 -c) @1",
		"python3":            "runs what comes on its input (python3) @-1",
		"perl -ne x":         "runs code that is not seen (perl -ne) @1",
		"awk -f x":           "runs code that is not seen (awk -f) @1",
		"awk '{system(x)}'":  "its program runs others or writes files (awk) @1",
		"sed e":              "its script may run others or write files (sed) @1",
		"vim x":              "is an editor that runs commands (vim) @0",
		"git -c a=b x":       "an option may run something else (git -c) @1",
		"git log --ext-diff": "an option may run something else (git --ext-diff) @2",
		"git bisect run x":   "may run something else (git bisect run) @2",
		"tar --to-c=x -xf y": "an option may run something else (tar --to-c=x) @1",
		"tar xIf a b":        "an option may run something else (tar xIf) @1",
		"go test -exec x":    "an option may run something else (go -exec) @2",
		"rg --pre=x y":       "an option may run something else (rg --pre=x) @1",
		"docker exec x y":    "may run something else (docker exec) @1",
		"find . -delete":     "deletes what it finds (find -delete) @2",
		"nice --odd x":       "has an option that is not understood (nice --odd) @1",
		"timeout $x y":       "an argument that is not known could be an option @1",
		"git log $x":         "an argument that is not known could be an option @2",
		"git log *":          "an argument that is not known could be an option @2",
		"strace -o '|x' y":   "hands its output to a program that is not seen (strace -o) @1",
		"ssh h":              "runs what comes on its input (ssh) @-1",
		"make SHELL=x":       "sets what make may run (make SHELL=x) @1",
	} {
		p := cmdline.Parse(line).Parts[0]
		var got []string
		for i, why := range p.Opaque {
			got = append(got, why+" @"+itoa(p.Blame[i]))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q is opaque for %q, not %q", line, got, want)
		}
	}
}

func itoa(n int) string {
	if n < 0 {
		return "-1"
	}
	return string(rune('0' + n))
}

func TestOrdinaryArgumentsAreNotOpaque(t *testing.T) {
	for _, line := range []string{
		"git log -- $x", "git diff src/*", "git log ~/x", "ls $x", "cat *", "grep -r x *", "sed -n 1,5p x", "sed 's/a/b/g;s/c/d/' x", "sed -i s/a/b/ x",
		"awk '{print $1}' x", "awk -F, '$1 > 5' x", "find . -name '*.go' -type f", "find . -name \"$x\"", "python3 x.py", "python3 -m x -c y", "python3 x.py -c y",
		"tar xzf x", "go test ./... -run x", "sort -k2 x", "rg -n x", "curl -s x", "xargs -n1 ls", "make test V=1", "git commit -m x", "git rev-parse HEAD",
		"rsync -av a b", "git config --get user.name", "[ -f \"$x\" ]", "printf '%s' $x", "node x.js --eval",
	} {
		for _, p := range cmdline.Parse(line).Parts {
			if len(p.Opaque) > 0 {
				t.Errorf("%q is opaque: %q", line, p.Opaque)
			}
		}
	}
}

func TestPathsAreTheWordsThatLookLikeThem(t *testing.T) {
	for line, want := range map[string]string{
		"cat a/b ../c .env d.txt e":                      "a/b|../c|.env|d.txt",
		"x --file=/etc/a if=/dev/b":                      "/etc/a|/dev/b",
		"gcc -I/usr/include -o x":                        "/usr/include",
		"curl -d @a.json http://h/x":                     "a.json",
		"curl file:///etc/a":                             "/etc/a",
		"curl 'FILE://h/etc/%61?b'":                      "/etc/a?b|/etc/a",
		"curl --url=file:/etc/a":                         "/etc/a",
		"npm i file:../a":                                "../a",
		"curl 'fil{e,x}:///etc/a'":                       "…|fil{e,x}:///etc/a|///etc/a",
		"curl '{file}:///etc/a'":                         "…|{file}:///etc/a|///etc/a",
		"curl file:///e{t}c/a":                           "…|/e{t}c/a",
		"curl -H 'R: https://h/a' x:":                    "",
		"cat http://../../etc/a":                         "http://../../etc/a",
		"docker run -v /etc:/m a":                        "/etc:/m|/etc|/m",
		"docker run -v=/etc:/m a":                        "/etc:/m|/etc|/m",
		"docker run --volume=/a:./b":                     "/a:./b|/a|./b",
		"docker run --mount type=bind,src=/etc,dst=/m a": "bind,src=/etc,dst=/m|/etc|/m",
		"scp a.txt h:/etc/b":                             "a.txt|h:/etc/b|/etc/b",
		"grep -flink a":                                  "link",
		"grep -nflink a":                                 "link",
		"grep -rn a":                                     "",
		"grep -m5 a":                                     "",
		"sort -o/etc/a b":                                "/etc/a",
		"sort -olink b":                                  "link",
		"odd -abc d":                                     "bc|c",
		"odd -a=b":                                       "b",
		"odd -f/etc/a=b":                                 "/etc/a=b|/etc/a",
		"curl -Flink=@/etc/a -Ta h":                      "/etc/a|a",
		"odd -f/etc/*":                                   "-f/etc/…*",
		"./run.sh":                                       "./run.sh",
		"cat $x ~/y z/*":                                 "…*|…|z/…*",
		"git log -5 v1.2.3":                              "",
		"cat a > /etc/b":                                 "",
	} {
		var got []string
		for _, w := range cmdline.Parse(line).Parts[0].Paths() {
			got = append(got, show(w))
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func TestHazardsSayWhatCouldDoHarmAndHowMuch(t *testing.T) {
	for line, want := range map[string]string{
		"ls":                    "",
		"rm x":                  "medium: deletes files (rm)",
		"rm -r x":               "high: deletes files recursively (rm -r)",
		"rm -rf /":              "critical: deletes everything it can reach (rm -r)",
		"rm -rf ~":              "critical: deletes everything it can reach (rm -r)",
		"rm -rf *":              "critical: deletes everything it can reach (rm -r)",
		"sudo ls":               "high: changes privileges (sudo)",
		"curl x":                "medium: reaches the network (curl)",
		"curl x | sh":           "critical: may run what it downloads (curl)",
		"sh -c \"$(curl x)\"":   "critical: may run what it downloads (curl)",
		"eval \"$(curl x)\"":    "critical: may run what it downloads (curl)",
		"bash <(curl x)":        "critical: may run what it downloads (curl)",
		"python3 -c x":          "high: runs code that is not seen (python3 -c)",
		"dd of=/dev/sda":        "critical: overwrites a disk (dd of=/dev/sda)",
		"echo x > /dev/sda":     "critical: overwrites a disk (/dev/sda)",
		"echo x > f":            "low: writes a file (f)",
		"echo x > /dev/tcp/h/1": "high: opens a connection (/dev/tcp/h/1)",
		"git push -f":           "high: force-pushes (git push --force)",
		"git push":              "medium: publishes commits (git push)",
		"git reset --hard":      "high: throws away changes (git reset --hard)",
		"chmod -R 777 x":        "high: changes permissions recursively (chmod -R)",
		"kill 1":                "medium: stops processes (kill)",
		":(){ :|:& };:":         "high: can't be known: defines a function that calls itself (:)",
		"a (":                   "high: can't be known: not readable as a bash line",
		"$x":                    "high: runs a program that is not known",
		"LD_PRELOAD=x ls":       "high: sets a variable that changes which code runs (LD_PRELOAD)",
		"nice rm -r x":          "high: deletes files recursively (rm -r)",
		"mkfs.ext4 x":           "critical: makes a file system (mkfs.ext4)",
	} {
		var got []string
		for _, h := range cmdline.Parse(line).Hazards() {
			got = append(got, h.Level.String()+": "+h.Text)
		}
		starts := func(s string) bool { return strings.HasPrefix(s, want) }
		if want == "" && len(got) > 0 || want != "" && !slices.ContainsFunc(got, starts) {
			t.Errorf("%q has the hazards %q, want %q", line, got, want)
		}
	}
}
