package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNoPathLeadsOutOfTheDirectory(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "root")
	put(t, filepath.Join(outer, "secret"), "secret")
	put(t, filepath.Join(outer, "rootless", "secret"), "secret")
	put(t, filepath.Join(dir, "sub", "inside"), "inside")
	link(t, "../secret", filepath.Join(dir, "link"))
	link(t, outer, filepath.Join(dir, "out"))
	link(t, "/etc", filepath.Join(dir, "etc"))
	link(t, "../new", filepath.Join(dir, "dangling"))

	tests := []struct{ name, path, want string }{
		{"dots go up", "../secret", "is outside of"},
		{"dots go up after going down", "sub/../../secret", "is outside of"},
		{"an absolute path is elsewhere", "/etc/passwd", "is outside of"},
		{"an absolute path goes up", dir + "/../secret", "is outside of"},
		{"a sibling's name begins with the directory's", dir + "less/secret", "is outside of"},
		{"a link to a file leads out", "link", "leads outside of"},
		{"a link to a directory leads out", "out/secret", "leads outside of"},
		{"a link to an absolute directory leads out", "etc/passwd", "leads outside of"},
		{"a link that ends nowhere leads out", "dangling", "leads outside of"},
	}
	for _, tt := range tests {
		for _, try := range []struct{ tool, args string }{
			{"read_file", `{"path": %q}`},
			{"write_file", `{"path": %q, "content": "changed"}`},
			{"edit_file", `{"path": %q, "old": "secret", "new": "changed"}`},
			{"list_files", `{"path": %q}`},
		} {
			t.Run(tt.name+", "+try.tool, func(t *testing.T) {
				result := run(t, dir, try.tool, fmt.Sprintf(try.args, tt.path))
				if !result.IsError || !strings.Contains(result.Text, tt.want) || !strings.Contains(result.Text, tt.path) {
					t.Errorf("got %+v, want a refusal that names the path and says %q", result, tt.want)
				}
			})
		}
	}
	for _, path := range []string{"secret", "rootless/secret"} {
		if got := get(t, filepath.Join(outer, path)); got != "secret" {
			t.Errorf("%s was changed to %q", path, got)
		}
	}
	if _, err := os.Stat(filepath.Join(outer, "new")); err == nil {
		t.Error("a file was made outside")
	}
}

func TestPathsThatStayInsideAreTaken(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "sub", "file"), "content")
	link(t, "sub", filepath.Join(dir, "within"))
	put(t, filepath.Join(dir, "grüße 日本", "naïve 🙂.txt"), "content")
	for _, path := range []string{
		"sub/file", "./sub/file", "sub/../sub/file", "within/file",
		filepath.Join(dir, "sub/file"), "grüße 日本/naïve 🙂.txt",
	} {
		t.Run(path, func(t *testing.T) {
			result := run(t, dir, "read_file", fmt.Sprintf(`{"path": %q}`, path))
			if result.IsError || result.Text != "content" {
				t.Errorf("got %+v, want the content", result)
			}
		})
	}
}

func TestADirectoryKnownUnderALinkTakesBothNames(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "content")
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, dir, alias)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(alias, "file"), filepath.Join(real, "file")} {
		if result := run(t, alias, "read_file", fmt.Sprintf(`{"path": %q}`, path)); result.Text != "content" {
			t.Errorf("%s: got %+v, want the content", path, result)
		}
	}
}

func TestRelativePathsStartAtTheCallsWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "sub", "file"), "content")
	tests := []struct{ name, workingDirectory, path, want string }{
		{"none is the root", "", "sub/file", "content"},
		{"one below the root", filepath.Join(dir, "sub"), "file", "content"},
		{"up from there, still inside", filepath.Join(dir, "sub"), "../sub/file", "content"},
		{"one outside of the root", "/", "file", "working directory / is outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := tool.Call{Args: tool.JSON(fmt.Sprintf(`{"path": %q}`, tt.path)), WorkingDirectory: tt.workingDirectory}
			result, err := open(t, dir, files.Options{}).Read().Run(t.Context(), call)
			if err != nil || !strings.Contains(result.Text, tt.want) {
				t.Errorf("got %+v, %v; want %q", result, err, tt.want)
			}
		})
	}
}

func TestAnEndedContextChangesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tl := range open(t, dir, files.Options{}).Tools() {
		result, err := tl.Run(ctx, tool.Call{Args: tool.JSON(`{"path": "new", "content": "x"}`)})
		if err != nil || !result.IsError || !strings.Contains(result.Text, "cancelled") {
			t.Errorf("%s: got %+v, %v; want it cancelled", tl.Spec().Name, result, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a file was written")
	}
}

func TestEveryToolRefusesArgumentsItDoesNotKnow(t *testing.T) {
	for _, tl := range open(t, t.TempDir(), files.Options{}).Tools() {
		spec := tl.Spec()
		if !jsontext.Value(spec.Schema).IsValid() || !strings.Contains(string(spec.Schema), `"additionalProperties": false`) {
			t.Errorf("%s: schema %s", spec.Name, spec.Schema)
		}
		result, err := tl.Run(t.Context(), tool.Call{Args: tool.JSON(`{"PATH": "x"}`)})
		if err != nil || !result.IsError || !strings.Contains(result.Text, "PATH: unknown name") {
			t.Errorf("%s: got %+v, %v; want the unknown name refused", spec.Name, result, err)
		}
	}
}

func TestNewNeedsADirectory(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	for _, path := range []string{filepath.Join(dir, "missing"), filepath.Join(dir, "file")} {
		if f, err := files.New(path, files.Options{}); err == nil {
			t.Errorf("%s was opened: %v", path, f.Close())
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("the error does not name the path: %v", err)
		}
	}
}

func open(t *testing.T, dir string, o files.Options) *files.Files {
	t.Helper()
	f, err := files.New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func run(t *testing.T, dir, name, args string) tool.Result {
	t.Helper()
	return runWith(t, open(t, dir, files.Options{}), name, args)
}

func runWith(t *testing.T, f *files.Files, name, args string) tool.Result {
	t.Helper()
	for _, tl := range f.Tools() {
		if tl.Spec().Name == name {
			result, err := tl.Run(t.Context(), tool.Call{ID: "call-1", Tool: name, Args: tool.JSON(args)})
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Result{}
}

func structured[T any](t *testing.T, r tool.Result, want T) {
	t.Helper()
	if diff := cmp.Diff(want, decode[T](t, r)); diff != "" {
		t.Errorf("structured (-want +got):\n%s", diff)
	}
}

func decode[T any](t *testing.T, r tool.Result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatalf("structured of %+v: %v", r, err)
	}
	return v
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
