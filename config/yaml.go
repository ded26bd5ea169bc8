package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/google/jsonschema-go/jsonschema"
)

// document is a file as it was read: its values, and where each stands.
type document struct {
	root   any
	places map[string]place
	keys   map[string][]string // of each mapping, in the file's order
	spoilt map[string]bool     // values with a fault, about which nothing more is said
}

// place is where a value and its key stand.
type place struct {
	key, value position
	written    string // the text in the file, where variables were put in
}

// id names a place in the maps of a document.
func id(at []string) string { return strings.Join(at, "\x00") }

// keyAt is where the key of a value stands; in a list it is the value.
func (d *document) keyAt(at ...string) position { return d.places[id(at)].key }

func (d *document) valueAt(at ...string) position { return d.places[id(at)].value }

// nearest is where the value at a place stands, or, if it is not in the file,
// what is around it.
func (d *document) nearest(at []string) position {
	for n := len(at); n > 0; n-- {
		if p, ok := d.places[id(at[:n])]; ok {
			return p.value
		}
	}
	return d.places[id(nil)].value
}

// spoil notes that a value can't be used.
func (d *document) spoil(at []string) { d.spoilt[id(at)] = true }

// sound checks a document against a schema and turns what is not spoilt into
// the schema's type.
func sound[T any](d *document, found *faultList, schema func() (*jsonschema.Schema, error)) (T, error) {
	var f T
	described, err := schema()
	if err != nil {
		return f, err
	}
	if err := checkStructure(d, found, described); err != nil {
		return f, err
	}
	data, err := json.Marshal(d.sound(d.root, nil))
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return f, fmt.Errorf("config: decode: %w", err)
	}
	return f, nil
}

// sound is a value without its spoilt parts.
func (d *document) sound(v any, at []string) any {
	if d.spoilt[id(at)] {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, value := range v {
			if inner := append(at[:len(at):len(at)], name); !d.spoilt[id(inner)] {
				m[name] = d.sound(value, inner)
			}
		}
		return m
	case []any:
		list := []any{}
		for i, value := range v {
			list = append(list, d.sound(value, append(at[:len(at):len(at)], strconv.Itoa(i))))
		}
		return list
	default:
		return v
	}
}

// reader turns the parsed YAML into a document.
type reader struct {
	doc   *document
	found *faultList
	env   func(string) (string, bool)
}

// readYAML returns nil when there is nothing to go on with. Without env, ${NAME} stays
// as it is written.
func readYAML(data []byte, env func(string) (string, bool), found *faultList) (doc *document) {
	defer func() {
		// The YAML library panics on some input that is not YAML.
		if r := recover(); r != nil {
			found.add(position{}, "not readable as YAML: %v", r)
			doc = nil
		}
	}()
	parsed, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		found.syntax(err)
		return nil
	}
	var body ast.Node
	for _, d := range parsed.Docs {
		switch {
		case d.Body == nil || d.Body.Type() == ast.DirectiveType:
		case body != nil:
			found.add(startOf(d.Body), "a second document begins here: the file is one document, without ---")
			return nil
		default:
			body = d.Body
		}
	}
	if body == nil {
		found.add(position{}, "the file is empty: it needs at least agents")
		return nil
	}
	doc = &document{places: map[string]place{}, keys: map[string][]string{}, spoilt: map[string]bool{}}
	r := reader{doc: doc, found: found, env: env}
	doc.places[id(nil)] = place{key: startOf(body), value: startOf(body)}
	doc.root = r.value(body, nil)
	return doc
}

func (f *faultList) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		f.add(position{}, "not readable as YAML: %v", err)
		return
	}
	at := e.GetToken().Position
	hint := ""
	if e.GetMessage() == "unexpected scalar value type" { // how the library says that a name is missing
		hint = "; put quotes around a text that begins with * or &"
	}
	f.add(position{at.Line, at.Column}, "not readable as YAML: %s%s", e.GetMessage(), hint)
}

func (r *reader) value(n ast.Node, at []string) any {
	switch v := n.(type) {
	case *ast.MappingNode:
		return r.mapping(v.Values, at)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{v}, at)
	case *ast.SequenceNode:
		return r.list(v.Values, at)
	case *ast.StringNode:
		return r.text(v.Value, at)
	case *ast.LiteralNode:
		return r.text(v.Value.Value, at)
	case *ast.IntegerNode:
		return v.Value
	case *ast.FloatNode:
		return v.Value
	case *ast.BoolNode:
		return v.Value
	case *ast.NullNode:
		return nil
	case *ast.AliasNode, *ast.AnchorNode:
		r.refuse(n, at, "anchors (&) and aliases (*) can't be used here; put quotes around a text that begins so")
	case *ast.TagNode:
		r.refuse(n, at, "tags (!) can't be used here; put quotes around a text that begins so")
	default:
		r.refuse(n, at, "a %s can't be used here", strings.ToLower(n.Type().String()))
	}
	return nil
}

func (r *reader) refuse(n ast.Node, at []string, format string, args ...any) {
	r.found.add(startOf(n), format, args...)
	r.doc.spoil(at)
}

func (r *reader) mapping(values []*ast.MappingValueNode, at []string) any {
	m := map[string]any{}
	for _, v := range values {
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			r.found.add(startOf(v.Key), "a key has to be a text; put quotes around it, as in \"1\": …")
			continue
		}
		inner := append(at[:len(at):len(at)], key.Value)
		if _, twice := m[key.Value]; twice {
			first := r.doc.keyAt(inner...)
			r.found.add(startOf(key), "%s is given twice; first in line %d", words(inner), first.line)
			continue
		}
		p := place{key: startOf(key), value: startOf(v.Value)}
		if v.Value.Type() == ast.NullType {
			p.value = p.key // there may be nothing to point at
		}
		r.doc.places[id(inner)] = p
		r.doc.keys[id(at)] = append(r.doc.keys[id(at)], key.Value)
		m[key.Value] = r.value(v.Value, inner)
	}
	return m
}

func (r *reader) list(values []ast.Node, at []string) any {
	list := []any{}
	for i, v := range values {
		inner := append(at[:len(at):len(at)], strconv.Itoa(i))
		r.doc.places[id(inner)] = place{key: startOf(v), value: startOf(v)}
		list = append(list, r.value(v, inner))
	}
	return list
}

// text puts environment variables in, where the file may name them.
func (r *reader) text(written string, at []string) any {
	if r.env == nil {
		return written
	}
	value, err := expand(written, r.env)
	if err != nil {
		r.found.add(r.doc.valueAt(at...), "%s: %v", words(at), err)
		r.doc.spoil(at)
		return written
	}
	if value != written {
		p := r.doc.places[id(at)]
		p.written = written
		r.doc.places[id(at)] = p
	}
	return value
}

// startOf is where a person sees a node begin; the library's own place of a
// mapping is its first colon.
func startOf(n ast.Node) position {
	switch v := n.(type) {
	case nil:
		return position{}
	case *ast.MappingNode:
		if len(v.Values) > 0 && !v.IsFlowStyle {
			return startOf(v.Values[0])
		}
	case *ast.MappingValueNode:
		return startOf(v.Key)
	}
	at := n.GetToken().Position
	return position{at.Line, at.Column}
}

// words writes a place as people do: agents.demo.tools.
func words(at []string) string {
	var b strings.Builder
	for i, name := range at {
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			b.WriteString("[" + name + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}
