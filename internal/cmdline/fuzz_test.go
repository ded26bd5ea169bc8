package cmdline_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/lineclear/lineclear/internal/cmdline"
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"bypass.txt", "ordinary.txt"} {
		for _, e := range readEntries(f, name) {
			f.Add(e.line)
		}
	}
	r := readRules(f)
	f.Fuzz(func(t *testing.T, line string) {
		l := cmdline.Parse(line)
		r.verdict(l)
		l.Hazards()
		for _, p := range l.Parts {
			p.Paths()
			if len(p.Opaque) != len(p.Blame) {
				t.Fatalf("%d reasons and %d words to blame", len(p.Opaque), len(p.Blame))
			}
			for _, at := range p.Blame {
				if at >= len(p.Words) {
					t.Fatalf("word %d of %d is to blame in %q", at, len(p.Words), line)
				}
			}
		}
		var suggested rules
		for _, text := range cmdline.Suggest(l) {
			p, err := cmdline.CompilePattern(text)
			if err != nil {
				t.Fatalf("suggested %q: %v", text, err)
			}
			suggested.allow = append(suggested.allow, p)
		}
		for _, p := range l.Parts {
			covered := p.Light || len(suggested.allow) == 0
			for _, s := range suggested.allow {
				covered = covered || s.Covers(p)
			}
			if !covered {
				t.Fatalf("what was suggested for %q does not cover %q", line, p.Text)
			}
		}
	})
}

func FuzzCompilePattern(f *testing.F) {
	for _, text := range []string{"git status *", "rm -rf *", "A=* b", `a "b c" d\ e`, "*", "a*b*c", "--"} {
		f.Add(text, "git status")
	}
	f.Fuzz(func(t *testing.T, text, line string) {
		p, err := cmdline.CompilePattern(text)
		if err != nil {
			return
		}
		for _, part := range cmdline.Parse(line).Parts {
			if p.Covers(part) && p.Match(part) == cmdline.No {
				t.Fatalf("%q covers %q and does not match it", text, part.Text)
			}
		}
	})
}

// mutation hides a command within a line, in a way that runs it all the same.
type mutation func(command string) string

func around(before, after string) mutation {
	return func(command string) string { return before + command + after }
}

func quoted(before, after string) mutation {
	return func(command string) string {
		q, err := syntax.Quote(command, syntax.LangBash)
		if err != nil {
			q = "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
		}
		return before + q + after
	}
}

// spelled changes how the first word is written.
func spelled(first func(word string) string) mutation {
	return func(command string) string {
		word, rest, _ := strings.Cut(command, " ")
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") != "" || syntax.IsKeyword(word) || len(word) < 2 {
			return command
		}
		return first(word) + " " + rest
	}
}

func mutations() []mutation {
	return []mutation{
		around("git status; ", ""), around("git status && ", ""), around("false || ", ""), around("ls | ", ""),
		around("ls & ", ""), around("ls\n", ""), around("", "; ls"), around("", "\nls"), around("", " # git status"), around("", " > out.txt"),
		around("", " 2>&1"), around("", " | cat"), around("", " &"), around("! ", ""), around("( ", " )"), around("{ ", "\n}"),
		around("if ", "\nthen ls; fi"), around("if true; then ", "\nfi"), around("while ", "\ndo ls; done"), around("for i in 1 2; do ", "\ndone"),
		around("case x in x) ", "\n;; esac"), around("case $(", "\n) in x) ls;; esac"), around("f() { ", "\n}; f"),
		around("echo $(", "\n)"), around(`echo "$(`, "\n)\""), around("cat <(", "\n)"), around("x=$(", "\n)"), around("echo ${x:-$(", "\n)}"),
		around("[ -n \"$(", "\n)\" ]"), around("for i in $(", "\n); do ls; done"), around("cat <<E\n$(", "\n)\nE\n"), around("ls > $(", "\n)"),
		around("env ", ""), around("env -i A=1 ", ""), around("nice -n 5 ", ""), around("nohup ", ""), around("timeout 5 ", ""), around("timeout -k 1 5 ", ""),
		around("command ", ""), around("exec ", ""), around("stdbuf -oL ", ""), around("setsid ", ""), around("time ", ""), around("xargs ", ""),
		around("xargs -n 1 ", ""), around("find . -exec ", " {} \\;"), around("A=1 ", ""), around("builtin command ", ""), around("ionice -c 3 ", ""),
		quoted("bash -c ", ""), quoted("sh -c ", ""), quoted("eval ", ""), quoted("trap ", " EXIT"), quoted("env -S ", ""), quoted("watch ", ""),
		quoted("su -c ", ""), quoted("flock l -c ", ""), quoted("xargs sh -c ", ""), quoted("echo x | sh -c ", ""), quoted("printf %s ", " | sh"),
		quoted("bash <<< ", ""), quoted("sh -ec ", " x"),
		spelled(func(w string) string { return "\\" + w }), spelled(func(w string) string { return "'" + w + "'" }),
		spelled(func(w string) string { return `"` + w + `"` }), spelled(func(w string) string { return w[:1] + "''" + w[1:] }),
		spelled(func(w string) string { return w[:1] + "\\\n" + w[1:] }), spelled(func(w string) string { return "$'" + w + "'" }),
		spelled(func(w string) string { return "/usr/bin/" + w }), spelled(func(w string) string { return w[:1] + `\` + w[1:] }),
	}
}

// FuzzMutation hides forbidden commands, and commands that no rule is about. A
// line that runs one must never be allowed.
func FuzzMutation(f *testing.F) {
	ways := mutations()
	for i := range ways {
		f.Add(byte(i), []byte{byte(i), byte(i * 7), byte(i * 13)})
		f.Add(byte(i), []byte{byte(i)})
	}
	hidden := []string{
		"rm -rf /", "rm -r -f x", "rm --recursive --force x", "curl http://x", "sudo ls", "git push --force", "git push -f origin", "chmod 777 x",
		"evil", "reboot", "git commit -m x", "find . -delete", "python3 -c x", "echo x > /etc/passwd", "cat x > ../x", "PATH=/x ls", "git -c a=b status",
		"bash script", "tee /etc/x", "sort -o /etc/x y", "awk -f x", "sed -f x", "tar -I x -xf y", "go test -exec x", "alias ls=evil",
	}
	r := readRules(f)
	f.Fuzz(func(t *testing.T, which byte, how []byte) {
		line := hidden[int(which)%len(hidden)]
		for i, b := range how {
			if i == 8 || len(line) > 4000 {
				break
			}
			line = ways[int(b)%len(ways)](line)
		}
		if got, _ := r.verdict(cmdline.Parse(line)); got == "allow" {
			t.Fatalf("allowed: %q", line)
		}
	})
}
