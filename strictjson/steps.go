package strictjson

import (
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxSchema is how long a schema may be, in bytes.
const MaxSchema = 256 << 10

// maxSteps is how many steps it may take to check a value; a longer value has a
// few more for each of its bytes. Steps are schemas that are applied to a part
// of the value, and what they compare it with.
const (
	maxSteps     = 100_000
	stepsPerByte = 4
)

// ErrTooManySteps is returned for a schema that fans out, such as by references
// of which each leads to two others, and for a value that it fans out on.
var ErrTooManySteps = errors.New("the schema takes too many steps to check a value: make it simpler")

var (
	errCircle  = errors.New("the schema leads back to itself without going into the value")
	errDynamic = errors.New("references that depend on where they come from ($dynamicRef, $recursiveRef) are not followed")
)

// steps counts what checking a value takes before it is done, so that it can be
// refused. The library has no limit of its own, and a schema of a few kilobytes
// can keep it busy for ever. It is counted as if nothing were skipped. What is
// known of a schema at a part of the value is counted once, so that counting is
// quick where checking would not be.
type steps struct {
	limit int
	pairs int // of a schema and a part of the value
}

// part is a part of a value.
type part struct {
	value   any
	members map[string]*part
	items   []*part
	taken   map[*jsonschema.Schema]int // steps by schema; counting: they are being counted
}

// counting stands for a number that is not known yet.
const counting = -1

func newPart(value any) *part {
	return &part{value: value, taken: map[*jsonschema.Schema]int{}}
}

func (p *part) member(name string, value any) *part {
	if p.members == nil {
		p.members = map[string]*part{}
	}
	if p.members[name] == nil {
		p.members[name] = newPart(value)
	}
	return p.members[name]
}

func (p *part) item(i int, all []any) *part {
	if p.items == nil {
		p.items = make([]*part, len(all))
	}
	if p.items[i] == nil {
		p.items[i] = newPart(all[i])
	}
	return p.items[i]
}

// of counts the steps of a schema at a part of the value.
func (c *steps) of(s *jsonschema.Schema, p *part) (int, error) {
	if s.Bool != nil {
		return 1, nil
	}
	if known, ok := p.taken[s]; ok {
		if known == counting {
			return 0, errCircle
		}
		return known, nil
	}
	if c.pairs++; c.pairs > c.limit {
		return 0, ErrTooManySteps
	}
	p.taken[s] = counting
	total := 1
	add := func(s *jsonschema.Schema, p *part) error {
		n, err := c.of(s, p)
		if total += n; err == nil && total > c.limit {
			err = ErrTooManySteps
		}
		return err
	}
	if s.Enum != nil {
		total += len(s.Enum.Values)
	}
	here, err := inPlace(s)
	if err != nil {
		return 0, err
	}
	for _, each := range here {
		if err := add(each, p); err != nil {
			return 0, err
		}
	}
	switch v := p.value.(type) {
	case map[string]any:
		total += len(v)
		err = intoObject(s, p, v, add)
	case []any:
		total += len(v)
		err = intoArray(s, p, v, add)
	}
	if err != nil {
		return 0, err
	}
	if total > c.limit {
		return 0, ErrTooManySteps
	}
	p.taken[s] = total
	return total, nil
}

// inPlace are the schemas that are applied where a schema is.
func inPlace(s *jsonschema.Schema) ([]*jsonschema.Schema, error) {
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		return nil, errDynamic
	}
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else})
	for _, each := range s.DependentSchemas {
		all = append(all, each)
	}
	for _, each := range s.Dependencies {
		if dependent, ok := each.(*jsonschema.Schema); ok {
			all = append(all, dependent)
		}
	}
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil }), nil
}

func intoObject(s *jsonschema.Schema, p *part, object map[string]any, add func(*jsonschema.Schema, *part) error) error {
	for name, value := range object {
		into := []*jsonschema.Schema{s.Properties[name], s.UnevaluatedProperties}
		for _, each := range s.PatternProperties {
			into = append(into, each)
		}
		if additional, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && s.Properties[name] == nil {
			into = append(into, additional)
		}
		for _, each := range into {
			if each == nil {
				continue
			}
			if err := add(each, p.member(name, value)); err != nil {
				return err
			}
		}
		if s.PropertyNames == nil {
			continue
		}
		if err := add(s.PropertyNames, newPart(name)); err != nil {
			return err
		}
	}
	return nil
}

func intoArray(s *jsonschema.Schema, p *part, array []any, add func(*jsonschema.Schema, *part) error) error {
	first, _ := s.Items.([]*jsonschema.Schema)
	first = append(slices.Clip(first), s.PrefixItems...)
	each, _ := s.Items.(*jsonschema.Schema)
	rest, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i := range array {
		into := []*jsonschema.Schema{each, rest, s.Items2020, s.Contains, s.UnevaluatedItems}
		if i < len(first) {
			into = append(into, first[i])
		}
		for _, each := range into {
			if each == nil {
				continue
			}
			if err := add(each, p.item(i, array)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bounded reports what is wrong with a schema that fans out wherever it stands,
// so that it is refused before there is a value.
func bounded(s *jsonschema.Schema) error {
	c := &steps{limit: maxSteps}
	seen := map[*jsonschema.Schema]bool{}
	nothing := newPart(nil)
	for queue := []*jsonschema.Schema{s}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if s == nil || seen[s] || s.Bool != nil {
			continue
		}
		seen[s] = true
		c.pairs = 0
		if _, err := c.of(s, nothing); err != nil {
			return fmt.Errorf("%w (at %s)", err, placeOf(s))
		}
		here, err := inPlace(s)
		if err != nil {
			return err
		}
		queue = append(queue, here...)
		queue = append(queue, below(s)...)
	}
	return nil
}

// below are the schemas that a schema applies to parts of what it is applied to.
// Some may be nil.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	each, _ := s.Items.(*jsonschema.Schema)
	first, _ := s.Items.([]*jsonschema.Schema)
	rest, _ := s.AdditionalItems.(*jsonschema.Schema)
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	all := slices.Concat(first, s.PrefixItems, []*jsonschema.Schema{
		each, rest, additional, s.Items2020, s.Contains, s.UnevaluatedItems, s.UnevaluatedProperties, s.PropertyNames,
	})
	for _, p := range s.Properties {
		all = append(all, p)
	}
	for _, p := range s.PatternProperties {
		all = append(all, p)
	}
	return all
}
