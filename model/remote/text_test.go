package remote_test

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func TestATextWithoutAnythingInItSaysSo(t *testing.T) {
	for text, blank := range map[string]bool{"": true, " \n\t": true, "\u00a0\u3000\u2028": true, "\x1c\x1d\x1e\x1f": true, "\x1b": false, " a ": false, "\u200b": false, "\xff": false} {
		want := text
		if blank {
			want = "(no text)"
		}
		if remote.Blank(text) != blank || remote.OrNote(text) != want {
			t.Errorf("%q is blank: %v, and filled: %q", text, remote.Blank(text), remote.OrNote(text))
		}
	}
}

func TestArgumentsAreAnObject(t *testing.T) {
	for args, want := range map[string]string{
		"": "{}", " \n": "{}", `{"a":1}`: `{"a":1}`, `{"a":1,"a":2}`: `{"invalid_arguments":"{\"a\":1,\"a\":2}"}`, `{"a":`: `{"invalid_arguments":"{\"a\":"}`,
		"null": `{"invalid_arguments":"null"}`, "[1]": `{"invalid_arguments":"[1]"}`, "\xff": "{\"invalid_arguments\":\"\ufffd\"}",
	} {
		if got := string(remote.Arguments(tool.JSON(args))); got != want {
			t.Errorf("%q becomes %s, want %s", args, got, want)
		}
	}
}

func TestASchemaIsThatOfAnObjectWithProperties(t *testing.T) {
	const anything = `{"type":"object","properties":{}}`
	for schema, want := range map[string]string{
		"": anything, "true": anything, "null": anything, "{": anything, `{"type":"object","type":"object"}`: anything,
		"{}": `{"properties":{},"type":"object"}`, `{"type":"object"}`: `{"properties":{},"type":"object"}`,
		`{"type":["object","null"],"properties":null}`: `{"properties":{},"type":"object"}`,
		`{"type":"array","properties":{"a":{}}}`:       `{"properties":{"a":{}},"type":"object"}`,
		`{"type":"object","properties":{"a":{}}}`:      `{"type":"object","properties":{"a":{}}}`,
	} {
		if got := string(remote.Schema(tool.JSON(schema))); got != want {
			t.Errorf("%s becomes %s, want %s", schema, got, want)
		}
	}
}

func TestAnImageThatServersDoNotReadIsNamed(t *testing.T) {
	for mime, want := range map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/svg+xml": false, "": false, "text/html": false} {
		ok, mark := remote.CanShow(tool.Image{MIME: mime, Data: []byte("x")})
		if ok != want || (mark == "") != want {
			t.Errorf("%s: %v, %q", mime, ok, mark)
		}
		if ok, mark := remote.CanShow(tool.Image{MIME: mime, Data: []byte("x")}, "image/bmp", mime); ok || !strings.Contains(mark, mime) {
			t.Errorf("%s is shown to a server that does not read it", mime)
		}
		if ok, _ := remote.CanShow(tool.Image{MIME: mime}); ok {
			t.Errorf("%s is shown without data", mime)
		}
	}
}
