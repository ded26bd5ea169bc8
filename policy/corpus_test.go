package policy_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
	"github.com/lineclear/lineclear/policy"
)

// entries reads a corpus: a word, a tab, a text.
func entries(t testing.TB, name string, each func(at int, word, text string)) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		word, text, ok := strings.Cut(s.Text(), "\t")
		if !ok || strings.HasPrefix(word, "#") {
			continue
		}
		if quoted, ok := strings.CutPrefix(text, "go:"); ok {
			if text, err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
		}
		each(n, word, text)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// corpusRules are the corpora's, with the workspace as the folder that loops may
// read from.
func corpusRules(t testing.TB, dir string) policy.Rules {
	t.Helper()
	list := []policy.Rule{
		{Tool: "shell", Paths: []string{"."}, Effect: policy.Allow},
		// By itself a wrapper needs a rule here, so that nothing is allowed that no rule names.
		{Tool: "shell", Command: []string{"command -v *"}, Effect: policy.Allow},
	}
	entries(t, "rules.txt", func(_ int, word, text string) {
		list = append(list, policy.Rule{Tool: "shell", Command: []string{text}, Effect: policy.Effect(word)})
	})
	return policy.Rules{Rules: compiled(t, list...), WorkingDirectory: dir}
}

func TestTheCorporaOfCommandLinesGetTheirVerdicts(t *testing.T) {
	dir := t.TempDir()
	rules := corpusRules(t, dir)
	judged, unread := 0, 0
	for _, name := range []string{"bypass.txt", "ordinary.txt"} {
		entries(t, name, func(at int, want, text string) {
			if !utf8.ValidString(text) {
				return // no JSON text can hold it
			}
			judged++
			if want == "allow" && (plain.Shell{Dir: dir, Home: home}).Read(text).Unread != "" {
				want = "ask" // no rule clears what is not read
				unread++
			}
			if want == "allow" && writesFile(text) {
				want = "ask" // whichever it is: no rule clears that
			}
			v := judge(t, rules, line(t, text))
			got := word(v)
			if want == "doubt" { // no mode clears it either
				call := line(t, text)
				call.Mode, want = approval.AutoApprove, "ask"
				if v := judge(t, rules, call); v.Effect != approval.AskPerson {
					t.Errorf("%s:%d: %q is %v by %q", name, at, text, v.Effect, v.Rule)
				}
			}
			if got == "mode" {
				got = "ask"
			}
			if got != want && !(want == "allow" && empty(v)) {
				t.Errorf("%s:%d: %q is %s, want %s: %q", name, at, text, got, want, v.Trace)
			}
		})
	}
	if judged < 500 || unread > 50 {
		t.Errorf("%d lines, of which %d ordinary ones are not plain", judged, unread)
	}
}

// writesFile reports whether a command line writes a file.
func writesFile(text string) bool {
	return slices.ContainsFunc(plain.Shell{}.Read(text).Parts, func(p *plain.Part) bool {
		return slices.ContainsFunc(p.Files, func(f plain.File) bool { return f.Write && !plain.NullDevice(f.Path.Text) }) || slices.ContainsFunc(programs.Of(p).Roles, func(r programs.Role) bool {
			return r.Kind == programs.Write || strings.HasPrefix(r.Word.Text, "--output=")
		})
	})
}

// empty reports whether nothing is run at all: the corpora let that pass.
func empty(v approval.Verdict) bool { return v.Effect == approval.AskPerson && len(v.Trace) == 0 }
