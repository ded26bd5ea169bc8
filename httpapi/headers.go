package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxPaths is more than the segments of our longest path, /api/sessions/ID/approvals/CALL.
const maxPaths = 16

const crowdedStyle = "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em}h1{font-size:1.3em}"

// crowded is what a browser shows that another page has filled with cookies. It loads
// again until all are gone: browsers don't send all of so many at once.
const crowded = `<!doctype html><html lang="en"><meta http-equiv="refresh" content="1; url=/"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Too many cookies</title>
<style>` + crowdedStyle + `</style>
<h1>Another page of this host has set too many cookies</h1>
<p>With them your browser can't reach the gateway. They are being removed, with those of all pages of this host.</p>
<p>Then log in again: the gateway prints a login link in its terminal, and an admin can make one.</p></html>
`

// sized refuses requests with headers that are too large. A page of another port can make
// browsers send such; whoever opens the dashboard then is told, and rid of the cookies.
func (s *Server) sized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived(r)
		size := headersOf(r)
		if size <= maxHeaders {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if !s.limits.addresses.Allow(s.address(r)) {
			s.fail(&call{w: w, r: r}, errTooMany("too many requests come from this address"))
			return
		}
		opened := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet
		if opened || r.Header.Get("Sec-Fetch-Site") == "same-origin" { // some cookies are sent only below the page's path
			s.log.Warn("a browser sent too many cookies; they were removed", s.about(r)...)
			forgetCookies(w, r)
		}
		switch {
		case opened:
			style := sha256.Sum256([]byte(crowdedStyle))
			w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(style[:])+"'")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
			_, _ = io.WriteString(w, crowded)
		default:
			s.fail(&call{w: w, r: r}, &fault{http.StatusRequestHeaderFieldsTooLarge,
				fmt.Sprintf("the headers have %d bytes, more than %d: another page of this host may have set cookies; open the gateway's own page again to have them removed", size, maxHeaders)})
		}
	})
}

// headersOf is how large a request's headers are, in bytes.
func headersOf(r *http.Request) int {
	size := len(r.RequestURI)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + len(": \r\n")
		}
	}
	return size
}

// maxForgotten is how many cookies one response removes; browsers keep about 180 a host.
const maxForgotten = 1500

// forgetCookies has a browser drop its cookies for this host, by the header where it
// takes that, and one by one.
func forgetCookies(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Clear-Site-Data", `"cookies"`)
	cookies, left := r.Cookies(), maxForgotten
	for _, path := range pathsOf(r.URL.Path) {
		for _, cookie := range cookies {
			if left--; left < 0 {
				return
			}
			http.SetCookie(w, &http.Cookie{Name: cookie.Name, Path: path, Expires: time.Unix(1, 0), MaxAge: -1})
		}
	}
}

// pathsOf are the paths whose cookies a browser sends with a request, shortest first, at
// most maxPaths.
func pathsOf(path string) []string {
	all := []string{"/"}
	for i := 1; i < len(path) && len(all) < maxPaths; i++ {
		if path[i] == '/' {
			all = append(all, path[:i], path[:i+1])
		}
	}
	return append(all, path)
}
