package httpapi

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/internal/comments"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

const schemas = "#/components/schemas/"

// input ends the name of what is taken in another form than it is told in.
const input = "Input"

// dictionary has the schemas of what is taken, which is read strictly, and of what is
// told, which may grow.
type dictionary struct {
	huma.Registry // of what is told
	taken         huma.Registry
}

// newDictionary makes one in which a type that is both taken and told has two names.
func newDictionary(taken, told []reflect.Type) *dictionary {
	first := func(of []reflect.Type, by func(wordList) reflect.Type) map[string]*huma.Schema {
		r := newRegistry(by, schemaName)
		for _, t := range of {
			add(r, t)
		}
		return r.Map()
	}
	both, said := first(taken, wordList.asTaken), first(told, wordList.asTold)
	maps.DeleteFunc(both, func(name string, _ *huma.Schema) bool { return said[name] == nil })
	return &dictionary{
		Registry: newRegistry(wordList.asTold, schemaName),
		taken: newRegistry(wordList.asTaken, func(t reflect.Type, hint string) string {
			name := schemaName(t, hint)
			if _, told := both[name]; told {
				name += input
			}
			return name
		}),
	}
}

func newRegistry(by func(wordList) reflect.Type, name func(reflect.Type, string) string) huma.Registry {
	r := huma.NewMapRegistry(schemas, name)
	r.RegisterTypeAlias(reflect.TypeFor[tool.JSON](), reflect.TypeFor[any]())
	for view, of := range views {
		r.RegisterTypeAlias(view, of)
	}
	for _, l := range lists {
		r.RegisterTypeAlias(l.of, by(l))
	}
	return r
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

// told is the schema of what the gateway says.
func (d *dictionary) told(t reflect.Type) *huma.Schema { return add(d.Registry, t) }

// takes is the schema of what the gateway reads.
func (d *dictionary) takes(t reflect.Type) *huma.Schema { return add(d.taken, t) }

// add is a type's schema, also with what huma leaves out: the fields of embedded types that
// are not exported.
func add(r huma.Registry, t reflect.Type) *huma.Schema {
	ref := r.Schema(t, true, t.Name())
	schema := r.SchemaFromRef(ref.Ref)
	if schema == nil || t.Kind() != reflect.Struct {
		return ref
	}
	for _, f := range reflect.VisibleFields(t) {
		name, how, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || schema.Properties[name] != nil || shadowed(t, f) {
			continue
		}
		schema.Properties[name] = huma.SchemaFromField(r, f, name)
		if !strings.HasPrefix(how, "omit") {
			schema.Required = append(schema.Required, name)
		}
	}
	return ref
}

// bodies says of a route's bodies what they are, where their types don't.
func (d *dictionary) bodies(r Route) {
	if r.In != nil {
		schema := d.taken.SchemaFromRef(d.takes(r.In).Ref)
		schema.Description = cmp.Or(schema.Description, "What "+r.Pattern+" takes.")
	}
	if r.Out != nil {
		schema := d.SchemaFromRef(d.told(r.Out).Ref)
		schema.Description = cmp.Or(schema.Description, "What "+r.Pattern+" answers.")
	}
}

// Map is all schemas by their names; it implements huma.Registry.
func (d *dictionary) Map() map[string]*huma.Schema {
	all := maps.Clone(d.Registry.Map())
	maps.Copy(all, d.taken.Map())
	return all
}

// MarshalJSON implements json.Marshaler.
func (d *dictionary) MarshalJSON() ([]byte, error) { return marshal(d.Map()) }

// finish says of all schemas what their types alone don't tell.
func (d *dictionary) finish() {
	for _, r := range []huma.Registry{d.Registry, d.taken} {
		for name, schema := range r.Map() {
			neverNull(schema)
			describeFields(schema, r.TypeFromRef(schemas+name))
			if r == d.Registry && schema.AdditionalProperties == false {
				schema.AdditionalProperties = nil
			}
		}
	}
}

// neverNull takes null from a schema: an empty list is written as [], and anything else
// that does not exist is left out.
func neverNull(schema *huma.Schema) {
	if schema == nil {
		return
	}
	schema.Nullable = false
	neverNull(schema.Items)
	for _, of := range schema.Properties {
		neverNull(of)
	}
	if of, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		neverNull(of)
	}
}

// describeFields gives a schema and its properties the words of the type's doc comments.
// A property without a comment of its own has that of its type.
func describeFields(schema *huma.Schema, t reflect.Type) {
	schema.Description = cmp.Or(comments.Of(t).Text, schema.Description)
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		property, there := schema.Properties[name]
		if !there || !f.IsExported() {
			continue
		}
		owner := t
		for _, i := range f.Index[:len(f.Index)-1] {
			if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
		}
		own := comments.Of(owner).Fields[f.Name]
		if own == "" && property.Ref == "" {
			own = cmp.Or(comments.Of(f.Type).Text, ofARequest(name))
		}
		if !shadowed(t, f) {
			property.Description = own
		}
	}
}

// ofARequest is what is said of a request's own field, where others name the same thing.
func ofARequest(name string) string {
	t := reflect.TypeFor[approval.Request]()
	for _, f := range reflect.VisibleFields(t) {
		if given, _, _ := strings.Cut(f.Tag.Get("json"), ","); given == name && slices.Contains(shared, name) {
			return comments.Of(t).Fields[f.Name]
		}
	}
	return ""
}

// shared are names that mean the same everywhere.
var shared = []string{
	"agentId", "approvalId", "args", "argsDigest", "expiresAt", "metadata", "requestedAt", "schema", "sessionId", "toolCallId", "toolName", "workingDirectory",
}

// shadowed reports whether a field stands behind another one of the same name.
func shadowed(t reflect.Type, f reflect.StructField) bool {
	front, ok := t.FieldByName(f.Name)
	return !ok || !slices.Equal(front.Index, f.Index)
}

func (l wordList) asTold() reflect.Type  { return l.told }
func (l wordList) asTaken() reflect.Type { return l.taken }
