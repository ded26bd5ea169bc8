package httpapi

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed docs.html
var docsTemplate string

// operationDoc is one operation as the page shows it.
type operationDoc struct {
	*huma.Operation
	In, Out string // schemas of the bodies, as JSON
}

// docs shows the API's description for people, without scripts.
func (s *Server) docs(c *call) error {
	c.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	return c.made(s.docsText, "text/html; charset=utf-8")
}

// docsPage writes the page.
func (s *Server) docsPage() ([]byte, error) {
	api, words := s.described()
	var shown []operationDoc
	for _, r := range s.Routes() {
		if r.Hidden {
			continue
		}
		op := operationDoc{Operation: r.operation(words)}
		if op.RequestBody != nil {
			op.In = schemaText(op.RequestBody.Content[jsonType].Schema)
		}
		if r.Out != nil {
			op.Out = schemaText(op.Responses[strconv.Itoa(r.Status)].Content[jsonType].Schema)
		}
		shown = append(shown, op)
	}
	texts := map[string]string{}
	for name, schema := range words.Map() {
		texts[name] = schemaText(schema)
	}
	page, err := template.New("docs").Parse(docsTemplate)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = page.Execute(&text, map[string]any{
		"Title": api.Info.Title, "Description": api.Info.Description, "Operations": shown, "Schemas": texts,
	})
	return text.Bytes(), err
}

// schemaText is a schema as JSON, or the name of the one that it refers to.
func schemaText(schema *huma.Schema) string {
	if schema.Ref != "" {
		return schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]
	}
	raw, err := schema.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	value := jsontext.Value(raw)
	if err := value.Format(jsontext.WithIndent("  ")); err != nil {
		return string(raw)
	}
	return string(value)
}
