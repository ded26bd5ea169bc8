package trace_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/internal/trace"
)

const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestATraceparentIsReadAsTheStandardHasIt(t *testing.T) {
	for text, want := range map[string]string{
		given:                                   given,
		strings.Replace(given, "-01", "-00", 1): strings.Replace(given, "-01", "-00", 1),
		strings.Replace(given, "-01", "-03", 1): given, // flags that are not known
		"cc" + given[2:] + "-what-comes":        given, // a later version
		"cc" + given[2:]:                        given,
		"cc" + given[2:] + "what":               "",
		given + "-more":                         "",
		"ff" + given[2:]:                        "",
		strings.ToUpper(given):                  "",
		"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01":                 "",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-" + strings.Repeat("0", 16) + "-01": "",
		strings.Replace(given, "4b", "4x", 1):                                    "",
		strings.Replace(given, "-", "_", 1):                                      "",
		"":                                                                       "",
		"00":                                                                     "",
	} {
		if got := trace.Clean(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestSpansAreDerivedAndKeepTheirTrace(t *testing.T) {
	within := trace.Of(given, trace.Waiting, "a")
	parent, _ := trace.Parse(given)
	if within.Trace != parent.Trace || within.ID == parent.ID || within != trace.Of(given, trace.Waiting, "a") {
		t.Errorf("%v is not in the trace of %v", within, given)
	}
	own := trace.Of("", trace.Waiting, "a")
	if own.ID != within.ID || own.Trace == parent.Trace || own.Trace != trace.Of("", trace.Running, "a").Trace || own.ID == trace.Of("", trace.Running, "a").ID {
		t.Errorf("without a parent it is %v", own)
	}
	if _, ok := trace.Parse(own.String()); !ok {
		t.Errorf("%v is no traceparent", own)
	}
	if quiet := trace.Of(strings.Replace(given, "-01", "-00", 1), trace.Turn, "a"); !quiet.Unwanted || !strings.HasSuffix(quiet.String(), "-00") {
		t.Errorf("what nobody records is %v", quiet)
	}
	if text := (trace.Span{}).String(); text != "" {
		t.Errorf("no span is %q", text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(given)
	f.Fuzz(func(t *testing.T, text string) {
		if clean := trace.Clean(text); trace.Clean(clean) != clean || len(clean) != 0 && len(clean) != len(given) {
			t.Errorf("%q becomes %q", text, clean)
		}
	})
}
