package lineclear_test

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/internal/metrics"
	"github.com/lineclear/lineclear/model/scripted"
	"github.com/lineclear/lineclear/session"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// blocks returns the code blocks of a language in a Markdown file.
func blocks(t *testing.T, path, language string) []string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(read(t, path), -1) {
		found = append(found, m[1])
	}
	if len(found) == 0 {
		t.Fatalf("%s has no blocks of %s", path, language)
	}
	return found
}

func TestEveryMakeTargetThatTheDocsNameIsThere(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, path := range []string{"README.md", "CONTRIBUTING.md", "docs/operations.md", "docs/adr/0005-the-dashboard-is-built-not-committed.md"} {
		for _, m := range regexp.MustCompile(`\bmake ([a-z0-9-]+)\b`).FindAllStringSubmatch(read(t, path), -1) {
			if m[1] != "and" && !regexp.MustCompile(`(?m)^`+m[1]+`:`).MatchString(makefile) {
				t.Errorf("%s names make %s, which the Makefile does not have", path, m[1])
			}
		}
	}
}

// The YAML of the docs is agents.yaml, but for the other files that the gateway reads; yml is for other programs.
func TestEveryFileInTheDocsIsValid(t *testing.T) {
	fence := regexp.MustCompile("(?ms)^```(ya?ml|json)\n(.*?)^```$")
	day := regexp.MustCompile(`observeUntil: [\d-]+`)
	found := 0
	texts(t, func(path, text string) {
		for _, m := range fence.FindAllStringSubmatch(text, -1) {
			var err error
			switch block := m[2]; {
			case m[1] == "json":
				if !jsontext.Value(block).IsValid() {
					err = errors.New("not valid JSON")
				}
			case m[1] == "yml":
				err = yaml.Unmarshal([]byte(block), new(any))
			case strings.HasPrefix(block, "steps:"):
				_, err = scripted.Parse([]byte(block))
			case strings.HasPrefix(block, "cases:"):
				file := filepath.Join(t.TempDir(), "agents.cases.yaml")
				if err = os.WriteFile(file, []byte(block), 0o600); err == nil {
					_, err = config.LoadCases(file)
				}
			default:
				soon := time.Now().AddDate(0, 0, 7).Format(time.DateOnly)
				_, err = config.Parse("agents.yaml", day.ReplaceAll([]byte(block), []byte("observeUntil: "+soon)), func(name string) (string, bool) {
					if strings.Contains(block, "${"+name+"}") {
						return "set", true // as it has to be without a default
					}
					return "", false
				})
			}
			if found++; err != nil {
				t.Errorf("%s: %v in:\n%s", path, err, m[2])
			}
		}
	}, ".md")
	if found < 20 {
		t.Errorf("only %d were found", found)
	}
}

func TestTheProtocolsDocHasEveryWordOfTheWire(t *testing.T) {
	doc := read(t, "docs/protocol.md")
	words := []string{approval.Requests.Name(), approval.Responses.Name(), session.Events.Name(), session.Deltas.Name()}
	for _, source := range []string{
		"wsapprover/frame.go", "wsapprover/failure.go", "approval/response.go", "approval/request.go",
		"approval/grant.go", "approval/coverage.go",
		"session/event.go", "session/status.go", "tool/sandbox.go",
	} {
		// Words of the wire are the texts of constants and of the table of codes.
		for _, m := range regexp.MustCompile(`(?m)^\s+(?:\w+ +(?:\w+ +)?= |\{[\w.]+, )"([a-zA-Z_.]+)"`).FindAllStringSubmatch(read(t, source), -1) {
			words = append(words, m[1])
		}
	}
	if len(words) < 60 {
		t.Fatalf("only %d words were found: %v", len(words), words)
	}
	for _, w := range words {
		if !strings.Contains(doc, "`"+w+"`") {
			t.Errorf("docs/protocol.md does not have `%s`", w)
		}
	}
}

func TestTheTableOfOtherWordsIsWhatParseWordSays(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| (`[^|]+) \\| (approved|denied|cancelled) \\| (once|session|) ?\\|$").
		FindAllStringSubmatch(read(t, "docs/protocol.md"), -1)
	if len(rows) != 4 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for _, row := range rows {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			status, scope, err := approval.ParseWord(m[1])
			if err != nil || string(status) != row[2] || string(scope) != row[3] {
				t.Errorf("%s: the table says %s %s, the function %s %s (%v)", m[1], row[2], row[3], status, scope, err)
			}
		}
	}
}

func TestTheAuditDocHasEveryKindAndField(t *testing.T) {
	doc := read(t, "docs/audit.md")
	words := []string{}
	for _, k := range audit.Kinds() {
		words = append(words, string(k))
	}
	for _, source := range []string{"audit/kinds.go", "audit/audit.go"} {
		for _, m := range regexp.MustCompile("json:\"(\\w+)").FindAllStringSubmatch(read(t, source), -1) {
			words = append(words, m[1])
		}
	}
	if len(words) < 80 {
		t.Fatalf("only %d words were found: %v", len(words), words)
	}
	for _, w := range words {
		if !strings.Contains(doc, "`"+w+"`") {
			t.Errorf("docs/audit.md does not have `%s`", w)
		}
	}
}

func TestTheOperationsDocHasEveryMetric(t *testing.T) {
	m := metrics.New(nil)
	m.Watch(bus.New(approval.Topics()), func() (int, uint64) { return 0, 0 }, func() (database, log, free int64, err error) { return 7, 8, 9, nil })
	m.Served("", "GET", 200)
	session.Events.Publish(bus.New([]bus.Named{session.Events}, m.Inline()[:1]...), session.Event{
		Type: session.TypeApprovalResolved, Data: []byte(`{"approvalId":"x","status":"approved"}`),
	})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	doc, found := read(t, "docs/operations.md"), 0
	for _, name := range regexp.MustCompile(`(?m)^# TYPE (lineclear_\w+)`).FindAllStringSubmatch(w.Body.String(), -1) {
		if found++; !strings.Contains(doc, "| `"+name[1]+"` |") {
			t.Errorf("docs/operations.md does not have `%s`", name[1])
		}
	}
	if found < 11 {
		t.Errorf("only %d metrics were found", found)
	}
}

// texts calls look with every file that has one of the extensions.
func texts(t *testing.T, look func(path, text string), extensions ...string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "test-results" || d.Name() == "dist" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() && slices.Contains(extensions, filepath.Ext(path)) {
			look(path, read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinksInTheDocsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	texts(t, func(path, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
		}
	}, ".md")
}

// code is the text of the Go files of some folders whose names fit the pattern.
func code(t *testing.T, pattern string, folders ...string) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			all.WriteString(read(t, file))
		}
	}
	return all.String()
}

func TestEveryPromiseHasATestThatIsThere(t *testing.T) {
	tables := map[string]string{}
	for _, part := range strings.Split(read(t, "docs/promises.md"), "\n## ")[1:] {
		dir, table, _ := strings.Cut(part, "\n")
		tables[dir] = table
	}
	texts(t, func(path, text string) {
		if dir := filepath.Dir(path); regexp.MustCompile(`(?m)^// # What it promises$`).MatchString(text) && tables[dir] == "" {
			t.Errorf("docs/promises.md has no table of %s", dir)
		}
	}, ".go")
	test, found := regexp.MustCompile("`(?:([a-z/]+)\\.)?((?:Test|Fuzz)\\w+)(?:/([^`]+))?`"), 0
	for dir, table := range tables {
		for row := range strings.Lines(table) {
			named := test.FindAllStringSubmatch(row, -1)
			if strings.HasPrefix(row, "| ") && len(named) == 0 && !strings.Contains(row, "| none: ") && !strings.HasPrefix(row, "| promise ") {
				t.Errorf("%s: no test in: %s", dir, row)
			}
			for _, m := range named {
				home := strings.Replace(cmp.Or(m[1], dir), "lineclear", ".", 1)
				if found++; !strings.Contains(code(t, "*_test.go", home), "\nfunc "+m[2]+"(") {
					t.Errorf("%s: there is no %s in %s", dir, m[2], home)
				}
				if m[3] != "" && !strings.Contains(code(t, "*.go", home, "approval/approvaltest", "session/sessiontest", "model/modeltest"), strconv.Quote(m[3])) {
					t.Errorf("%s: %s has no case %q", dir, m[2], m[3])
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d tests were found", found)
	}
}

func TestEveryRequirementAndThreatHasATestThatIsThere(t *testing.T) {
	test, rows := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz|Example)\\w+)(?:/([^`]+))?`"), 0
	_, threats, _ := strings.Cut(read(t, "docs/security.md"), "\n## Tested where\n")
	threats, _, _ = strings.Cut(threats, "\n## ")
	for row := range strings.Lines(read(t, "docs/seeds.md") + threats) {
		if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "| requirement ") || strings.HasPrefix(row, "| what | against whom ") {
			continue
		}
		rows++
		named := test.FindAllStringSubmatch(row, -1)
		if len(named) == 0 && !strings.Contains(row, "| none |") && !strings.Contains(row, "`web/e2e/") {
			t.Errorf("no test in: %s", row)
		}
		for _, m := range named {
			if !strings.Contains(code(t, "*_test.go", m[1]), "\nfunc "+m[2]+"(") {
				t.Errorf("there is no %s in %s", m[2], m[1])
			}
			if m[3] != "" && !strings.Contains(code(t, "*.go", m[1], "approval/approvaltest", "session/sessiontest"), strconv.Quote(m[3])) {
				t.Errorf("%s has no case %q", m[2], m[3])
			}
		}
		for _, m := range regexp.MustCompile("`(web/e2e/[a-z]+\\.spec\\.ts)`: (.*) \\|").FindAllStringSubmatch(row, -1) {
			if !strings.Contains(read(t, m[1]), m[2]) {
				t.Errorf("%s has no test %q", m[1], m[2])
			}
		}
	}
	if rows < 80 {
		t.Errorf("only %d requirements and threats were found", rows)
	}
}

// Words that were taken out of the project and must not come back. They are split so
// that this file has none of them.
func TestOddWordsStayOut(t *testing.T) {
	odd := map[string]string{
		"an" + "ew": "again, or re-", "who comes " + "in": "who has access", "comes in " + "again": "reconnects",
		"of " + "before": "earlier", "wants a " + "look": "look into", "begun " + "by": "created by",
		"none of " + "both": "neither, if both are empty", "what all " + "it": "everything it", "nil: nobody " + "is": "nil disables it",
		"(?:that|which|what) is " + "none": "is not valid, is not one of", "that there is " + "not": "that does not exist, unknown",
	}
	texts(t, func(path, text string) {
		for phrase, better := range odd {
			if m := regexp.MustCompile(`(?i)\b` + phrase + `\b`).FindString(text); m != "" {
				t.Errorf("%s: %q is not how an engineer would say it: %s", path, m, better)
			}
		}
	}, ".go", ".md", ".ts", ".tsx", ".yaml", ".json")
}
