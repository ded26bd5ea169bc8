package cmdline_test

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/cmdline"
)

// rules are what the corpora are judged by.
type rules struct {
	allow, deny []cmdline.Pattern
}

// entry is one line of a corpus.
type entry struct {
	verdict string
	line    string
	at      int
}

func readEntries(t testing.TB, name string) []entry {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []entry
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		text := s.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		verdict, line, ok := strings.Cut(text, "\t")
		if !ok {
			t.Fatalf("%s:%d has no tab", name, n)
		}
		if quoted, ok := strings.CutPrefix(line, "go:"); ok {
			if line, err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%s:%d: %v", name, n, err)
			}
		}
		all = append(all, entry{verdict: verdict, line: line, at: n})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func readRules(t testing.TB) rules {
	t.Helper()
	var r rules
	for _, e := range readEntries(t, "rules.txt") {
		p, err := cmdline.CompilePattern(e.line)
		if err != nil {
			t.Fatal(err)
		}
		if e.verdict == "allow" {
			r.allow = append(r.allow, p)
		} else {
			r.deny = append(r.deny, p)
		}
	}
	return r
}

// verdict is what the rules say of a line, and why.
func (r rules) verdict(l cmdline.Line) (verdict, why string) {
	ask := ""
	if len(l.Unknown) > 0 {
		ask = "unknown: " + strings.Join(l.Unknown, "; ")
	}
	if len(l.Parts) == 0 && ask == "" {
		return "allow", "nothing runs"
	}
	for _, part := range l.Parts {
		for _, p := range r.deny {
			switch p.Match(part) {
			case cmdline.Yes:
				return "deny", p.String() + " matches " + part.Text
			case cmdline.Maybe:
				ask = p.String() + " may match " + part.Text
			case cmdline.No:
			}
		}
		covers := func(p cmdline.Pattern) bool { return p.Covers(part) }
		if !part.Light && !slices.ContainsFunc(r.allow, covers) {
			ask = "nothing covers " + part.Text
		}
		for _, f := range part.Files {
			if f.Write && !inside(part.Bases, f.Path) {
				ask = "writes " + f.Path.Text
			}
		}
	}
	if ask != "" {
		return "ask", ask
	}
	return "allow", ""
}

// inside says whether a file is in the workspace, which is the call's own
// directory.
func inside(b cmdline.Bases, file cmdline.Word) bool {
	if !file.Known || b.Unknown {
		return false
	}
	bases := b.Dirs
	if len(bases) == 0 {
		bases = []string{""}
	}
	for _, base := range bases {
		full := path.Join(base, file.Text)
		if path.IsAbs(file.Text) {
			full = file.Text
		}
		if path.IsAbs(full) || full == ".." || strings.HasPrefix(full, "../") {
			return false
		}
	}
	return true
}

func TestNoLineOfTheBypassCorpusGetsPastTheRules(t *testing.T) {
	checkCorpus(t, "bypass.txt", 400)
}

func TestOrdinaryLinesGetTheVerdictThatPeopleExpect(t *testing.T) {
	checkCorpus(t, "ordinary.txt", 150)
}

func checkCorpus(t *testing.T, name string, atLeast int) {
	r := readRules(t)
	all := readEntries(t, name)
	if len(all) < atLeast {
		t.Fatalf("%s has only %d lines", name, len(all))
	}
	for _, e := range all {
		got, why := r.verdict(cmdline.Parse(e.line))
		if got != e.verdict {
			t.Errorf("%s:%d: %q got %s (%s), want %s", name, e.at, e.line, got, why, e.verdict)
		}
	}
}
