package strictjson_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/strictjson"
)

// doubling is a schema of which each of n definitions leads to the next twice.
func doubling(n int, top, twice string) string {
	var defs []string
	for i := range n {
		next := fmt.Sprintf(`{"$ref":"#/$defs/a%d"}`, i+1)
		defs = append(defs, fmt.Sprintf(`"a%d":`+twice, i, next, next))
	}
	defs = append(defs, fmt.Sprintf(`"a%d":{"type":"string"}`, n))
	return fmt.Sprintf(`{"$defs":{%s},%s}`, strings.Join(defs, ","), top)
}

func TestASchemaThatFansOutIsRefusedWhereverItDoes(t *testing.T) {
	atTop, below := `"$ref":"#/$defs/a0"`, `"properties":{"deep":{"items":{"$ref":"#/$defs/a0"}}}`
	for name, schema := range map[string]string{
		"all of":       doubling(40, atTop, `{"allOf":[%s,%s]}`),
		"any of":       doubling(40, atTop, `{"anyOf":[%s,%s]}`),
		"one of":       doubling(40, atTop, `{"oneOf":[%s,%s]}`),
		"not":          doubling(40, atTop, `{"not":%s,"allOf":[%s]}`),
		"if":           doubling(40, atTop, `{"if":%s,"then":%s}`),
		"dependent":    doubling(40, atTop, `{"dependentSchemas":{"x":%s,"y":%s}}`),
		"dependencies": doubling(40, atTop, `{"dependencies":{"x":%s,"y":%s}}`),
		"in a part":    doubling(40, below, `{"allOf":[%s,%s]}`),
		"names":        doubling(40, `"propertyNames":{"$ref":"#/$defs/a0"}`, `{"allOf":[%s,%s]}`),
		"older":        doubling(40, `"$schema":"http://json-schema.org/draft-07/schema#",`+below, `{"allOf":[%s,%s]}`),
	} {
		if _, err := strictjson.CompileSchema([]byte(schema)); !errors.Is(err, strictjson.ErrTooManySteps) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, err := strictjson.CompileSchema([]byte(doubling(8, atTop, `{"allOf":[%s,%s]}`)))
	if err != nil {
		t.Fatalf("a small one: %v", err)
	}
	if err := s.Check([]byte(`"x"`)); err != nil {
		t.Errorf("a small one: %v", err)
	}
}

func TestASchemaThatCanNotBeCountedOrIsTooLongIsRefused(t *testing.T) {
	for schema, want := range map[string]string{
		`{"$ref":"#"}`: "leads back to itself",
		`{"properties":{"a":{"allOf":[{"$ref":"#/properties/a"}]}}}`:                               "leads back to itself",
		`{"$dynamicAnchor":"m","properties":{"a":{"$dynamicRef":"#m"}}}`:                           "$dynamicRef",
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":{"$recursiveRef":"#"}}`: "$recursiveRef",
		`{"description":"` + strings.Repeat("x", strictjson.MaxSchema) + `"}`:                      "more than 262144",
	} {
		if _, err := strictjson.CompileSchema([]byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", schema, err, want)
		}
	}
}

func TestASchemaThatLeadsBackToItselfThroughTheValueIsTaken(t *testing.T) {
	s, err := strictjson.CompileSchema([]byte(`{"$defs":{"node":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}}}},"$ref":"#/$defs/node"}`))
	if err != nil {
		t.Fatal(err)
	}
	value := `{"n":1}`
	for range 20 {
		value = `{"n":1,"kids":[` + value + `,` + `{"n":2}]}`
	}
	if err := s.Check([]byte(value)); err != nil {
		t.Error(err)
	}
	if err := s.Check([]byte(`{"n":1,"kids":[{"n":"x"}]}`)); err == nil || !strings.Contains(err.Error(), "kids.0.n: got string, want integer") {
		t.Errorf("it says %v", err)
	}
}

func TestAValueThatASchemaFansOutOnIsRefused(t *testing.T) {
	s, err := strictjson.CompileSchema([]byte(`{"$defs":{"node":{"allOf":[{"properties":{"a":{"$ref":"#/$defs/node"}}},{"properties":{"a":{"$ref":"#/$defs/node"}}}]}},"$ref":"#/$defs/node"}`))
	if err != nil {
		t.Fatal(err)
	}
	deep := func(n int) []byte { return []byte(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)) }
	if err := s.Check(deep(5)); err != nil {
		t.Errorf("a flat value: %v", err)
	}
	if err := s.Check(deep(60)); !errors.Is(err, strictjson.ErrTooManySteps) {
		t.Errorf("a deep value: %v", err)
	}
}

func TestAValueWithManyFaultsIsToldSomeOfThem(t *testing.T) {
	s, err := strictjson.CompileSchema([]byte(`{"items":{"type":"string"}}`))
	if err != nil {
		t.Fatal(err)
	}
	long := "[" + strings.TrimSuffix(strings.Repeat("1,", 20_000), ",") + "]"
	if err := s.Check([]byte(long)); err == nil || !strings.HasSuffix(err.Error(), "; and 19950 more") {
		t.Errorf("it says %.100v", err)
	}
}

// Whatever compiles, Check comes back from: without a limit many of these would
// take longer than there is time.
func TestWhateverCompilesIsCheckedInABoundedNumberOfSteps(t *testing.T) {
	const defs = 12
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for i := range defs {
			parts = append(parts, fmt.Sprintf(`"d%d":%s`, i, drawSchema(t, defs, 2)))
		}
		schema := fmt.Sprintf(`{"$defs":{%s},"$ref":"#/$defs/d0"}`, strings.Join(parts, ","))
		s, err := strictjson.CompileSchema([]byte(schema))
		if err != nil {
			return
		}
		value := rapid.SampledFrom([]string{`{}`, `[]`, `"a"`, `1`}).Draw(t, "inmost")
		for range rapid.IntRange(0, 60).Draw(t, "depth") {
			value = fmt.Sprintf(rapid.SampledFrom([]string{`{"a":%s}`, `[%s]`, `{"a":1,"b":%s}`}).Draw(t, "around"), value)
		}
		if err := s.Check([]byte(value)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("it says %q", err)
		}
	})
}

func drawSchema(t *rapid.T, defs, depth int) string {
	ref := func() string { return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, rapid.IntRange(0, defs-1).Draw(t, "ref")) }
	if depth == 0 {
		return rapid.SampledFrom([]string{ref(), ref(), `{"type":"object"}`, `{"type":"integer"}`, `true`}).Draw(t, "leaf")
	}
	kinds := []string{
		`{"allOf":[%s,%s]}`, `{"anyOf":[%s,%s]}`, `{"oneOf":[%s,%s]}`, `{"not":%s,"if":%s}`, `{"properties":{"a":%s,"b":%s}}`,
		`{"items":%s,"contains":%s}`, `{"additionalProperties":%s,"propertyNames":%s}`, `{"patternProperties":{"a":%s,"^":%s}}`,
		`{"unevaluatedProperties":%s,"unevaluatedItems":%s}`, `{"prefixItems":[%s,%s]}`,
	}
	kind := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
	return fmt.Sprintf(kind, slices.Collect(func(yield func(any) bool) {
		_ = yield(drawSchema(t, defs, depth-1)) && yield(drawSchema(t, defs, depth-1))
	})...)
}
