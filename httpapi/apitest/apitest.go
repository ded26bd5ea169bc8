// Package apitest holds what a running gateway answers against the description of its API:
// the status, the kind of content and the body. What is taken is held against it, too: a
// request that succeeds has to be one that is described.
//
//	checker, err := apitest.New(openapi)
//	client.Transport = checker.Transport(client.Transport)
package apitest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	resource    = "http://gate.example/openapi.json"
	problemType = "application/problem+json"
)

// Checker holds answers against one description.
type Checker struct {
	paths map[string]map[string]operation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	seen     map[string]bool
	misfits  []string
}

// operation is what is said of a method of a path.
type operation struct {
	at        string // a JSON pointer
	responses map[string]any
	takesBody bool
}

// New makes a checker of an OpenAPI document.
func New(openapi []byte) (*Checker, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi))
	if err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	c := &Checker{
		paths: map[string]map[string]operation{}, compiler: jsonschema.NewCompiler(),
		compiled: map[string]*jsonschema.Schema{}, seen: map[string]bool{},
	}
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(resource, doc); err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	for path, item := range inner(doc, "paths") {
		c.paths[path] = map[string]operation{}
		for method := range inner(item) {
			at := "/paths/" + escaped(path) + "/" + method
			_, takes := inner(item, method)["requestBody"]
			c.paths[path][strings.ToUpper(method)] = operation{at, inner(item, method, "responses"), takes}
		}
	}
	return c, nil
}

// inner is an object within others.
func inner(of any, names ...string) map[string]any {
	at, _ := of.(map[string]any)
	for _, name := range names {
		at, _ = at[name].(map[string]any)
	}
	return at
}

func escaped(step string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
}

// Answer is what a gateway has answered.
type Answer struct {
	Method, Path string
	Status       int
	Header       http.Header
	Sent, Body   []byte // of the request and the response
}

// Check returns an error if an answer is not described.
func (c *Checker) Check(a Answer) error {
	method := a.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := c.match(a.Path, method)
	op, known := c.paths[path][method]
	switch {
	case path == "" && !strings.HasPrefix(a.Path, "/api/"):
		return nil // the dashboard's
	case !known:
		return c.checkElsewhere(a, path)
	}
	c.mu.Lock()
	c.seen[method+" "+path+" "+strconv.Itoa(a.Status)] = true
	c.mu.Unlock()
	answer := inner(op.responses[strconv.Itoa(a.Status)])
	if answer == nil {
		return fmt.Errorf("%d is not described; there are %v", a.Status, slices.Sorted(maps.Keys(op.responses)))
	}
	if a.Status < 300 && op.takesBody && len(bytes.TrimSpace(a.Sent)) > 0 {
		if err := c.fits(op.at+"/requestBody/content/application~1json/schema", a.Sent); err != nil {
			return fmt.Errorf("it has taken %s: %w", a.Sent, err)
		}
	}
	if a.Status == http.StatusTooManyRequests && a.Header.Get("Retry-After") == "" {
		return fmt.Errorf("429 without a Retry-After")
	}
	if a.Method == http.MethodHead {
		return nil
	}
	return c.checkBody(a, op.at+"/responses/"+strconv.Itoa(a.Status)+"/content/", inner(answer, "content"))
}

func (c *Checker) checkBody(a Answer, at string, content map[string]any) error {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if len(content) == 0 {
		if len(a.Body) > 0 {
			return fmt.Errorf("%d with a body, which is not described: %s", a.Status, a.Body)
		}
		return nil
	}
	if a.Status == http.StatusRequestHeaderFieldsTooLarge && kind == "text/html" {
		return nil // a page, for people whose browser has opened the address
	}
	if content[kind] == nil {
		return fmt.Errorf("%d with %q is not described; there are %v", a.Status, kind, slices.Sorted(maps.Keys(content)))
	}
	if !strings.HasSuffix(kind, "json") {
		return nil
	}
	if err := c.fits(at+escaped(kind)+"/schema", a.Body); err != nil {
		return fmt.Errorf("%d %s: %w", a.Status, a.Body, err)
	}
	return nil
}

// checkElsewhere holds an answer at an address or of a method that does not exist against
// what is said of all.
func (c *Checker) checkElsewhere(a Answer, path string) error {
	switch a.Status {
	case http.StatusMethodNotAllowed:
		if path == "" || a.Header.Get("Allow") == "" {
			return fmt.Errorf("405, allowed %q", a.Header.Get("Allow"))
		}
	case http.StatusNotFound:
		if path != "" {
			return fmt.Errorf("404 at an address that there is")
		}
	case http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge:
	default:
		return fmt.Errorf("%d at an address that is not described", a.Status)
	}
	if a.Header.Get("Content-Type") != problemType {
		return nil // a page, or an answer to HEAD
	}
	return c.fits("/components/schemas/Problem", a.Body)
}

// match is the path of the description that an address has, if possible one with the method;
// empty where there is none.
func (c *Checker) match(address, method string) (found string) {
	steps := strings.Split(address, "/")
	for path := range c.paths {
		pattern := strings.Split(path, "/")
		if len(pattern) != len(steps) || !same(pattern, steps) {
			continue
		}
		_, has := c.paths[path][method]
		if found == "" || has && path == address {
			found = path
		}
		if _, had := c.paths[found][method]; has && !had {
			found = path
		}
	}
	return found
}

func same(pattern, steps []string) bool {
	for i, step := range pattern {
		if step != steps[i] && !(strings.HasPrefix(step, "{") && steps[i] != "") {
			return false
		}
	}
	return true
}

// fits holds a JSON text against the schema at a pointer.
func (c *Checker) fits(pointer string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	schema := c.compiled[pointer]
	if schema == nil {
		if schema, err = c.compiler.Compile(resource + "#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer)); err != nil {
			return fmt.Errorf("the description: %w", err)
		}
		c.compiled[pointer] = schema
	}
	return schema.Validate(value)
}

// Seen reports whether an operation, such as "GET /api/approvals/{id}", has answered with a status.
func (c *Checker) Seen(operation string, status int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[operation+" "+strconv.Itoa(status)]
}

// Misfits are the answers so far that are not described.
func (c *Checker) Misfits() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.misfits)
}

// Transport has every answer checked. An answer that is not described is an error of the
// request, and one of Misfits.
func (c *Checker) Transport(next http.RoundTripper) http.RoundTripper {
	return transport{c, next}
}

type transport struct {
	checker *Checker
	next    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a := Answer{Method: r.Method, Path: r.URL.EscapedPath()}
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			a.Sent, _ = io.ReadAll(body)
		}
	}
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols {
		return response, err
	}
	a.Status, a.Header = response.StatusCode, response.Header
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		a.Body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(a.Body), failing{err}))
		if err != nil {
			return response, nil // broken off: who reads it is told
		}
	}
	if err := t.checker.Check(a); err != nil {
		err = fmt.Errorf("%s %s is not as it is described: %w", a.Method, a.Path, err)
		t.checker.mu.Lock()
		t.checker.misfits = append(t.checker.misfits, err.Error())
		t.checker.mu.Unlock()
		return nil, err
	}
	return response, nil
}

// failing is the end of a body.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
