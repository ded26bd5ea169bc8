package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
)

func previewed(t *testing.T, made tool.Tool, dir, args string) tool.Preview {
	t.Helper()
	p, err := made.(tool.Previewer).Preview(t.Context(), tool.Call{Args: tool.JSON(args), WorkingDirectory: dir})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAPersonIsShownWhatAChangeWouldDoToTheFile(t *testing.T) {
	dir := t.TempDir()
	f, err := files.New(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edit := previewed(t, f.Edit(), dir, `{"path":"a.txt","old":"two","new":"2"}`)
	if !strings.Contains(edit.Diff, "-two\n+2\n") || !strings.HasPrefix(edit.FileHash, "sha256:") {
		t.Errorf("the edit is %+v", edit)
	}
	write := previewed(t, f.Write(), dir, `{"path":"a.txt","content":"one\n"}`)
	if write.FileHash != edit.FileHash || !strings.Contains(write.Diff, "-two") {
		t.Errorf("the write is %+v", write)
	}
	fresh := previewed(t, f.Write(), dir, `{"path":"b.txt","content":"new\n"}`)
	if fresh.FileHash != "absent" || !strings.Contains(fresh.Diff, "+new") {
		t.Errorf("a new file is %+v", fresh)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := previewed(t, f.Edit(), dir, `{"path":"a.txt","old":"two","new":"2"}`); after.FileHash == edit.FileHash || after.Diff != "" {
		t.Errorf("after the file has changed: %+v", after)
	}
	long := previewed(t, f.Write(), dir, `{"path":"b.txt","content":"`+strings.Repeat(`x\n`, 1000)+`"}`)
	if long.Omitted != 603 || strings.Count(long.Diff, "\n") != 400 || long.Added != 1000 || long.Removed != 0 {
		t.Errorf("of a long one %d lines are left out, %d shown; +%d -%d", long.Omitted, strings.Count(long.Diff, "\n"), long.Added, long.Removed)
	}
	if whole := long.Whole(); whole.Omitted != 0 || strings.Count(whole.Diff, "\n+x") != 1000 || whole.Rest != "" {
		t.Errorf("the whole of it leaves out %d of %d lines", whole.Omitted, strings.Count(whole.Diff, "\n"))
	}
	wide := previewed(t, f.Write(), dir, `{"path":"b.txt","content":"`+strings.Repeat("x", 100<<10)+`"}`)
	if len(wide.Diff) > 100 || wide.Omitted != 2 || !strings.Contains(wide.Whole().Diff, "xxx") {
		t.Errorf("%d bytes of one long line are shown, %d lines are left out", len(wide.Diff), wide.Omitted)
	}
	for _, args := range []string{`{"path":"../x","content":"x"}`, `{"path":7}`, `{"path":"a.txt"}`} {
		if p := previewed(t, f.Write(), dir, args); p != (tool.Preview{}) {
			t.Errorf("%s: %+v", args, p)
		}
	}
}

func TestACallIsBoundToAFileThatIsTooLargeToBeShown(t *testing.T) {
	dir := t.TempDir()
	f, err := files.New(dir, files.Options{FileLimit: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	seen := map[string]bool{}
	for _, content := range []string{"0123456789 first", "0123456789 other"} {
		if err := os.WriteFile(filepath.Join(dir, "large.txt"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p := previewed(t, f.Write(), dir, `{"path":"large.txt","content":"x"}`)
		if seen[p.FileHash] || !strings.HasPrefix(p.FileHash, "sha256:") || p.Diff != "" {
			t.Errorf("%q is %+v", content, p)
		}
		seen[p.FileHash] = true
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	call := tool.Call{Args: tool.JSON(`{"path":"large.txt","content":"x"}`), WorkingDirectory: dir}
	if p, err := f.Write().(tool.Previewer).Preview(ended, call); !errors.Is(err, context.Canceled) {
		t.Errorf("once nobody waits for it: %+v, %v", p, err)
	}
	if p := previewed(t, f.Write(), dir, `{"path":"new.txt","content":"0123456789 too much"}`); p != (tool.Preview{FileHash: "absent"}) {
		t.Errorf("what is too large to be written is %+v", p)
	}
	if p := previewed(t, f.Write(), dir, `{"path":".","content":"x"}`); p.FileHash != "unreadable" {
		t.Errorf("what can't be read is %+v", p)
	}
}

func TestAChangeIsCountedWholeAndInTheFewestLines(t *testing.T) {
	dir := t.TempDir()
	f, err := files.New(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var before, after strings.Builder
	for i := range 422 {
		fmt.Fprintf(&before, "\tstep(%d)\n", i)
		if i%3 == 0 && i < 3*139 {
			fmt.Fprintf(&after, "\tstep(ctx, %d)\n", i)
		} else {
			fmt.Fprintf(&after, "\tstep(%d)\n", i)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "steps.go"), []byte(before.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]string{"path": "steps.go", "content": after.String()})
	if err != nil {
		t.Fatal(err)
	}
	p := previewed(t, f.Write(), dir, string(args))
	if p.Added != 139 || p.Removed != 139 || p.Omitted != 160 || strings.Count(p.Whole().Diff, "\n") != 560 {
		t.Errorf("+%d -%d, %d of %d lines are left out", p.Added, p.Removed, p.Omitted, strings.Count(p.Whole().Diff, "\n"))
	}
}

func TestAHugeDiffIsStoredInPartAndTheRestIsCounted(t *testing.T) {
	dir := t.TempDir()
	f, err := files.New(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	const lines = 500_000 // ten bytes each
	p := previewed(t, f.Write(), dir, `{"path":"a.txt","content":"`+strings.Repeat(`123456789\n`, lines)+`"}`).Whole()
	shown := strings.Count(p.Diff, "\n+123456789")
	if len(p.Diff) > 4<<20 || p.Added != lines || p.Omitted != lines-shown || shown < 350_000 {
		t.Errorf("%d of %d added lines are kept, %d are said to be left out", shown, p.Added, p.Omitted)
	}
}

func TestAnEditThatWouldMakeAFileTooLargeIsNotMadeToBeShown(t *testing.T) {
	dir := t.TempDir()
	f, err := files.New(dir, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), bytes.Repeat([]byte("a"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	args := `{"path":"a.txt","old":"a","new":"` + strings.Repeat("b", 1<<20) + `","all":true}` // a tebibyte
	if p := previewed(t, f.Edit(), dir, args); p.Diff != "" || !strings.HasPrefix(p.FileHash, "sha256:") {
		t.Errorf("it is shown as %d bytes of %s", len(p.Diff), p.FileHash)
	}
	r, err := f.Edit().Run(t.Context(), tool.Call{Args: tool.JSON(args), WorkingDirectory: dir})
	if err != nil || !r.IsError || !strings.Contains(r.Text, "it would have 1099511627776 bytes") {
		t.Errorf("%v, %s", err, r.Text)
	}
}
