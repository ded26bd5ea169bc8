package linediff_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/internal/linediff"
)

const whole = 1 << 30

func TestADiffIsWrittenAsDiffWritesIt(t *testing.T) {
	for name, c := range map[string]struct {
		before, after, want string
		added, removed      int
	}{
		"the same":                     {"a\nb\n", "a\nb\n", "", 0, 0},
		"nothing":                      {"", "", "", 0, 0},
		"a new file":                   {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0},
		"an emptied file":              {"a\n", "", "@@ -1 +0,0 @@\n-a\n", 0, 1},
		"one changed line":             {"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n", 1, 1},
		"a new final newline":          {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", 1, 1},
		"no final newline on one side": {"a\nb", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", 1, 1},
		"no final newline on both":     {"a\nb", "x\nb", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n", 1, 1},
		"a line like a header":         {"a\nb\n", "a\n--- x\nb\n", "@@ -1,2 +1,3 @@\n a\n+--- x\n b\n", 1, 0},
		"two changes apart":            {lines(1, 20), strings.NewReplacer("\n3\n", "\nthree\n", "\n17\n", "\n").Replace(lines(1, 20)), "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+three\n 4\n 5\n 6\n@@ -14,7 +14,6 @@\n 14\n 15\n 16\n-17\n 18\n 19\n 20\n", 1, 2},
		"two close changes":            {lines(1, 9), strings.NewReplacer("\n2\n", "\n", "\n9\n", "\n").Replace(lines(1, 9)), "@@ -1,9 +1,7 @@\n 1\n-2\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n", 0, 2},
		"a line added at the end":      {"a\n", "a\na\n", "@@ -1 +1,2 @@\n a\n+a\n", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := linediff.Unified("f", c.before, c.after, 3, whole)
			want := linediff.Diff{Text: c.want, Added: c.added, Removed: c.removed}
			if c.want != "" {
				want.Text = "--- f\n+++ f\n" + c.want
				want.Lines = strings.Count(want.Text, "\n")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestWhatIsCutOffIsCountedAndCutAtTheEndOfALine(t *testing.T) {
	all := linediff.Unified("f", "", lines(1, 500), 3, whole)
	cut := linediff.Unified("f", "", lines(1, 500), 3, 100)
	if cut.Added != 500 || cut.Lines != all.Lines || len(cut.Text) > 100 || len(cut.Text) < 90 {
		t.Errorf("%d added, %d lines, %d bytes", cut.Added, cut.Lines, len(cut.Text))
	}
	if !strings.HasPrefix(all.Text, cut.Text) || !strings.HasSuffix(cut.Text, "\n") || strings.Count(cut.Text, "\n")+cut.Omitted != cut.Lines {
		t.Errorf("%d of %d lines are left out of:\n%s", cut.Omitted, cut.Lines, cut.Text)
	}
}

func TestHunksTurnTheOneTextIntoTheOtherInTheFewestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := text(t, "before"), text(t, "after")
		context := rapid.IntRange(0, 5).Draw(t, "context")
		d := linediff.Unified("f", before, after, context, whole)
		got, added, removed := applied(t, d.Text, before)
		if got != after {
			t.Fatalf("the hunks make %q of %q, not %q:\n%s", got, before, after, d.Text)
		}
		if added != d.Added || removed != d.Removed {
			t.Fatalf("+%d -%d is said of +%d -%d", d.Added, d.Removed, added, removed)
		}
		if common := longest(split(before), split(after)); removed != len(split(before))-common || added != len(split(after))-common {
			t.Fatalf("+%d -%d, where %d lines can stay:\n%s", added, removed, common, d.Text)
		}
	})
}

// text draws a text of few different lines, so that many occur more than once.
func text(t *rapid.T, label string) string {
	list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "}", "@@ -1 +1 @@", "\\ x", "+y"}), 0, 60).Draw(t, label)
	all := strings.Join(list, "\n")
	if rapid.Bool().Draw(t, label+" ends its last line") {
		all += "\n"
	}
	return all
}

func TestTheTotalsAreThoseOfDiff(t *testing.T) {
	program, err := exec.LookPath("diff")
	if err != nil {
		t.Fatal("this test compares with the program diff: install diffutils")
	}
	dir := t.TempDir()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		before := make([]string, r.IntN(400))
		for i := range before {
			before[i] = strconv.Itoa(r.IntN(60))
		}
		after := []string{}
		for _, line := range before {
			switch r.IntN(6) {
			case 0:
			case 1:
				after = append(after, line, strconv.Itoa(r.IntN(60)))
			case 2:
				after = append(after, "new "+line)
			default:
				after = append(after, line)
			}
		}
		a, b := put(t, dir, "a", before), put(t, dir, "b", after)
		out, err := exec.CommandContext(t.Context(), program, "-u", "-d", filepath.Join(dir, "a"), filepath.Join(dir, "b")).Output()
		if _, differ := err.(*exec.ExitError); err != nil && !differ {
			t.Fatal(err)
		}
		_, added, removed := applied(t, string(out), a)
		if d := linediff.Unified("f", a, b, 3, whole); d.Added != added || d.Removed != removed {
			t.Errorf("seed %d: +%d -%d, diff says +%d -%d", seed, d.Added, d.Removed, added, removed)
		}
	}
}

func put(t *testing.T, dir, name string, lines []string) string {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHostileTextsTakeBoundedMemoryAndAreToldWhole(t *testing.T) {
	const size = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	fill := func(line func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	random := func(int) string { return string(rune('a'+r.IntN(2))) + "\n" }
	for name, c := range map[string]struct{ before, after string }{
		"all lines are different":        {fill(func(i int) string { return fmt.Sprintf("old %d\n", i) }), fill(func(i int) string { return fmt.Sprintf("new %d\n", i) })},
		"all lines in reverse order":     {fill(func(i int) string { return fmt.Sprintf("%07d\n", i) }), fill(func(i int) string { return fmt.Sprintf("%07d\n", size/8-i) })},
		"two kinds of lines at random":   {fill(random)[:size/4], fill(random)[:size/4]},
		"a million lines":                {strings.Repeat("\n", size), strings.Repeat("x\n", size)},
		"one line":                       {strings.Repeat("x", size), strings.Repeat("y", size)},
		"one of a million lines differs": {strings.Repeat("\n", size), strings.Repeat("\n", size/2) + "x\n" + strings.Repeat("\n", size/2)},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := linediff.Unified("f", c.before, c.after, 3, whole)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
				t.Errorf("it took %d MiB", used>>20)
			}
			got, added, removed := applied(t, d.Text, c.before)
			if got != c.after || added != d.Added || removed != d.Removed {
				t.Errorf("+%d -%d is said of +%d -%d, right: %t", d.Added, d.Removed, added, removed, got == c.after)
			}
		})
	}
}

func FuzzTheHunksTurnTheOneTextIntoTheOther(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", 3)
	f.Add("a", "a\n\n", 0)
	f.Add("\n\n\n", "\r\n\n", 1)
	f.Fuzz(func(t *testing.T, before, after string, context int) {
		context = max(0, context%20)
		d := linediff.Unified("f", before, after, context, whole)
		if got, added, removed := applied(t, d.Text, before); got != after || added != d.Added || removed != d.Removed {
			t.Errorf("%q is made of %q, not %q; +%d -%d is said of +%d -%d", got, before, after, d.Added, d.Removed, added, removed)
		}
		if again := linediff.Unified("f", before, after, context, whole); again != d {
			t.Error("the same texts have another diff")
		}
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

// applied applies the hunks of a diff to a text, and counts the lines that they add and remove.
func applied(t failer, diff, before string) (after string, added, removed int) {
	if diff == "" {
		return before, 0, 0
	}
	old := split(before)
	var made []string
	at := 0
	body := strings.SplitAfter(diff, "\n")[2:]
	for i := 0; i < len(body) && body[i] != ""; i++ {
		line := body[i]
		text := line[1:]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], `\ No newline`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch line[0] {
		case '@':
			var start int
			if _, err := fmt.Sscanf(line, "@@ -%d", &start); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if !strings.HasPrefix(strings.Fields(line)[1], "-"+strconv.Itoa(start)+",0") {
				start--
			}
			for ; at < start; at++ {
				made = append(made, old[at])
			}
		case '\\':
		case '+':
			made, added = append(made, text), added+1
		case ' ', '-':
			if at >= len(old) || old[at] != text {
				t.Fatalf("line %d of the text is not %q", at+1, text)
			}
			if line[0] == ' ' {
				made = append(made, text)
			} else {
				removed++
			}
			at++
		default:
			t.Fatalf("%q is no line of a diff", line)
		}
	}
	return strings.Join(append(made, old[at:]...), ""), added, removed
}

func split(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// longest returns how many lines two texts have in common at most, found the slow way.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, line := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if line == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
