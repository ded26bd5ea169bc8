package modeltest

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

func checks(t *testing.T, p Provider) {
	at := map[Wire]string{ChatCompletions: "/models", Messages: "/v1/models"}[p.Wire]
	list := func(names ...string) string { return `{"data":[{"id":"` + strings.Join(names, `"},{"id":"`) + `"}]}` }
	many := make([]string, 20)
	for i := range many {
		many[i] = strings.Repeat("m", i+1)
	}
	for _, c := range []struct {
		what    string
		pages   map[string]string
		found   string
		failure string
	}{
		{"by its name", map[string]string{at + "/test-1": `{"id":"test-1"}`}, "has the model test-1", ""},
		{"on the list", map[string]string{at: list("a", "test-1")}, "has the model test-1", ""},
		{"on the list, with a version", map[string]string{at: list("test-1:latest")}, "has the model test-1", ""},
		{"on the list, with a word before", map[string]string{at: `{"models":[{"name":"models/test-1"}]}`}, "has the model test-1", ""},
		{"with a page for people", map[string]string{at + "/test-1": "<html>", at: "<html>"}, "does not tell which models it has", ""},
		{"not told", nil, "does not tell which models it has", ""},
		{"not there", map[string]string{at: list("a", "test-10")}, "", "does not have the model test-1; it has a, test-10"},
		{"not there among many", map[string]string{at: list(many...)}, "", "mmmmmmmm and 12 more"},
		{"with hidden characters", map[string]string{at: list(`a\u202eb\u001b`)}, "", "it has ab"},
	} {
		f := p.loopback(t, remote.Options{})
		f.Pages = c.pages
		found, err := f.check(t)
		if c.failure == "" && (err != nil || !strings.Contains(found, c.found)) {
			t.Errorf("%s: %q, %v", c.what, found, err)
		}
		if c.failure != "" && (model.KindOf(err) != model.Rejected || !strings.Contains(err.Error(), c.failure)) {
			t.Errorf("%s: %q, %v", c.what, found, err)
		}
	}
	wrongKey := p.loopback(t, remote.Options{Retries: -1})
	wrongKey.Key = "another"
	if _, err := wrongKey.check(t); model.KindOf(err) != model.Denied || strings.Contains(err.Error(), key) {
		t.Errorf("with a wrong key: %v", err)
	}
}

func (f fixture) check(t testing.TB) (string, error) {
	t.Helper()
	checker, ok := f.model.(model.Checker)
	if !ok {
		t.Fatal("it can't be checked")
	}
	return checker.Check(t.Context())
}
