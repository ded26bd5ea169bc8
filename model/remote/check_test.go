package remote_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model"
)

// pages are what a server has; everything else is missing.
type pages map[string]string

func (p pages) RoundTrip(r *http.Request) (*http.Response, error) {
	if body, ok := p[r.URL.Path]; ok {
		return page{http.StatusOK, body}.RoundTrip(r)
	}
	return page{http.StatusNotFound, ""}.RoundTrip(r)
}

func TestACheckFindsTheModelOrSaysWhatIsThere(t *testing.T) {
	list := func(names ...string) string { return `{"data":[{"id":"` + strings.Join(names, `"},{"id":"`) + `"}]}` }
	many := make([]string, 20)
	for i := range many {
		many[i] = strings.Repeat("m", i+1)
	}
	for what, c := range map[string]struct {
		pages          pages
		found, failure string
	}{
		"by its name":                      {pages{"/v1/models/test-1": `{"id":"test-1"}`}, "answers, and has the model test-1", ""},
		"on the list":                      {pages{"/v1/models": list("a", "test-1")}, "answers, and has the model test-1", ""},
		"on the list, with a version":      {pages{"/v1/models": list("test-1:latest")}, "answers, and has the model test-1", ""},
		"on the list, with a word before":  {pages{"/v1/models": `{"models":[{"name":"models/test-1"}]}`}, "answers, and has the model test-1", ""},
		"with a page for people":           {pages{"/v1/models/test-1": "<html>", "/v1/models": "<html>"}, "answers, but does not tell which models it has", ""},
		"not told":                         {nil, "answers, but does not tell which models it has", ""},
		"not there":                        {pages{"/v1/models": list("a", "test-10")}, "", "does not have the model test-1; it has a, test-10"},
		"not there among many":             {pages{"/v1/models": list(many...)}, "", "mmmmmmmm and 12 more"},
		"not there, and hidden characters": {pages{"/v1/models": list(`a\u202eb\u001b`)}, "", "it has ab"},
	} {
		found, err := server(t, c.pages).Check(t.Context(), "v1/models")
		if found != c.found || c.failure == "" && err != nil || c.failure != "" && (model.KindOf(err) != model.Rejected || !strings.HasSuffix(err.Error(), c.failure)) {
			t.Errorf("%s: %q, %v", what, found, err)
		}
	}
	if _, err := server(t, page{http.StatusUnauthorized, `{"error":"wrong key"}`}).Check(t.Context(), "v1/models"); model.KindOf(err) != model.Denied {
		t.Errorf("with a wrong key: %v", err)
	}
}
