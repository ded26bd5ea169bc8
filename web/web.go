// Package web is the dashboard's built files, embedded in the binary. The
// source is in src; `make web` builds it into dist. Without a build the server
// still works, and its page says how to make one.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// noncePlaceholder stands in index.html where each page load gets its nonce.
const noncePlaceholder = "__CSP_NONCE__"

// notBuilt is what there is to see without a build.
const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lineclear</title>
<h1>The dashboard has not been built</h1>
<p>The gateway is running, but this binary holds no dashboard. In the source folder, run
<code>make build</code>, then start the gateway again.</p></html>`

// pages are the first parts of the dashboard's addresses, as in web/src/browser/route.ts.
// true: another part may follow, as in /requests/ID.
var pages = map[string]bool{
	"approvals": false, "history": false, "rules": false, "agents": false, "access": false, "statistics": false, "gateways": false, "settings": false,
	"requests": true, "sessions": true, "new": true, "terminal": true,
}

// Handler serves the dashboard: its files, and its page at each of its addresses.
func Handler() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded: this can't happen
	}
	return handler(files)
}

func handler(files fs.FS) http.Handler {
	static := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "the dashboard is only read", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if strings.HasPrefix(name, "assets/") {
			serveAsset(w, r, files, name)
			return
		}
		if info, err := fs.Stat(files, name); err == nil && !info.IsDir() && name != "index.html" {
			static.ServeHTTP(w, r)
			return
		}
		if name != "" && name != "index.html" && !isPage(name) {
			http.Error(w, "there is no such page: open /", http.StatusNotFound)
			return
		}
		servePage(w, files)
	})
}

func isPage(name string) bool {
	first, rest, _ := strings.Cut(name, "/")
	more, known := pages[first]
	return known && (rest == "" || more && !strings.Contains(rest, "/"))
}

// serveAsset sends a file of assets/, which the build has left as .br and .gz alone.
func serveAsset(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	accepted := r.Header.Get("Accept-Encoding")
	for _, encoding := range []struct{ name, ending string }{{"br", ".br"}, {"gzip", ".gz"}, {"", ".gz"}} {
		if !takes(accepted, encoding.name) {
			continue
		}
		content, err := fs.ReadFile(files, name+encoding.ending)
		if err == nil && encoding.name == "" {
			content, err = unzipped(content)
		}
		if err != nil {
			break
		}
		h := w.Header()
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		h.Set("Cache-Control", "public, max-age=31536000, immutable") // its name has a hash of the content
		h.Set("Vary", "Accept-Encoding")
		h.Set("Content-Length", strconv.Itoa(len(content)))
		if encoding.name != "" {
			h.Set("Content-Encoding", encoding.name)
		}
		_, _ = w.Write(content) // who has gone reads nothing
		return
	}
	http.Error(w, "there is no such file", http.StatusNotFound)
}

// takes reports whether an Accept-Encoding (RFC 9110, section 12.5.3) has an encoding; "" is none.
func takes(accepted, encoding string) bool {
	if encoding == "" {
		return true
	}
	for one := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(one, " ", ""), ";")
		if name == encoding {
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

func unzipped(content []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// servePage sends index.html with a fresh nonce, which the dashboard's styles
// carry.
func servePage(w http.ResponseWriter, files fs.FS) {
	page, err := fs.ReadFile(files, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		page, err = []byte(notBuilt), nil
	}
	if err != nil {
		http.Error(w, "the page could not be read", http.StatusInternalServerError)
		return
	}
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err) // crypto/rand does not fail on any supported system
	}
	nonce := base64.StdEncoding.EncodeToString(random[:])
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'self'", "script-src 'self'", "style-src 'self' 'nonce-" + nonce + "'",
		"img-src 'self' data:", "connect-src 'self'", "object-src 'none'",
		"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
	}, "; "))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(strings.ReplaceAll(string(page), noncePlaceholder, nonce)))
}
