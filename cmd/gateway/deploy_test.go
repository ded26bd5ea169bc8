package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/lineclear/lineclear/auth"
)

// exposed is what a gateway's /metrics has: the labels of each sample, and every value of a label.
type exposed struct {
	labels map[string]map[string]bool
	values map[string]bool
}

// words are values of labels that come only once something of the kind has happened.
var words = []string{"timeout", "asked", "lineclear"}

var (
	sampleForm = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelForm  = regexp.MustCompile(`(\w+)="([^"]*)"`)
	nameForm   = regexp.MustCompile(`[a-zA-Z_:][\w:]*`)
)

func readExposed(text string) exposed {
	s := exposed{labels: map[string]map[string]bool{"up": {}}, values: map[string]bool{}}
	for _, m := range sampleForm.FindAllStringSubmatch(text, -1) {
		if s.labels[m[1]] == nil {
			s.labels[m[1]] = map[string]bool{}
		}
		for _, l := range labelForm.FindAllStringSubmatch(m[2], -1) {
			s.labels[m[1]][l[1]], s.values[l[2]] = true, true
		}
	}
	return s
}

// known reports whether any sample has a label.
func (s exposed) known(label string) bool {
	for _, of := range s.labels {
		if of[label] {
			return true
		}
	}
	return false
}

// functions are those of PromQL that the files use, and its words.
var functions = []string{"sum", "max", "min", "rate", "increase", "histogram_quantile", "predict_linear", "vector", "and", "or", "on", "by"}

// check finds what is wrong with an expression; it is a part of a parser, enough for what the files have.
func (s exposed) check(expr string) error {
	expr = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(expr)
	selector := regexp.MustCompile(`([a-z_:]+)\s*\{([^{}]*)\}`)
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		for _, part := range strings.Split(m[2], ",") {
			matcher := regexp.MustCompile(`^\s*(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"\s*$`).FindStringSubmatch(part)
			switch {
			case matcher == nil:
				return fmt.Errorf("%q is no matcher", part)
			case matcher[1] != "instance" && matcher[1] != "job" && !s.labels[m[1]][matcher[1]]:
				return fmt.Errorf("%s has no label %q", m[1], matcher[1])
			}
			for _, value := range strings.Split(matcher[3], "|") {
				if value != ".*" && !s.values[value] && !slices.Contains(words, value) {
					return fmt.Errorf("%s has no %s %q", m[1], matcher[1], value)
				}
			}
		}
	}
	bare := selector.ReplaceAllString(expr, "$1")
	bare = regexp.MustCompile(`\[\d+[smhd]\]`).ReplaceAllString(bare, "")
	grouping := regexp.MustCompile(`\b(?:by|on) \(([\w, ]*)\)`)
	for _, m := range grouping.FindAllStringSubmatch(bare, -1) {
		for _, label := range strings.Split(m[1], ", ") {
			if label != "instance" && !s.known(label) {
				return fmt.Errorf("nothing has a label %q", label)
			}
		}
	}
	bare = grouping.ReplaceAllString(bare, "")
	bare = regexp.MustCompile(`\b\d[\d.e]*\b`).ReplaceAllString(bare, "")
	for _, name := range nameForm.FindAllString(bare, -1) {
		if s.labels[name] == nil && !slices.Contains(functions, name) {
			return fmt.Errorf("the gateway serves no %q", name)
		}
	}
	if left := strings.TrimSpace(regexp.MustCompile(`[\w\s()<>=*,:]`).ReplaceAllString(bare, "")); left != "" {
		return fmt.Errorf("%q is not understood", left)
	}
	depth := 0
	for _, r := range bare {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return fmt.Errorf("brackets are not balanced")
	}
	return nil
}

type alerts struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For    string
			Labels, Annotations map[string]string
		}
	}
}

type dashboard struct {
	UID    string `json:"uid"`
	Panels []struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		GridPos struct{ X, Y, W, H int }
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
	Templating struct {
		List []struct {
			Name  string
			Query json.RawMessage
		}
	}
}

// What is handed out for Prometheus and Grafana asks for what a gateway serves.
func TestEveryAlertAndPanelIsOfWhatTheGatewayServes(t *testing.T) {
	t.Parallel()
	p := launchWith(t, "gateway", t.TempDir(), watched)
	d := p.desk("demo")
	d.run("echo done") // denied by a rule
	_, text := p.fetch("/metrics", p.token("prometheus", auth.Viewer))
	s := readExposed(text)
	for _, wrong := range []string{
		`lineclear_nothing > 1`, `sum(lineclear_pending`, `lineclear_pending)`, `lineclear_failures_total{why="x"}`, `lineclear_pushes_total{outcome="lost"}`,
		`lineclear_pending{instance=x}`, `rates(lineclear_failures_total[5m])`, `lineclear_pending ; 1`, `sum by (outcom) (lineclear_pushes_total)`,
	} {
		if s.check(wrong) == nil {
			t.Fatalf("%s is taken", wrong)
		}
	}
	checkAlerts(t, s)
	checkDashboard(t, s)
}

func checkAlerts(t *testing.T, s exposed) {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/prometheus/lineclear.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules alerts
	if err := yaml.UnmarshalWithOptions(raw, &rules, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rules.Groups[0].Rules {
		if err := s.check(r.Expr); err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
		if seen[r.Alert] || r.Annotations["summary"] == "" || r.Labels["severity"] == "" || r.For != "" && !regexp.MustCompile(`^\d+[smh]$`).MatchString(r.For) {
			t.Errorf("%s: it is there twice, or lacks something: %+v", r.Alert, r)
		}
		if seen[r.Alert] = true; !bytes.Contains(doc, []byte("| `"+r.Alert+"` |")) {
			t.Errorf("docs/operations.md does not say what to do about %s", r.Alert)
		}
	}
	if len(seen) < 8 {
		t.Errorf("there are only %d alerts", len(seen))
	}
}

func checkDashboard(t *testing.T, s exposed) {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/grafana/lineclear.json")
	if err != nil {
		t.Fatal(err)
	}
	var board dashboard
	if err := json.Unmarshal(raw, &board); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for i, p := range board.Panels {
		if ids[p.ID] || len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("panel %d %q is there twice or is empty", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			if err := s.check(target.Expr); err != nil {
				t.Errorf("panel %q: %v", p.Title, err)
			}
		}
		a := p.GridPos
		for _, other := range board.Panels[:i] {
			if b := other.GridPos; a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("panels %q and %q overlap", p.Title, other.Title)
			}
		}
		if a.X+a.W > 24 {
			t.Errorf("panel %q is wider than the page", p.Title)
		}
	}
	if board.UID == "" || len(ids) < 12 {
		t.Errorf("it has %d panels", len(ids))
	}
}
