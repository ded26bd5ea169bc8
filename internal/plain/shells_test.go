package plain_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/plain"
)

// mark is a file that only code which was not read makes.
const mark = "MARK"

// newline stands for one in what is written down.
const newline = "␤"

// soup is what lines are put together from, at random.
var soup = strings.Split(strings.NewReplacer("␤", "\n").Replace(
	"'|\"|`|\\|$|$(|)|${|}|$((|))|<(|{|(|;|&|&&|‖|¦|!|#|␤| | | | |a|b|rec|echo|x=|y|$x|$y|${x}|\"$x\"|$?|~|~/a|*|?|[a]|{a,b}|{1..3}|"+
		"$(: >MARK)|`: >MARK`|: >MARK|;: >MARK|'$(: >MARK)'|\"$(: >MARK)\"|\\$(: >MARK)|\\`: >MARK\\`|${x:-$(: >MARK)}|${x:-'$(: >MARK)'}|a[$(: >MARK)]|"+
		"${x:=\"$\\(: >MARK)\"}|$'\\x24(: >MARK)'|$\"$(: >MARK)\"|<<E␤|<<'E'␤|<<\\E␤|<<-E␤\t|␤E␤|␤\tE␤|E|␤EOF␤|EOF␤: >MARK␤|<<'EOF1'␤|␤EOF1␤|<<<|>f|>>f|<f|2>&1|&>f|>&2|for |for x in |in |do |done|"+
		"; do |; done|if |then |fi|test -v |[ -v |]|printf -v |printf |%n|%s|export |unset |read |eval |exec |trap |alias |cd src|cd |..|src/|-c |sh -c |bash -lc |"+
		"env |timeout 1 |xargs |find . -exec |{} +|\\;|time |nice |sudo |-n|--|cat |$(cat <<'E'␤|\"$(cat <<'E'␤|set -- |command |builtin |function f |f() |case x in |esac|[[ |]]|let x=|((|declare x=|PATH=|IFS=|\\␤"), "|")

// broth is a line of soup. Of three lines two are ordered, so that many are plain.
func broth(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(strings.NewReplacer("‖", "||", "¦", "|").Replace(soup[r.IntN(len(soup))]))
	}
	return b.String()
}

// ordered is a line by the grammar of shells, with words in random quotes.
func ordered(r *rand.Rand, depth int) string {
	if depth > 3 {
		return command(r)
	}
	next := func() string { return ordered(r, depth+1) }
	switch r.IntN(12) {
	case 0:
		return next() + " && " + next()
	case 1:
		return next() + " || " + next()
	case 2:
		return next() + " | " + next()
	case 3:
		return next() + "; " + next()
	case 4:
		return "( " + next() + " )"
	case 5:
		return "{ " + next() + "; }"
	case 6:
		return "for y in " + word(r) + " " + word(r) + "; do " + next() + "; rec \"$y\" z$y; done"
	case 7:
		return "! " + next()
	case 8:
		return command(r) + " <<'" + "E'\n" + word(r) + "\n" + broth(r) + "\nE\n" + next()
	case 9:
		return "cd src && " + next()
	default:
		return command(r)
	}
}

func command(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(6) == 0 {
		b.WriteString("x=" + word(r) + " ")
	}
	b.WriteString([]string{"rec", "rec", "rec", "echo", "printf %s", "test", "[", "sh -c", "env a=1 rec", "timeout 1 rec", ":"}[r.IntN(11)])
	for range r.IntN(4) {
		b.WriteString(" " + word(r))
	}
	switch r.IntN(8) {
	case 0:
		b.WriteString(" > f")
	case 1:
		b.WriteString(" 2>&1")
	case 2:
		b.WriteString(" >> " + word(r))
	case 3:
		b.WriteString(" <<< " + word(r))
	}
	return b.String()
}

// word is one in random quotes, with pieces in it that some reader may take for more.
func word(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		inner := strings.NewReplacer("‖", "||", "¦", "|").Replace(soup[r.IntN(len(soup))])
		switch r.IntN(5) {
		case 0:
			b.WriteString("'" + strings.ReplaceAll(inner, "'", "") + "'")
		case 1:
			b.WriteString(`"` + strings.NewReplacer(`"`, "", `\`, "").Replace(inner) + `"`)
		case 2:
			b.WriteString(`\` + string("ab$`'\"; |#"[r.IntN(10)]))
		case 3:
			b.WriteString([]string{"a", "b-1", "*", "?", "~", "src/*", "{a,b}", "$?", `"$x"`, "--o=v", "-n"}[r.IntN(11)])
		default:
			b.WriteString(inner)
		}
	}
	return b.String()
}

func TestWhatIsPrintedRunsWhatWasRead(t *testing.T) {
	lines := 3000
	if os.Getenv("LINECLEAR_LONG") != "" {
		lines = 150_000
	}
	if n, err := strconv.Atoi(os.Getenv("LINECLEAR_LINES")); err == nil {
		lines = n
	}
	seed := uint64(os.Getpid())
	if n, err := strconv.ParseUint(os.Getenv("LINECLEAR_SEED"), 10, 64); err == nil {
		seed = n
	}
	r := rand.New(rand.NewPCG(seed, 1))
	readable := 0
	const batch = 500
	for done := 0; done < lines; done += batch {
		var all []tried
		dir := scratch(t)
		for range batch {
			text := broth(r)
			if r.IntN(3) > 0 {
				text = ordered(r, 0)
			}
			line := plain.Shell{Dir: dir, Home: homeOf(dir)}.Read(text)
			if line.Unread == "" {
				all = append(all, tried{text: text, line: line, printed: line.Print(func(string) string { return "rec" })})
			}
		}
		readable += len(all)
		for _, shell := range shells(t) {
			runBatch(t, shell, dir, all)
		}
		if t.Failed() {
			t.Fatalf("with LINECLEAR_SEED=%d", seed)
		}
	}
	t.Logf("%d of %d lines were plain, and ran as they were read (seed %d)", readable, lines, seed)
	if readable < lines/20 {
		t.Errorf("only %d of %d lines were plain: that says little", readable, lines)
	}
}

type tried struct {
	text, printed string
	line          *plain.Line
}

// shells are those that this machine has.
func shells(t *testing.T) []string {
	var all []string
	for _, name := range []string{"dash", "bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && (name != "sh" || len(all) == 0) {
			all = append(all, path)
		}
	}
	if len(all) == 0 {
		t.Fatal("there is no shell")
	}
	return all
}

func scratch(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"src", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b", "src/a", "src/c d"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// homeOf is the home folder of lines that run in a folder. They may write to it.
func homeOf(dir string) string { return dir + "-home" }

// runBatch runs printed lines, one after the other, where every program writes down what it
// was given.
func runBatch(t *testing.T, shell, dir string, all []tried) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	var script strings.Builder
	written := "\"$@\""
	if filepath.Base(shell) == "bash" { // it writes line by line, and the sides of a pipe at once
		written = "\"${@//$'\\n'/" + newline + "}\""
	}
	fmt.Fprintf(&script, "exec 9>%s\nrec() { printf '%%s\\0' $N \"$#\" %s >&9; }\n", log, written)
	for i, c := range all {
		fmt.Fprintf(&script, "N=%d\nprintf '%%s\\0' $N line >&9\n( eval '%s'\nwait )\nif test -e %s || test -e src/%s; then printf '%%s\\0' $N mark >&9; /bin/rm -f %s src/%s; fi\n",
			i, strings.ReplaceAll(c.printed, "'", `'\''`), mark, mark, mark, mark)
	}
	cmd := exec.Command(shell)
	cmd.Stdin = strings.NewReader(script.String())
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=" + homeOf(dir)}
	_ = cmd.Run() // the last line may have failed
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(dir, mark))
	_ = os.Remove(filepath.Join(dir, "src", mark))
	check(t, shell, all, strings.Split(string(bytes.TrimSuffix(data, []byte{0})), "\x00"))
}

func check(t *testing.T, shell string, all []tried, fields []string) {
	t.Helper()
	seen := 0
	for len(fields) > 1 {
		i, err := strconv.Atoi(fields[0])
		if err != nil || i >= len(all) {
			t.Fatalf("%s: the record is cut off at %q", shell, fields[0])
		}
		of, what := &all[i], fields[1]
		fields = fields[2:]
		switch what {
		case "line":
			seen++
		case "mark":
			if !of.mayWrite(mark) {
				t.Errorf("%s: the line %q, printed as %q, ran what was not read", shell, of.text, of.printed)
			}
		default:
			n, err := strconv.Atoi(what)
			if err != nil || n > len(fields) {
				t.Fatalf("%s: the record is cut off at %q", shell, what)
			}
			if argv := fields[:n]; !of.runs(argv) {
				t.Errorf("%s: the line %q, printed as %q, ran %q, which none of its parts does", shell, of.text, of.printed, argv)
			}
			fields = fields[n:]
		}
	}
	if seen != len(all) {
		t.Errorf("%s: only %d of %d lines ran", shell, seen, len(all))
	}
}

// runs reports whether a part runs its program with these arguments.
func (c *tried) runs(argv []string) bool {
	return slices.ContainsFunc(c.line.Parts, func(p *plain.Part) bool {
		if p.Builtin || len(p.Words) != len(argv)+1 {
			return false
		}
		for i, arg := range argv {
			arg = strings.ReplaceAll(arg, newline, "\n")
			w := p.Words[i+1]
			sure := w.Known || w.Any != nil
			if sure && w.Each(func(text string) bool { return text != arg && !(arg == "rec" && text != "") }) {
				return false
			}
		}
		return true
	})
}

func (c *tried) mayWrite(name string) bool {
	return slices.ContainsFunc(c.line.Parts, func(p *plain.Part) bool {
		return slices.ContainsFunc(p.Files, func(f plain.File) bool {
			return f.Write && (strings.HasSuffix(f.Path.Text, name) || !f.Path.Known)
		})
	})
}
