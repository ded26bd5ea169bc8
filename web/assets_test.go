package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

func TestAFileIsSentAsItIsAskedFor(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte("let a;"))
	_ = w.Close()
	h := handler(fstest.MapFS{"assets/a.js.br": {Data: []byte("as br")}, "assets/a.js.gz": {Data: zipped.Bytes()}})
	for accepts, want := range map[string]struct{ encoding, body string }{
		"gzip, deflate, br, zstd":        {"br", "as br"},
		"gzip, deflate":                  {"gzip", zipped.String()},
		"br;q=0, gzip;q=0.5":             {"gzip", zipped.String()},
		"br;q=0.000, gzip;q=0, identity": {"", "let a;"},
		"":                               {"", "let a;"},
		"brotli":                         {"", "let a;"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/assets/a.js", nil)
		r.Header.Set("Accept-Encoding", accepts)
		got := httptest.NewRecorder()
		h.ServeHTTP(got, r)
		head := got.Header()
		if got.Code != 200 || got.Body.String() != want.body || head.Get("Content-Encoding") != want.encoding || head.Get("Vary") != "Accept-Encoding" ||
			head.Get("Content-Type") != "text/javascript; charset=utf-8" {
			t.Errorf("%q: %d, %q, %s", accepts, got.Code, got.Body, head)
		}
	}
	for _, path := range []string{"/assets/b.js", "/assets/a.js.br", "/assets/"} {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, httptest.NewRequest(http.MethodGet, path, nil))
		if got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}
