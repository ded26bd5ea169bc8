package files_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"three": "one\ntwo\nthree\n", "open-ended": "one\ntwo", "empty": "",
		"latin1": "caf\xe9\n", "binary": "\x89PNG\r\n\x1a\n\x00\x00", "long-line": "äääääääää\nnext\n",
	} {
		put(t, filepath.Join(dir, name), content)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, args string
		want       string
		isError    bool
	}{
		{"a whole file is its content", `{"path": "open-ended"}`, "one\ntwo", false},
		{"an offset starts at a line", `{"path": "open-ended", "offset": 2}`, "two", false},
		{"a limit says where to read on", `{"path": "three", "offset": 2, "limit": 1}`, "two\n[… the file has 14 bytes; read on with offset 3 …]", false},
		{"a limit that reaches the end says nothing", `{"path": "three", "offset": 3, "limit": 9223372036854775807}`, "three\n", false},
		{"too many bytes end at a line", `{"path": "three"}`, "one\ntwo\n[… the file has 14 bytes; read on with offset 3 …]", false},
		{"a line that is too long is cut, not through a character", `{"path": "long-line"}`, "äääää\n[… the rest of line 1 is left out; the file has 24 bytes; read on with offset 2 …]", false},
		{"behind the end there is nothing", `{"path": "three", "offset": 4}`, "[three has fewer than 4 lines]", false},
		{"an empty file is said to be empty", `{"path": "empty"}`, "[empty is empty]", false},
		{"bytes that are not UTF-8 are replaced and told", `{"path": "latin1"}`, "caf\uFFFD\n[… bytes that are not UTF-8 are shown as \uFFFD …]", false},
		{"a binary file is described", `{"path": "binary"}`, "binary is a binary file (image/png, 10 bytes); its content is not shown", false},
		{"a missing file", `{"path": "missing"}`, "missing does not exist: list_files shows what is there", true},
		{"a directory", `{"path": "."}`, ". is a directory: use list_files for it, or name a file", true},
		{"a path through a file", `{"path": "three/x"}`, "three/x can't be: a part of it is a file, not a directory", true},
		{"a pipe that nobody writes to", `{"path": "pipe"}`, "pipe can't be used: pipe is a device, pipe or socket, not a file", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := runWith(t, open(t, dir, files.Options{ReadLimit: 11}), "read_file", tt.args)
			if diff := cmp.Diff(tt.want, result.Text); diff != "" || result.IsError != tt.isError {
				t.Errorf("IsError %t, text (-want +got):\n%s", result.IsError, diff)
			}
		})
	}
	structured(t, runWith(t, open(t, dir, files.Options{ReadLimit: 11}), "read_file", `{"path": "long-line"}`),
		files.Content{Path: "long-line", Size: 24, Content: "äääää", Offset: 1, NextOffset: 2, Truncated: true})
}

func TestReadingOnGivesTheWholeFile(t *testing.T) {
	dir := t.TempDir()
	var want strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&want, "%d %s\n", i, strings.Repeat("x", i%97))
	}
	put(t, filepath.Join(dir, "big"), want.String())
	f := open(t, dir, files.Options{ReadLimit: 4096})
	var got strings.Builder
	for offset := 1; offset > 0; {
		result := runWith(t, f, "read_file", fmt.Sprintf(`{"path": "big", "offset": %d}`, offset))
		c := decode[files.Content](t, result)
		got.WriteString(c.Content)
		offset = c.NextOffset
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "script"), "old")
	if err := os.Chmod(filepath.Join(dir, "script"), 0o776); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "target"), "old")
	link(t, "target", filepath.Join(dir, "link"))
	put(t, filepath.Join(dir, "sub", "file"), "old")
	link(t, "sub", filepath.Join(dir, "within"))
	tests := []struct {
		name, args, want string
		isError          bool
		file, content    string
		mode             fs.FileMode
	}{
		{"a new file in new directories", `{"path": "a/b/new", "content": "hello"}`, "wrote 5 bytes to the new file a/b/new", false, "a/b/new", "hello", 0o644},
		{"a file is replaced and keeps its mode", `{"path": "script", "content": ""}`, "wrote 0 bytes to script, replacing what was there", false, "script", "", 0o776},
		{"a link that stays inside is followed", `{"path": "link", "content": "new"}`, "wrote 3 bytes to link, replacing what was there", false, "target", "new", 0o644},
		{"a directory link that stays inside is followed", `{"path": "within/file", "content": "new"}`, "wrote 3 bytes to within/file, replacing what was there", false, "sub/file", "new", 0o644},
		{"too much is refused whole", `{"path": "script", "content": "0123456789x"}`, "script was not written: 11 bytes are more than the 10 allowed; write it in parts", true, "script", "", 0o776},
		{"content has to be given", `{"path": "script"}`, `arguments: content is missing: give the whole content, "" for an empty file`, true, "script", "", 0o776},
		{"a directory is not overwritten", `{"path": "sub", "content": "x"}`, "sub is a directory: use list_files for it, or name a file", true, "sub/file", "new", 0o644},
		{"a file is not made a directory", `{"path": "script/x", "content": "x"}`, "script/x can't be: a part of it is a file, not a directory", true, "script", "", 0o776},
	}
	f := open(t, dir, files.Options{FileLimit: 10})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := runWith(t, f, "write_file", tt.args)
			if diff := cmp.Diff(tt.want, result.Text); diff != "" || result.IsError != tt.isError {
				t.Errorf("IsError %t, text (-want +got):\n%s", result.IsError, diff)
			}
			if got := get(t, filepath.Join(dir, tt.file)); got != tt.content {
				t.Errorf("%s holds %q, want %q", tt.file, got, tt.content)
			}
			if info, err := os.Stat(filepath.Join(dir, tt.file)); err != nil || info.Mode().Perm() != tt.mode {
				t.Errorf("%s: mode %v, %v; want %v", tt.file, info.Mode(), err, tt.mode)
			}
		})
	}
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("link is no link any more: %v, %v", info.Mode(), err)
	}
	noTemporaryFiles(t, dir)
}

func TestEditFile(t *testing.T) {
	tests := []struct {
		name, before, args, want string
		isError                  bool
		after                    string
	}{
		{"one place", "a\nb\nc\n", `{"path": "f", "old": "b\n", "new": "B\n"}`, "edited f in line 2", false, "a\nB\nc\n"},
		{"text is removed", "abc", `{"path": "f", "old": "b", "new": ""}`, "edited f in line 1", false, "ac"},
		{"every place", "a b a", `{"path": "f", "old": "a", "new": "aa", "all": true}`, "edited f in 2 places, the first in line 1", false, "aa b aa"},
		{"several places without all", "a b a", `{"path": "f", "old": "a", "new": "c"}`, "f was not edited: old stands in it 2 times; add some of the text around it, or set all", true, "a b a"},
		{"no place", "a b", `{"path": "f", "old": "x", "new": "c"}`, "f was not edited: old does not stand in it; read_file shows the exact text, spaces included", true, "a b"},
		{"other line ends", "a\r\nb\r\n", `{"path": "f", "old": "a\nb", "new": "c"}`, `f was not edited: old does not stand in it; the file ends its lines with \r\n, so old has to as well`, true, "a\r\nb\r\n"},
		{"nothing to look for", "a", `{"path": "f", "old": "", "new": "c"}`, "f was not edited: old is empty; write_file writes a whole file", true, "a"},
		{"nothing to change", "a", `{"path": "f", "old": "a", "new": "a"}`, "f was not edited: old and new are the same", true, "a"},
		{"a file that is too large", strings.Repeat("a", 21), `{"path": "f", "old": "a", "new": "b"}`, "f was not edited: it has more than the 20 bytes allowed", true, strings.Repeat("a", 21)},
		{"a result that is too large", strings.Repeat("a", 20), `{"path": "f", "old": "a", "new": "bb", "all": true}`, "f was not edited: it would have 40 bytes, more than the 20 allowed", true, strings.Repeat("a", 20)},
		{"bytes that are not text stay", "\xff\x00a", `{"path": "f", "old": "a", "new": "b"}`, "edited f in line 1", false, "\xff\x00b"},
		{"a missing file", "a", `{"path": "g", "old": "a", "new": "b"}`, "g does not exist: list_files shows what is there", true, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), tt.before)
			result := runWith(t, open(t, dir, files.Options{FileLimit: 20}), "edit_file", tt.args)
			if diff := cmp.Diff(tt.want, result.Text); diff != "" || result.IsError != tt.isError {
				t.Errorf("IsError %t, text (-want +got):\n%s", result.IsError, diff)
			}
			if got := get(t, filepath.Join(dir, "f")); got != tt.after {
				t.Errorf("f holds %q, want %q", got, tt.after)
			}
			noTemporaryFiles(t, dir)
		})
	}
}

func TestListFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "b"), "1234")
	put(t, filepath.Join(dir, "a", "inner"), "")
	link(t, "b", filepath.Join(dir, "c"))
	put(t, filepath.Join(dir, "d\ne"), "")
	put(t, filepath.Join(dir, "ü"), "")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := "a/\nb  4 bytes\nc -> \"b\"\n\"d\\ne\"  0 bytes\nempty/\npipe  (a device, pipe or socket)\nü  0 bytes"
	tests := []struct {
		name, args string
		limit      int
		want       string
		isError    bool
	}{
		{"no path is the working directory", `{}`, 0, all, false},
		{"names that would look like several are quoted", `{"path": "."}`, 0, all, false},
		{"a directory below", `{"path": "a"}`, 0, "inner  0 bytes", false},
		{"an empty one is said to be empty", `{"path": "empty"}`, 0, "[empty is empty]", false},
		{"what is left out is counted", `{}`, 2, "a/\nb  4 bytes\n[… 5 more entries left out …]", false},
		{"a file", `{"path": "b"}`, 0, "b is a file, not a directory: use read_file for it", true},
		{"a missing one", `{"path": "x"}`, 0, "x does not exist: list_files shows what is there", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result := runWith(t, open(t, dir, files.Options{ListLimit: tt.limit}), "list_files", tt.args)
			if diff := cmp.Diff(tt.want, result.Text); diff != "" || result.IsError != tt.isError {
				t.Errorf("IsError %t, text (-want +got):\n%s", result.IsError, diff)
			}
		})
	}
	structured(t, runWith(t, open(t, dir, files.Options{ListLimit: 3}), "list_files", `{}`), files.Listing{
		Path: ".", Omitted: 4, Entries: []files.Entry{
			{Name: "a", Kind: files.Directory}, {Name: "b", Kind: files.File, Size: 4}, {Name: "c", Kind: files.Link, Target: "b"},
		},
	})
}

func TestConcurrentEditsAreAllKeptAndReadersSeeWholeFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 40
	var before, after strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "<%d:old>\n", i)
		fmt.Fprintf(&after, "<%d:new>\n", i)
	}
	put(t, filepath.Join(dir, "f"), before.String())
	f := open(t, dir, files.Options{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			args := fmt.Sprintf(`{"path": "f", "old": "<%d:old>", "new": "<%d:new>"}`, i, i)
			result, err := f.Edit().Run(t.Context(), tool.Call{Args: tool.JSON(args)})
			if err != nil || result.IsError {
				t.Errorf("edit %d: %+v, %v", i, result, err)
			}
		})
		wg.Go(func() {
			result, err := f.Read().Run(t.Context(), tool.Call{Args: tool.JSON(`{"path": "f"}`)})
			if err != nil || strings.Count(result.Text, "\n") != n {
				t.Errorf("read %d: saw %q, %v", i, result.Text, err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(after.String(), get(t, filepath.Join(dir, "f"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	noTemporaryFiles(t, dir)
}

func Example() {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	f, err := files.New(dir, files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }()
	for _, t := range f.Tools() {
		fmt.Println(t.Spec().Name)
	}
	// Output:
	// read_file
	// write_file
	// edit_file
	// list_files
}

func noTemporaryFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, ".lineclear-") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
