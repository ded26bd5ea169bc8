package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// matched is what a matcher says to each kind of rule: an allow rule's allow is
// a yes; a deny rule's deny is a yes, its ask a maybe.
type matched struct{ allow, deny string }

func TestMatchersCompareValuesAsData(t *testing.T) {
	yes, no, doubt := matched{"allow", "deny"}, matched{"mode", "mode"}, matched{"mode", "ask"}
	some := matched{"mode", "deny"} // of a list only some
	equals := func(v string) policy.Matcher { return policy.Matcher{Equals: tool.JSON(v)} }
	glob := func(v string) policy.Matcher { return policy.Matcher{Glob: &v} }
	prefix := func(v string) policy.Matcher { return policy.Matcher{Prefix: &v} }
	regex := func(v string) policy.Matcher { return policy.Matcher{Regex: &v} }
	host := func(v string) policy.Matcher { return policy.Matcher{HostWithin: &v} }
	for _, c := range []struct {
		name  string
		m     policy.Matcher
		value string
		want  matched
	}{
		{"equal texts", equals(`"a:b"`), `"a:b"`, yes},
		{"a colon does not cut", equals(`"a"`), `"a:b"`, no},
		{"equal however escaped", equals(`"\u00e9"`), `"é"`, yes},
		{"composed and decomposed differ", equals(`"é"`), `"e\u0301"`, no},
		{"equal numbers", equals(`1`), `1.0`, yes},
		{"numbers and texts differ", equals(`1`), `"1"`, no},
		{"equal objects in any order", equals(`{"a":1,"b":[2]}`), `{"b":[2],"a":1}`, yes},
		{"true", equals(`true`), `true`, yes},
		{"true and a text", equals(`true`), `"true"`, no},
		{"null", equals(`null`), `null`, yes},
		{"an equal list", equals(`[1,2]`), `[1,2]`, yes},
		{"another list", equals(`[1,2]`), `[2,1]`, no},
		{"every element equal", equals(`1`), `[1,1]`, yes},
		{"one element equal", equals(`1`), `[1,2]`, some},
		{"an empty list has none", equals(`1`), `[]`, no},
		{"a star crosses slashes", glob("a/*"), `"a/b/c"`, yes},
		{"a star crosses newlines", glob("a*z"), `"a\n\u2028z"`, yes},
		{"letters count", glob("A*"), `"abc"`, no},
		{"the whole text", glob("*b"), `"abc"`, no},
		{"a number for a text", glob("*"), `7`, doubt},
		{"an object for a text", glob("*"), `{"a":"b"}`, doubt},
		{"null for a text", glob("*"), `null`, doubt},
		{"texts in a list", glob("a*"), `["a","ab"]`, yes},
		{"one text in a list", glob("a*"), `["a","b"]`, some},
		{"a number in a list", glob("a*"), `["a",1]`, some},
		{"a number in a list without a hit", glob("a*"), `["b",1]`, doubt},
		{"lists in lists", glob("a*"), `[["a"],["b"]]`, some},
		{"a prefix", prefix("ab:"), `"ab:c"`, yes},
		{"no prefix", prefix("b"), `"ab"`, no},
		{"a regex covers the whole", regex("a+"), `"aaa"`, yes},
		{"a regex in the middle", regex("a+"), `"baa"`, no},
		{"a regex and a last newline", regex("a+"), `"a\n"`, no},
		{"a dot is any character", regex("a.b"), `"a\nb"`, yes},
		{"alternatives stay inside", regex("a|b"), `"ax"`, no},
		{"anchors of lines don't help", regex("(?m)^a$"), `"a\nb"`, no},
		{"a host", host("example.com"), `"https://example.com/x"`, yes},
		{"one below it", host("example.com"), `"wss://a.b.Example.COM:8443"`, yes},
		{"one beside it", host("example.com"), `"https://notexample.com"`, no},
		{"one that begins so", host("example.com"), `"https://example.com.evil.org"`, no},
		{"the host in the path", host("example.com"), `"https://evil.org/example.com"`, no},
		{"the host behind a mark", host("example.com"), `"https://evil.org#@example.com"`, no},
		{"a user before it", host("example.com"), `"https://example.com@evil.org/"`, doubt},
		{"a backslash", host("example.com"), `"https://evil.org\\@example.com/"`, doubt},
		{"no scheme", host("example.com"), `"example.com/x"`, doubt},
		{"another scheme", host("example.com"), `"ftp://example.com/x"`, doubt},
		{"one slash", host("example.com"), `"https:/example.com"`, doubt},
		{"a last dot", host("example.com"), `"https://example.com./"`, doubt},
		{"look-alike letters", host("example.com"), `"https://exаmple.com/"`, doubt},
		{"a wide dot", host("example.com"), `"https://example。com/"`, doubt},
		{"a newline", host("example.com"), `"https://exam\nple.com/"`, doubt},
		{"a leading space", host("example.com"), `" https://example.com/"`, doubt},
		{"a percent sign", host("example.com"), `"https://example%2ecom/"`, doubt},
		{"an address", host("127.0.0.1"), `"http://127.0.0.1:80/"`, yes},
		{"an address in another form", host("127.0.0.1"), `"http://127.1/"`, doubt},
		{"an address as a number", host("127.0.0.1"), `"http://2130706433/"`, doubt},
		{"an address in hexadecimal", host("127.0.0.1"), `"http://0x7f.0.0.1/"`, doubt},
		{"an IPv6 address", host("::1"), `"http://[::1]/"`, yes},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, t.TempDir(), c.m, tool.JSON(`{"v":`+c.value+`}`), c.want)
		})
	}
}

// check asks an allow and a deny rule with a condition on v.
func check(t *testing.T, dir string, m policy.Matcher, args tool.JSON, want matched) {
	t.Helper()
	on := map[string]policy.Matcher{"v": m}
	call := about(tool.Spec{Name: "t"}, args)
	got := matched{
		effectOf(t, dir, call, policy.Rule{Args: on, Effect: policy.Allow}),
		effectOf(t, dir, call, policy.Rule{Args: on, Effect: policy.Deny}),
	}
	if got != want {
		t.Errorf("to allow %s, to deny %s; want %s and %s", got.allow, got.deny, want.allow, want.deny)
	}
}

func TestArgumentsAreFoundByTheirPath(t *testing.T) {
	one := policy.Matcher{Equals: tool.JSON(`1`)}
	for _, c := range []struct {
		path, args  string
		allow, deny string
	}{
		{"a", `{"a":1}`, "allow", "deny"},
		{"a", `{"b":1}`, "mode", "mode"},
		{"a.b", `{"a":{"b":1}}`, "allow", "deny"},
		{"a.b", `{"a.b":1}`, "mode", "mode"},
		{"/a.b", `{"a.b":1}`, "allow", "deny"},
		{"/a~1b/c~0", `{"a/b":{"c~":1}}`, "allow", "deny"},
		{"a.b", `{"a":[{"b":1},{"b":1}]}`, "allow", "deny"},
		{"a.b", `{"a":[{"b":1},{"b":2}]}`, "mode", "deny"},
		{"a.b", `{"a":[{"b":1},{}]}`, "mode", "deny"},
		{"a.b", `{"a":[]}`, "mode", "mode"},
		{"a.1", `{"a":[2,1]}`, "allow", "deny"},
		{"a.2", `{"a":[2,1]}`, "mode", "mode"},
		{"a.b", `{"a":1}`, "mode", "mode"},
		{"/", `{"":1}`, "allow", "deny"},
	} {
		call := about(tool.Spec{Name: "t"}, tool.JSON(c.args))
		on := map[string]policy.Matcher{c.path: one}
		allow := effectOf(t, "", call, policy.Rule{Args: on, Effect: policy.Allow})
		deny := effectOf(t, "", call, policy.Rule{Args: on, Effect: policy.Deny})
		if allow != c.allow || deny != c.deny {
			t.Errorf("%s in %s: %s and %s", c.path, c.args, allow, deny)
		}
	}
}

func TestAPathIsWithinByItsLettersAndBehindItsLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, folder := range []string{"src/deep", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"src/away": outside, "src/same": "deep", "to-src": "src", "src/loop": "loop", "src/new": filepath.Join(outside, "not/there"),
		"src/deep/up": "../../out",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	yes, no, doubt, one := matched{"allow", "deny"}, matched{"mode", "mode"}, matched{"mode", "ask"}, matched{"mode", "deny"}
	for path, want := range map[string]matched{
		"src": yes, "src/": yes, "./src/a.go": yes, "src//a": yes, "src/deep/../a": yes, "src/not/there": yes,
		"src/a:b\u00e9 c": yes, filepath.Join(dir, "src/a"): yes, "src/same/x": yes, "src/..a": yes, "out/../src/a": yes,
		"out": no, "srcx": no, "src/../out": no, "/etc/passwd": no, "../x": no, ".": no, "src/../../x": no,
		"src/away": one, "src/away/x": one, "src/new": one, "to-src/x": one, "src/deep/up/x": one,
		"src/deep/up/../src/x": yes, // .. is taken from where the link leads
		"src/away/../a":        one, // where .. of a link's target is, only the system knows
		"src/loop":             one,
		"~/src":                doubt, "~root/x": doubt, "": doubt, "out\x00/../src": doubt, "file:///x": doubt, "a\nb": doubt,
	} {
		t.Run(path, func(t *testing.T) {
			in := "src"
			check(t, dir, policy.Matcher{PathWithin: &in}, args(t, "v", path), want)
		})
	}
}

func TestFoldersMayBeLinksThemselvesAndStartAnywhere(t *testing.T) {
	dir, real := t.TempDir(), t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for _, c := range []struct{ folder, path, want string }{
		{"link", "link/a", "allow"}, {"link", filepath.Join(real, "a"), "allow"}, {link, "link/a", "allow"},
		{real, "link/a", "mode"}, // by its letters it is elsewhere
		{"/", "/etc/passwd", "allow"}, {".", "a", "allow"}, {"..", "../b", "allow"}, {"~/link", "link/a", "allow"}, {"~", "x", "allow"},
	} {
		in := c.folder
		call := about(tool.Spec{Name: "t"}, args(t, "v", c.path))
		rule := policy.Rule{Args: map[string]policy.Matcher{"v": {PathWithin: &in}}, Effect: policy.Allow}
		if got := effectOf(t, dir, call, rule); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.path, c.folder, got, c.want)
		}
	}
}

func TestWithoutAWorkingDirectoryRelativePathsAreInDoubt(t *testing.T) {
	in := "src"
	check(t, "", policy.Matcher{PathWithin: &in}, args(t, "v", "src/a"), matched{"mode", "ask"})
	root := "/srv"
	check(t, "", policy.Matcher{PathWithin: &root}, args(t, "v", "/srv/a"), matched{"allow", "deny"})
	check(t, "", policy.Matcher{PathWithin: &root}, args(t, "v", "a"), matched{"mode", "ask"})
}
