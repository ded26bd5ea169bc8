package httpapi

import (
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// pathWord matches a word of a path.
var pathWord = regexp.MustCompile(`[A-Za-z0-9]+`)

// pathParameter matches a parameter in a path.
var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

const (
	licence   = "Apache-2.0"
	apiTitle  = "Lineclear"
	apiWords  = "An approval gateway for AI agents: a risky call waits until a person clears it, and when nobody answers, the answer is no. "
	apiStrict = "What a browser changes needs an Origin header equal to one of the gateway's own; a program with a token needs none. " +
		"Bodies are read strictly: an unknown or duplicate name is an error, and so is an unknown parameter. Answers may get further fields and " +
		"lists further words: ignore what you don't know, and take an unknown word for not approved. A method that an address does not have is " +
		"answered with 405 and an Allow header. Every answer carries an X-Request-Id, under which the gateway's log has what it says of the request."
)

// tags are the areas of the API, by the word of the path after /api, in the order in which they are shown.
var tags = []struct{ word, name, what string }{
	{"approvals", "approvals", "Ask for an approval, answer it, claim it and report."},
	{"runs", "runs", "Runs of programs that ask."},
	{"sessions", "sessions", "Conversations with agents, and their journals."},
	{"agents", "agents", "Agents and their modes."},
	{"grants", "grants", "Approvals that are remembered."},
	{"halts", "halts", "Stop agents at once."},
	{"policy", "policy", "Rules, and what they would decide."},
	{"stats", "stats", "What was asked and answered."},
	{"nodes", "nodes", "The gateways of a cluster."},
	{"events", "events", "What happens, as server-sent events."},
	{"login", "access", "Logins, tokens, links and tickets."},
	{"", "gateway", "Health, metrics and descriptions."},
}

// tagOf is the area of a path.
func tagOf(path string) string {
	word, inside := strings.CutPrefix(path, "/api/")
	word, _, _ = strings.Cut(word, "/")
	for _, t := range tags {
		if inside && t.word == word {
			return t.name
		}
	}
	if inside {
		return "access"
	}
	return "gateway"
}

// OpenAPI describes the API (OpenAPI 3.1). It is made from the routes and the
// types of their bodies, which are what is decoded and written.
func (s *Server) OpenAPI() *huma.OpenAPI {
	doc, _ := s.described()
	return doc
}

func (s *Server) described() (*huma.OpenAPI, *dictionary) {
	words := s.dictionary()
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: apiTitle, Version: "1", Description: apiWords + apiStrict,
			License: &huma.License{Name: licence, Identifier: licence},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The gateway that serves this description."}},
		Paths:   map[string]*huma.PathItem{},
		Components: &huma.Components{
			Schemas: words,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer", Description: "A token, a terminal's login or the local key."},
				"login": {Type: "apiKey", In: "cookie", Name: plainCookie, Description: "A browser's login. The login's id ends the name; over TLS __Host- begins it."},
				"proof": {Type: "apiKey", In: "header", Name: csrfHeader, Description: "The proof of the login, beside its cookie."},
			},
		},
		Security: []map[string][]string{{"token": {}}, {"login": {}, "proof": {}}},
	}
	for _, t := range tags {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: t.name, Description: t.what})
	}
	for _, r := range s.Routes() {
		if !r.Hidden {
			doc.AddOperation(r.operation(words))
			words.bodies(r)
		}
	}
	words.finish()
	return doc, words
}

// dictionary has names for all types of the routes and of the WebSocket's frames.
func (s *Server) dictionary() *dictionary {
	taken, told := typesOf(s.Frames.Client), append(typesOf(s.Frames.Server), typesOf(s.Frames.Journal)...)
	for _, r := range s.Routes() {
		if r.In != nil {
			taken = append(taken, r.In)
		}
		if r.Out != nil {
			told = append(told, r.Out)
		}
	}
	return newDictionary(taken, told)
}

func (r Route) operation(words *dictionary) *huma.Operation {
	op := &huma.Operation{
		Method: r.method(), Path: r.path(), OperationID: r.name(), Summary: r.Summary, Tags: []string{tagOf(r.path())},
		Responses: map[string]*huma.Response{},
	}
	if r.Right == open {
		op.Security = []map[string][]string{{}}
	}
	for _, m := range pathParameter.FindAllStringSubmatch(r.path(), -1) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	for _, p := range r.Params {
		op.Parameters = append(op.Parameters, p.describe())
	}
	if r.In != nil {
		op.RequestBody = &huma.RequestBody{Required: !r.Bodyless, Content: jsonOf(jsonType, words.takes(r.In))}
	}
	done := &huma.Response{Description: http.StatusText(r.Status)}
	switch {
	case r.Out != nil:
		done.Content = jsonOf(jsonType, words.told(r.Out))
	case r.raw != "":
		done.Content = map[string]*huma.MediaType{}
		for _, kind := range strings.Split(r.raw, ", ") {
			done.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		}
		if r.raw == jsonType {
			done.Content[jsonType].Schema.Type = huma.TypeObject
		}
	}
	op.Responses[strconv.Itoa(r.Status)] = done
	for _, status := range r.Refusals() {
		op.Responses[strconv.Itoa(status)] = r.refused(status, words)
	}
	return op
}

// refused describes a refusal.
func (r Route) refused(status int, words *dictionary) *huma.Response {
	refused := &huma.Response{
		Description: http.StatusText(status) + ": " + strings.Join(codesOf(status), ", ") + ".",
		Content:     jsonOf(problemType, words.told(r.refusal(status))),
	}
	if status == http.StatusTooManyRequests {
		refused.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait before the next attempt.", Schema: &huma.Schema{Type: huma.TypeInteger},
		}}
	}
	return refused
}

func (p Param) describe() *huma.Param {
	d := &huma.Param{Name: p.Name, In: "query", Description: p.What, Schema: &huma.Schema{Type: huma.TypeString, Enum: p.words}}
	if p.header() {
		d.In = "header"
	}
	switch p.Kind {
	case reflect.Int64:
		d.Schema.Type, d.Schema.Format = huma.TypeInteger, "int64"
	case reflect.Bool:
		d.Schema.Type = huma.TypeBoolean
	default:
	}
	return d
}

func jsonOf(contentType string, schema *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{contentType: {Schema: schema}}
}

// operationID is a name for generated clients of a route that has none, such as postApprovalsByIdClaim.
func operationID(method, path string) string {
	name := strings.ToLower(method)
	for _, part := range strings.Split(strings.TrimPrefix(path, "/api"), "/") {
		if inner, ok := strings.CutPrefix(part, "{"); ok {
			part = "by-" + strings.TrimSuffix(inner, "}")
		}
		for _, word := range pathWord.FindAllString(part, -1) {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}

func (s *Server) describe(c *call) error { return c.made(s.openAPI, jsonType) }

// made answers with a text that is made once.
func (c *call) made(text func() ([]byte, error), contentType string) error {
	raw, err := text()
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", contentType)
	_, _ = c.w.Write(raw) // who has gone away needs no answer
	return nil
}
