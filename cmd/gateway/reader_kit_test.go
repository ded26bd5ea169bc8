package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// fence is a block of code in a document.
type fence struct {
	doc, language, text string
	mark                string // the comment before it: why it is not run, or by what it is
}

var (
	fenceForm = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	markForm  = regexp.MustCompile(`<!-- ((?:not run: |run by )[^\n]+) -->\n$`)
)

// documents have their blocks, and which of them somebody has followed.
type documents struct {
	blocks []fence
	mu     sync.Mutex
	taken  map[int]bool
}

func readDocuments(t *testing.T) *documents {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/recipes/*.md", "sdk/typescript/*.md", "web/*.md", "deploy/*/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	d := &documents{taken: map[int]bool{}}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenceForm.FindAllSubmatchIndex(raw, -1) {
			f := fence{doc: strings.TrimPrefix(path, "../../"), language: string(raw[m[2]:m[3]]), text: string(raw[m[4]:m[5]])}
			if mark := markForm.FindSubmatch(raw[:m[0]]); mark != nil {
				f.mark = string(mark[1])
			}
			d.blocks = append(d.blocks, f)
		}
	}
	return d
}

// take is the block of a document that has a text.
func (d *documents) take(t *testing.T, doc, has string) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	found := -1
	for i, f := range d.blocks {
		if f.doc == doc && strings.Contains(f.text, has) {
			if found >= 0 {
				t.Fatalf("%s has two blocks with %q", doc, has)
			}
			found = i
		}
	}
	if found < 0 {
		t.Fatalf("%s has no block with %q", doc, has)
	}
	d.taken[found] = true
	return d.blocks[found].text
}

// left says which blocks of commands nobody has followed or marked, and which marks are wrong.
func (d *documents) left() (faults []string) {
	for i, f := range d.blocks {
		first, _, _ := strings.Cut(f.text, "\n")
		program, by := strings.CutPrefix(f.mark, "run by ")
		_, err := os.Stat("../../" + program)
		switch {
		case by && err != nil:
			faults = append(faults, f.doc+": "+f.mark+": "+err.Error())
		case f.mark != "" && d.taken[i]:
			faults = append(faults, f.doc+": it is run, and marked all the same: "+first)
		case f.mark == "" && !d.taken[i] && slices.Contains([]string{"", "sh", "bash", "shell", "console"}, f.language):
			faults = append(faults, f.doc+": neither run nor marked with a comment <!-- not run: WHY -->: "+first)
		}
	}
	return faults
}

// reader is somebody new who follows the documents: in an empty folder, with nothing in HOME, and not as root.
type reader struct {
	t            *testing.T
	docs         *documents
	home, folder string
	*process     // the gateway as their browser sees it
	serving      *tty
}

func newReader(t *testing.T, docs *documents) *reader {
	t.Helper()
	root, err := os.MkdirTemp("", "lineclear-reader-") // unlike t.TempDir it can be opened to another user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	r := &reader{t: t, docs: docs, home: filepath.Join(root, "home"), folder: filepath.Join(root, "folder")}
	r.process = &process{t: t, dir: root, stderr: newLogBuffer()}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{r.home, r.folder, filepath.Join(root, "bin")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", program, filepath.Join(root, "bin", "gateway")).CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	r.own(r.home, r.folder)
	return r
}

// nobody is who the reader is where the tests run as root.
const nobody = 65534

// own gives files to the reader.
func (r *reader) own(paths ...string) {
	r.t.Helper()
	for _, path := range paths {
		if os.Getuid() == 0 {
			if err := os.Chown(path, nobody, nobody); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// writes puts a file into the reader's folder.
func (r *reader) writes(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		r.t.Fatal(err)
	}
	r.own(path)
}

// shell is a command line of the reader's.
func (r *reader) shell(line string) *exec.Cmd {
	c := exec.CommandContext(r.t.Context(), "bash", "-euo", "pipefail", "-c", line)
	c.Dir = r.folder
	c.Env = []string{"HOME=" + r.home, "PATH=" + filepath.Join(r.dir, "bin") + ":/usr/local/bin:/usr/bin:/bin", "TERM=xterm", "NO_COLOR=1", "LANG=C.UTF-8", "GORACE=" + os.Getenv("GORACE")}
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return c
}

// runs runs a line to its end, without a terminal.
func (r *reader) runs(line string) verb {
	r.t.Helper()
	var out, failure strings.Builder
	c := r.shell(line)
	c.Stdout, c.Stderr = &out, &failure
	return verb{code: r.code(c.Run()), out: out.String(), err: failure.String()}
}

// types starts a line in a terminal.
func (r *reader) types(line string) *tty {
	r.t.Helper()
	v := r.atTTY(r.shell(line), 100)
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("%s\nsaid:\n%s", line, v.text)
		}
	})
	return v
}

// unlocks runs a line in a terminal that wants the passphrase of the reader's login, and returns what it said.
func (r *reader) unlocks(line string, code int, texts ...string) string {
	r.t.Helper()
	v := r.types(line)
	v.unlock()
	text := v.ends(code)
	(verb{code: code, out: text}).want(r.t, code, texts...)
	return text
}

func (v *tty) unlock() {
	v.t.Helper()
	v.sees("Passphrase of your login:")
	v.types(passphrase + "\r")
}

// block is one that the reader follows, with what stands in it for something of the reader's replaced.
func (r *reader) block(doc, has string, mine map[string]string) string {
	r.t.Helper()
	text := r.docs.take(r.t, doc, has)
	for _, placeholder := range slices.Sorted(maps.Keys(mine)) {
		if !strings.Contains(text, placeholder) {
			r.t.Errorf("the block of %s does not have %q:\n%s", doc, placeholder, text)
		}
		text = strings.ReplaceAll(text, placeholder, mine[placeholder])
	}
	return text
}

// commands are the lines of a block; one that goes on is one.
func commands(block string) (all []string) {
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// serves starts the gateway at a port of its own, and logs a browser in by the link.
func (r *reader) serves(line string, before ...func(*tty)) {
	r.t.Helper()
	r.serving = r.types(strings.Replace(line, "gateway serve", "gateway serve --listen 127.0.0.1:0", 1))
	for _, answers := range before {
		answers(r.serving)
	}
	r.serving.sees("/#login=")
	r.serving.sees("\n")
	m := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/#login=(\S+)`).FindStringSubmatch(r.serving.text.String())
	r.url = m[1]
	r.login(m[2])
}

// stops ends the gateway as a person does.
func (r *reader) stops() {
	r.t.Helper()
	r.serving.types("\x03")
	r.serving.ends(0)
}

// logsIn logs the reader's terminal in.
func (r *reader) logsIn() {
	r.t.Helper()
	v := r.types(r.block("docs/cli.md", "gateway login ", nil))
	v.press(r.process)
	for _, question := range []string{"Choose a passphrase of at least 10 characters:", "Repeat it:"} {
		v.sees(question)
		v.types(passphrase + "\r")
	}
	v.ends(0)
}

// has reports whether a program is there that a block needs.
func (r *reader) has(program string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		r.t.Logf("not run: %v", err)
	}
	return err == nil
}
