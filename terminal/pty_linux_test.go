package terminal_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/terminal"
	"github.com/lineclear/lineclear/tool"
)

// pty is a person at a terminal of the system's.
type pty struct {
	*screen
	prompt *terminal.Prompt
	keys   *os.File
	tty    *os.File
}

func newPTY(t *testing.T, o terminal.Options) *pty {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	number := 0
	raw, err := keys.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if err := unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
			t.Error(err)
		}
		if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	p := &pty{screen: newScreen(), keys: keys, tty: tty, prompt: terminal.New(tty, tty, o)}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(p.screen, keys) // ends with an error when the terminal is closed
	}()
	t.Cleanup(func() {
		if err := p.prompt.Close(); err != nil {
			t.Error(err)
		}
		_, _ = tty.Close(), keys.Close()
		<-copied
	})
	return p
}

func (p *pty) ask(t *testing.T, r approval.Request) <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		answer, err := p.prompt.Ask(t.Context(), r)
		out <- outcome{answer, err}
	}()
	return out
}

func (p *pty) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(p.keys, keys); err != nil {
		t.Error(err)
	}
}

func TestWhatWasTypedBeforeTheQuestionDoesNotAnswerIt(t *testing.T) {
	p := newPTY(t, terminal.Options{})
	if !terminal.Interactive(p.tty) {
		t.Fatal("a terminal is none")
	}
	for _, early := range []string{"y\n", "y\ny\ny\n", "y", "\x04"} {
		p.types(t, early)
		p.await(strings.Trim(strings.ReplaceAll(early, "\n", "\r\n"), "\x04")) // echoed, so that it has arrived
		out := p.ask(t, plain())
		p.await("/?")
		p.await(" > ")
		p.types(t, "n\n")
		p.await("no reason) > ")
		p.types(t, "\n")
		if got := <-out; got.err != nil || got.answer.Status != approval.Denied || got.answer.Message != "" {
			t.Errorf("after %q it is %+v, %v", early, got.answer, got.err)
		}
	}
}

func TestWhatAPipeHeldBeforeTheQuestionDoesNotAnswerIt(t *testing.T) {
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keys.Close()
	s := newScreen()
	p := terminal.New(in, s, terminal.Options{})
	defer p.Close()
	for range 2 {
		if _, err := io.WriteString(keys, "y\ny\n"); err != nil {
			t.Fatal(err)
		}
		out := make(chan outcome, 1)
		go func() {
			answer, err := p.Ask(t.Context(), plain())
			out <- outcome{answer, err}
		}()
		for _, l := range []string{"n", "late"} {
			s.await(" > ")
			if _, err := io.WriteString(keys, l+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if got := <-out; got.err != nil || got.answer.Status != approval.Denied || got.answer.Message != "late" {
			t.Errorf("it is %+v, %v", got.answer, got.err)
		}
	}
}

// editor is a script that stands for an editor.
func editor(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

func TestAnEditorChangesTheArguments(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	kept := filepath.Join(t.TempDir(), "kept")
	keep := `cp "$2" ` + kept + `; stat -c %a "$2" >> ` + kept + "; "
	args := tool.JSON(`{"command":"ls","env":{"TOKEN":"hunter2","A":"1"},"n":[1,2],"gone":true}`)
	for name, c := range map[string]struct {
		script string
		edit   string
		says   string
	}{
		"a changed value":             {`sed -i 's/"ls"/"ls -l"/' "$2"`, `{"command":"ls -l"}`, `command: "ls -l"`},
		"what is removed and added":   {`echo '{"env":{"TOKEN":"` + mask.Mark + `"},"command":"ls","n":[1,2],"new":{"x":[]}}' > "$2"`, `{"env":{"A":null},"gone":null,"new":{"x":[]}}`, ""},
		"another secret":              {`sed -i 's/` + mask.Mark + `/other/' "$2"`, `{"env":{"TOKEN":"other"}}`, ""},
		"a list is replaced whole":    {`sed -i 's/2$/3/' "$2"`, `{"n":[1,3]}`, ""},
		"nothing":                     {`true`, "", "as they were asked for"},
		"another notation is nothing": {`echo '{"gone":true,"n":[1.0,2],"env":{"A":"1","TOKEN":"` + mask.Mark + `"},"command":"\u006cs"}' > "$2"`, "", "as they were asked for"},
		"a moved mark is refused":     {`sed -i 's/"ls"/"ls ` + mask.Mark + `"/' "$2"`, "", "Nothing was changed"},
		"null is refused":             {`sed -i 's/true/null/' "$2"`, "", "a change can't set null"},
		"no JSON is refused":          {`echo x >> "$2"`, "", "Nothing was changed"},
		"an editor that fails":        {`exit 3`, "", "the editor failed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPTY(t, terminal.Options{Secrets: secrets(t), Editor: editor(t, keep+c.script) + " -w"})
			r := plain()
			r.Args = args
			out := p.ask(t, r)
			for _, keys := range []string{"e\n", "y\n"} {
				p.await("/? > ")
				p.types(t, keys)
			}
			got := <-out
			if got.err != nil || got.answer.Status != approval.Approved || string(got.answer.Edit) != c.edit {
				t.Errorf("it is %+v, %v\n%s", got.answer, got.err, p)
			}
			file, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(file), "hunter2") || !strings.HasSuffix(string(file), "}\n600\n") {
				t.Errorf("the file was %s", file)
			}
			if !strings.Contains(p.String(), c.says) || strings.Contains(p.String(), "hunter2") {
				t.Errorf("it says\n%s", p)
			}
		})
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
