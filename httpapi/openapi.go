package httpapi

import (
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

// pathWord matches a word of a path.
var pathWord = regexp.MustCompile(`[A-Za-z0-9]+`)

// pathParameter matches a parameter in a path.
var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// OpenAPI describes the API (OpenAPI 3.1). It is made from the routes and the
// types of their bodies, which are what is decoded and written. Other types can be
// described in it too.
func (s *Server) OpenAPI(also ...reflect.Type) *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[tool.JSON](), reflect.TypeFor[any]())
	for view, of := range views {
		registry.RegisterTypeAlias(view, of)
	}
	for _, l := range lists {
		registry.RegisterTypeAlias(l.of, l.as)
	}
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Lineclear", Version: "1",
			Description: "An approval gateway for AI agents. What a browser changes needs an Origin header equal to " +
				"one of the gateway's own; a program with a token needs none. Bodies are read strictly: an unknown or duplicate name is an error.",
		},
		Paths: map[string]*huma.PathItem{},
		Components: &huma.Components{
			Schemas: registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer"},
				"login": {Type: "apiKey", In: "cookie", Name: plainCookie},
			},
		},
		Security: []map[string][]string{{"token": {}}, {"login": {}}},
	}
	for _, r := range s.Routes() {
		if !r.Hidden {
			doc.AddOperation(r.operation(registry))
		}
	}
	for _, t := range also {
		registry.Schema(t, true, t.Name())
	}
	for _, schema := range registry.Map() {
		neverNull(schema)
	}
	return doc
}

// views are described as what they show.
var views = map[reflect.Type]reflect.Type{
	reflect.TypeFor[door.Request]():   reflect.TypeFor[approval.Request](),
	reflect.TypeFor[door.Revealed]():  reflect.TypeFor[approval.Request](),
	reflect.TypeFor[door.Response]():  reflect.TypeFor[approval.Response](),
	reflect.TypeFor[door.Grant]():     reflect.TypeFor[approval.Grant](),
	reflect.TypeFor[door.Session]():   reflect.TypeFor[session.Session](),
	reflect.TypeFor[door.Event]():     reflect.TypeFor[session.Event](),
	reflect.TypeFor[door.OwnAnswer](): reflect.TypeFor[door.Approval](),
}

// neverNull takes null from what is said of lists: an empty one is written as [].
func neverNull(schema *huma.Schema) {
	if schema == nil {
		return
	}
	if schema.Type == huma.TypeArray {
		schema.Nullable = false
	}
	neverNull(schema.Items)
	for _, of := range schema.Properties {
		neverNull(of)
	}
	if of, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		neverNull(of)
	}
}

// schemaName is a type's name; those of chat messages and of the WebSocket's frames
// are told apart from the journal's.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if strings.HasSuffix(t.PkgPath(), "/transcript") {
		return "Chat" + name
	}
	if strings.HasSuffix(t.PkgPath(), "/wsapprover") {
		return "Frame" + name
	}
	return name
}

func (r Route) operation(registry huma.Registry) *huma.Operation {
	method, path, _ := strings.Cut(r.Pattern, " ")
	op := &huma.Operation{
		Method: method, Path: path, OperationID: operationID(method, path), Summary: r.Summary,
		Responses: map[string]*huma.Response{},
	}
	if r.Right == open {
		op.Security = []map[string][]string{{}}
	}
	for _, m := range pathParameter.FindAllStringSubmatch(path, -1) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
	for _, p := range r.Params {
		op.Parameters = append(op.Parameters, p.describe())
	}
	if r.In != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: jsonOf(registry, jsonType, r.In)}
	}
	done := &huma.Response{Description: http.StatusText(r.Status)}
	switch {
	case r.Out != nil:
		done.Content = jsonOf(registry, jsonType, r.Out)
	case path == "/api/events":
		done.Content = map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}
	case path == "/metrics":
		done.Content = map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}
	case path == "/openapi.json":
		done.Content = map[string]*huma.MediaType{jsonType: {Schema: &huma.Schema{Type: huma.TypeObject}}}
	}
	op.Responses[strconv.Itoa(r.Status)] = done
	op.Responses["default"] = &huma.Response{
		Description: "What went wrong, as RFC 9457 has it.", Content: jsonOf(registry, problemType, reflect.TypeFor[problem]()),
	}
	return op
}

func (p Param) describe() *huma.Param {
	d := &huma.Param{Name: p.Name, In: "query", Description: p.What, Schema: &huma.Schema{Type: huma.TypeString}}
	if p.header() {
		d.In = "header"
	}
	switch p.Kind {
	case reflect.Int64:
		d.Schema.Type = huma.TypeInteger
	case reflect.Bool:
		d.Schema.Type = huma.TypeBoolean
	default:
	}
	return d
}

func jsonOf(registry huma.Registry, contentType string, t reflect.Type) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{contentType: {Schema: registry.Schema(t, true, t.Name())}}
}

// operationID is a name for generated clients, such as postApprovalsByIdClaim.
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

func (s *Server) describe(c *call) error {
	raw, err := s.OpenAPI().MarshalJSON()
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", jsonType)
	_, _ = c.w.Write(raw) // who has gone away needs no answer
	return nil
}
