package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

func exchanges(t *testing.T, p Provider) {
	for _, e := range readExchanges(t) {
		t.Run(strings.TrimSuffix(filepath.Base(e.path), ".txtar"), func(t *testing.T) {
			e.play(t, p, func(r response) answer { return r.whole(0) })
			if *update {
				e.write(t)
			}
		})
	}
}

// play sends every prompt and answers with every response, in the way of say.
func (e exchange) play(t testing.TB, p Provider, say func(response) answer) {
	t.Helper()
	s := newServer(t)
	o := e.options
	if slices.ContainsFunc(e.responses, func(r response) bool { return r.status != http.StatusOK }) {
		o.Retries = -1
	}
	m := p.make(t, s, o)
	for _, r := range e.responses {
		for i := range max(1, len(e.prompts)) {
			s.answer(say(r))
			got, reply, err := ask(t.Context(), m, e.prompts[i:]...)
			sent := s.sent()
			if err != nil || len(sent) != 1 {
				t.Fatalf("%v, %d requests", err, len(sent))
			}
			if e.want.Detail == "" {
				got.Detail = "" // in any words
			}
			diff(t, "outcome", e.want, got)
			if text := strings.Join(got.Deltas, ""); text != reply.Text && got.Error == "" {
				t.Errorf("the deltas are %q, the text is %q", text, reply.Text)
			}
			e.compare(t, requestSection, sent[0])
			if e.section(nextSection) == nil {
				continue
			}
			s.answer(say(r))
			if _, _, err := ask(t.Context(), m, goOn(e.prompts[i], reply)); err != nil {
				t.Fatal(err)
			}
			e.compare(t, nextSection, s.sent()[0])
		}
	}
}

// goOn is the prompt that follows a reply, with results of its calls.
func goOn(p model.Prompt, r model.Reply) model.Prompt {
	said := model.Message{Role: model.Assistant, Text: r.Text, Kept: r.Kept}
	var results []model.Message
	for i, c := range r.Calls {
		c.ID = fmt.Sprintf("call_%d", i+1) // a model is given ids of ours
		said.Calls = append(said.Calls, c)
		results = append(results, model.Message{Role: model.ToolRole, CallID: c.ID, Text: "ok"})
	}
	if len(results) == 0 {
		results = []model.Message{{Role: model.User, Text: "And now?"}}
	}
	p.Messages = append(append(p.Messages[:len(p.Messages):len(p.Messages)], said), results...)
	return p
}

// lineForms are other ways to write the same events.
var lineForms = []func(body string) string{
	func(body string) string { return strings.ReplaceAll(body, "\n", "\r\n") },
	func(body string) string { return regexp.MustCompile(`(?m)^data: `).ReplaceAllString(body, "data:") },
	func(body string) string { return strings.ReplaceAll(body, "\n\n", "\n\ndata:\n\n") },
	func(body string) string {
		return regexp.MustCompile(`(?m)^data: \{`).ReplaceAllString(body, "data: {\nid: 1\n: a comment\ndata: ")
	},
}

func pieces(t *testing.T, p Provider) {
	if *update {
		return
	}
	for _, e := range readExchanges(t) {
		for _, size := range []int{1, 7} {
			e.play(t, p, func(r response) answer { return r.whole(size) })
		}
		for _, form := range lineForms {
			e.play(t, p, func(r response) answer {
				r.body = form(r.body)
				return r.whole(0)
			})
		}
	}
}

// foreignKept sends what the exchanges keep to another server, and malformed values to
// the same one. Both requests must be as if nothing had been kept.
func foreignKept(t *testing.T, p Provider) {
	keeps, sentBack := false, false
	for _, e := range readExchanges(t) {
		kept := string(e.want.Kept)
		if kept == "" {
			continue
		}
		s := newServer(t)
		away := e.options
		away.BaseURL = "http://127.0.0.1:9/elsewhere"
		here, elsewhere := p.make(t, s, e.options), p.make(t, s, away)
		sends := func(m model.Model, kept string) string {
			s.answer(e.responses[0].whole(0))
			_, reply, err := ask(t.Context(), here, e.prompts[0])
			reply.Kept = tool.JSON(kept)
			if _, _, again := ask(t.Context(), m, goOn(e.prompts[0], reply)); err != nil || again != nil {
				t.Fatal(err, again)
			}
			return string(s.sent()[1].body)
		}
		diff(t, e.path+": to another server", sends(elsewhere, ""), sends(elsewhere, kept))
		nothing := sends(here, "")
		keeps, sentBack = true, sentBack || sends(here, kept) != nothing
		for _, malformed := range []string{
			"null", "{}", "[]", "not JSON", `{"provider":`, `{"provider":"` + p.Name + `"}`, `"naïve`, strings.Repeat("[", 99), kept + "x",
			strings.Replace(kept, p.Name, "other", 1),
		} {
			diff(t, e.path+": "+malformed, nothing, sends(here, malformed))
		}
	}
	if keeps && !sentBack {
		t.Error("nothing that is kept goes back")
	}
}

// environment sets the variables that the libraries of providers read.
func environment(t *testing.T, p Provider) {
	name := strings.ToUpper(p.Name)
	for _, last := range []string{"API_KEY", "ADMIN_KEY", "AUTH_TOKEN", "ORG_ID", "PROJECT_ID", "PROFILE"} {
		t.Setenv(name+"_"+last, "from-the-environment")
	}
	t.Setenv(name+"_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv(name+"_CUSTOM_HEADERS", "X-Stray: from-the-environment")
	f := p.fixture(t, remote.Options{})
	f.answer(f.good.whole(0))
	f.succeed(t)
	want := string(f.recorded.section(requestSection).Data)
	want = regexp.MustCompile("(?m)^.*"+key+"\n").ReplaceAllString(want, "") // the options have no key
	diff(t, "request", ordered(want), ordered(f.sent()[0].text()))
}

func redirect(t *testing.T, p Provider) {
	f := p.fixture(t, remote.Options{Key: key}, refusal(http.StatusTemporaryRedirect, "", "", "Location", "http://elsewhere.test/").whole(0))
	f.fail(t, model.Rejected)
	if sent := f.sent(); len(sent) != 1 {
		t.Errorf("then asked %s", sent[1].url)
	}
}

// manyAtOnce uses real connections.
func manyAtOnce(t *testing.T, p Provider) {
	f := p.fixture(t, remote.Options{})
	good := f.good
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, good.body) // a client that has gone is no fault
	}))
	defer up.Close()
	m, err := p.New(remote.Options{Model: "test-1", BaseURL: up.URL, HTTPClient: up.Client()})
	if err != nil {
		t.Fatal(err)
	}
	f.model = m
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { f.succeed(t) })
	}
	all.Wait()
}
