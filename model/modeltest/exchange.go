package modeltest

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/tool"
)

var update = flag.Bool("update", false, "rewrite the requests of the recorded exchanges")

// exchange is a file of testdata.
type exchange struct {
	path      string
	archive   *txtar.Archive
	options   remote.Options
	prompts   []model.Prompt // all are sent alike; none: the model is checked
	responses []response     // all have the same outcome
	want      outcome
}

// The sections that -update writes.
const (
	requestSection = "request"
	nextSection    = "next request"
)

// outcome is what a model returns: a reply, a failure, or what a check has found.
type outcome struct {
	Deltas    []string    `json:"deltas,omitempty"` // together they are the text of the reply
	Reasoning string      `json:"reasoning,omitempty"`
	Calls     []call      `json:"calls,omitempty"`
	Kept      tool.JSON   `json:"kept,omitempty"`
	Stop      model.Stop  `json:"stop,omitempty"`
	Usage     model.Usage `json:"usage,omitzero"`
	Error     model.Kind  `json:"error,omitempty"`
	Detail    string      `json:"detail,omitempty"` // of an error
	Found     string      `json:"found,omitempty"`  // of a check
}

// call is a model.Call whose arguments may be no JSON.
type call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// response is what a server says: a recorded one, or one of the contract's own.
type response struct {
	status int
	header http.Header
	body   string
}

// request is what a provider has sent.
type request struct {
	method, url string
	header      http.Header
	body        []byte
}

// readExchanges reads the files of testdata.
func readExchanges(t testing.TB) []exchange {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no exchanges in testdata: %v", err)
	}
	all := make([]exchange, len(paths))
	for i, path := range paths {
		if all[i], err = readExchange(path); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return all
}

func readExchange(path string) (exchange, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return exchange{}, err
	}
	e := exchange{path: path, archive: archive, options: remote.Options{Key: key}}
	strict := json.JoinOptions(json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true))
	for _, f := range archive.Files {
		var err error
		switch section, _, _ := strings.Cut(f.Name, ":"); section {
		case "options":
			err = json.Unmarshal(f.Data, &e.options, strict)
		case "prompt":
			var p model.Prompt
			err = json.Unmarshal(f.Data, &p, strict)
			e.prompts = append(e.prompts, p)
		case "response":
			var r response
			r, err = readResponse(f.Data)
			e.responses = append(e.responses, r)
		case "outcome":
			err = json.Unmarshal(f.Data, &e.want, strict)
		case requestSection, nextSection:
		default:
			err = errors.New("no such section")
		}
		if err != nil {
			return exchange{}, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if len(e.responses) == 0 {
		return exchange{}, errors.New("no response")
	}
	if len(e.prompts) == 0 && e.want.Found == "" {
		e.prompts = []model.Prompt{said("Go on.")}
	}
	return e, nil
}

// said is a prompt of one message.
func said(text string) model.Prompt {
	return model.Prompt{Messages: []model.Message{{Role: model.User, Text: text}}, Tools: []tool.Spec{{Name: "ui.show"}, {Name: "shell"}}}
}

// readResponse reads what curl -i prints.
func readResponse(raw []byte) (response, error) {
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return response{status: res.StatusCode, header: res.Header, body: string(body)}, err
}

// section is a file of the archive; nil: there is none.
func (e exchange) section(name string) *txtar.File {
	i := slices.IndexFunc(e.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &e.archive.Files[i]
}

// compare compares a request with its section, if there is one. With -update it
// rewrites the section.
func (e exchange) compare(t testing.TB, section string, r request) {
	t.Helper()
	f := e.section(section)
	switch {
	case f == nil:
	case *update:
		f.Data = []byte(r.text())
	default:
		diff(t, section, ordered(string(f.Data)), ordered(r.text()))
	}
}

func (e exchange) write(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(e.path, txtar.Format(e.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// text is the request as it stands in a file.
func (r request) text() string {
	lines := []string{r.method + " " + r.url}
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		lines = append(lines, name+": "+strings.Join(r.header[name], ", "))
	}
	return strings.Join(lines, "\n") + "\n\n" + laidOut(r.body) + "\n"
}

// laidOut is JSON with a line for each field, and for each item of a list.
// Invisible characters are escaped.
func laidOut(raw []byte) string {
	indented, err := jsontext.AppendFormat(nil, raw, jsontext.Multiline(true), jsontext.WithIndent("\t"), jsontext.SpaceAfterColon(true))
	if err != nil {
		return string(raw)
	}
	var all strings.Builder
	for line := range strings.Lines(string(indented)) {
		text := strings.TrimLeft(line, "\t")
		depth := len(line) - len(text)
		switch inner := depth > 2 || depth == 2 && strings.ContainsAny(text[:1], "}]"); {
		case !inner && all.Len() > 0:
			all.WriteString("\n" + strings.Repeat("  ", depth))
		case strings.HasSuffix(all.String(), ","):
			all.WriteString(" ")
		}
		for _, r := range strings.TrimSuffix(text, "\n") {
			if unicode.IsPrint(r) || r > 0xffff {
				all.WriteRune(r)
			} else {
				fmt.Fprintf(&all, `\u%04x`, r)
			}
		}
	}
	return all.String()
}

// ordered is a request with the fields of its body in alphabetical order.
func ordered(text string) string {
	head, body, _ := strings.Cut(text, "\n\n")
	raw, err := jsontext.AppendFormat(nil, body, jsontext.ReorderRawObjects(true), jsontext.Multiline(true))
	if err != nil {
		return text
	}
	return head + "\n\n" + string(raw)
}
