package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestArgumentsPassAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "new"), mcp.Options{})
	for _, args := range []string{`{"z":9007199254740993,"a":1.50,"t":"ü"}`, `{}`} {
		if got := run(t, s, "echo", args).Text; got != args {
			t.Errorf("%s arrives as %s", args, got)
		}
	}
	if got := run(t, s, "echo", "").Text; got != "{}" {
		t.Errorf("no arguments arrive as %s", got)
	}
}

func TestACallSaysOfWhichTraceItIsPart(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "new"), mcp.Options{})
	c := call("one", "call", "{}")
	wantText(t, runAs(t, t.Context(), find(t, s, "one", "trace"), c), false, "<nil>")
	c.Traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	wantText(t, runAs(t, t.Context(), find(t, s, "one", "trace"), c), false, c.Traceparent)
}

func TestAResultIsReadAsItIs(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		got := run(t, newServer(t, program(t, kind), mcp.Options{}), "contents", "{}")
		want := tool.Result{
			Text: strings.Join([]string{
				"first",
				"[an image left out: image/png, 2097153 bytes, more than 2097152]",
				"[an image left out: image/png, more than 4]",
				"[an image left out: its type text/html is none of an image]",
				"[audio: audio/wav, 20 bytes]",
				"[resource: file:///a.txt, a.txt, text/plain]",
				"[resource: file:///b.txt, text/plain]\nthe text of b",
				"[resource: file:///c.bin, application/zip, 30 bytes that are no text]",
				"last",
			}, "\n"),
			Structured: []byte(`{"z":9007199254740993,"a":1.50}`),
		}
		for _, size := range []int{10, 11, 12, 13} {
			want.Images = append(want.Images, tool.Image{MIME: "image/png", Data: make([]byte, size)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestFailuresOfAToolAreResults(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "new"), mcp.Options{})
	wantText(t, run(t, s, "fail", "{}"), true, "no such file")
	wantText(t, run(t, s, "refuse", "{}"), true, "The server files answered with an error: the shop is closed.")
	wantText(t, run(t, s, "echo", `{"still":"there"}`), false, "still")
}

func TestALongResultIsCutBetweenCharactersWithAMark(t *testing.T) {
	t.Parallel()
	c := program(t, "new")
	c.ResultLimit = 20
	s := newServer(t, c, mcp.Options{})
	got := run(t, s, "echo", `{"a":"ääääääääää"}`).Text
	if want := "{\"a\":\"äääääää\n[… 8 of 28 bytes left out]"; got != want || !utf8.ValidString(got) {
		t.Errorf("it is %q, want %q", got, want)
	}
	r := run(t, s, "contents", "{}")
	if r.Structured != nil {
		t.Errorf("a structured result over the limit came through: %s", r.Structured)
	}
}

func TestProgressIsPassedOnWithTheCallThatItIsOf(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		s := newServer(t, program(t, kind), said.options())
		hanging := hangIn(t, t.Context(), s, said) // which waits for it
		_ = s.Close()
		<-hanging
	}
}

func TestTheServersLogIsTold(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		said := newJournal()
		s := newServer(t, program(t, kind), said.options())
		wantText(t, run(t, s, "log", "{}"), false, "logged")
		said.await(t, `one warning: disk: {"free":3}`)
	}
}

func TestTheServerIsToldOfTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"new", "old"} {
		c := program(t, kind)
		c.WorkingDirectory = t.TempDir()
		s := newServer(t, c, mcp.Options{})
		wantText(t, run(t, s, "roots", "{}"), false, `"uri":"file://`+c.WorkingDirectory+`"`)
	}
}

func TestACallThatRanIsNotSaidToHaveFailedForItsAnswersShape(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"evil", "http"} {
		for result, wants := range map[string][]string{
			`{"content":[{"type":"text","text":"paid"},{"type":"video","data":"AA"},{"type":"text","text":"thanks"}]}`: {
				"paid\n", `[content left out: its type "video" is not known here]`, "\nthanks"},
			`{"content":[{"type":"text","text":7}],"structuredContent":{"sum":1.50}}`: {"[content left out: a block of type text that makes no sense]"},
			`"paid"`: {"answered with what is no result of a call", "; what the call did is not known"},
			`[1]`:    {"answered with what is no result of a call", "; what the call did is not known"},
			`null`:   {},
		} {
			var got tool.Result
			if kind == "evil" {
				line := `{"jsonrpc":"2.0","id":$ID,"result":` + result + `}`
				got = run(t, newServer(t, program(t, "evil"), mcp.Options{}), "say", lines(1, true, line))
			} else {
				raw := newRaw()
				raw.call = func(w http.ResponseWriter, _ *http.Request, m said) { sendJSON(w, m.result(result)) }
				got = run(t, newServer(t, served(t, raw), mcp.Options{}), "pay", "{}")
			}
			wantText(t, got, strings.Contains(strings.Join(wants, ""), "no result"), wants...)
			if strings.Contains(got.Text, "failed") {
				t.Errorf("%s: %s is told as %s", kind, result, got.Text)
			}
		}
	}
}
