package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse reads a script from YAML. An unknown or repeated name and a wrong type
// are errors, as is all that Check finds; each says in which line and column.
func Parse(data []byte) (s Script, err error) {
	defer func() {
		// The YAML library panics on some input that is not YAML.
		if r := recover(); r != nil {
			s, err = Script{}, fmt.Errorf("scripted: not readable as YAML: %v", r)
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return Script{}, placed(err)
	}
	if err := plain(file); err != nil {
		return Script{}, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(&s); err != nil {
		return Script{}, placed(err)
	}
	if len(s.Steps) == 0 {
		return Script{}, errors.New("scripted: the script has no steps: begin with \"steps:\" and a list")
	}
	if err := s.Check(); err != nil {
		return Script{}, found(file, err)
	}
	return s, nil
}

// placed puts the line and column of the library's errors in front.
func placed(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		return fmt.Errorf("scripted: %w", err)
	}
	at := e.GetToken().Position
	return fmt.Errorf("scripted: line %d, column %d: %s", at.Line, at.Column, e.GetMessage())
}

// plain refuses what a script has no use for and what can grow without limit
// when it is read: several documents, anchors and aliases.
func plain(file *ast.File) error {
	docs := slices.DeleteFunc(slices.Clone(file.Docs), func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(docs) == 0 {
		return errors.New("scripted: the script is empty: begin with \"steps:\" and a list")
	}
	if len(docs) > 1 {
		at := start(docs[1].Body).GetToken().Position
		return fmt.Errorf("scripted: line %d, column %d: a script is one document", at.Line, at.Column)
	}
	v := &aliasFinder{}
	ast.Walk(v, docs[0].Body)
	return v.err
}

type aliasFinder struct{ err error }

// Visit implements ast.Visitor.
func (v *aliasFinder) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		if v.err != nil {
			return nil
		}
		at := n.GetToken().Position
		v.err = fmt.Errorf("scripted: line %d, column %d: anchors and aliases can't be used in a script", at.Line, at.Column)
		return nil
	}
	return v
}

// found gives the places of Check's faults in the file.
func found(file *ast.File, err error) error {
	var faults []error
	var each func(error)
	each = func(err error) {
		var fault *scriptError
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				each(e)
			}
		} else if errors.As(err, &fault) {
			faults = append(faults, fault.in(file))
		}
	}
	each(err)
	return errors.Join(faults...)
}

func (e *scriptError) in(file *ast.File) error {
	path, err := yaml.PathString(e.at)
	if err != nil {
		return e
	}
	node, err := path.FilterFile(file)
	if err != nil {
		return e
	}
	at := start(node).GetToken().Position
	return fmt.Errorf("scripted: line %d, column %d: %s: %s", at.Line, at.Column, strings.TrimPrefix(e.at, "$."), e.text)
}

// start is where a person sees a node begin; the token of a mapping is its
// first colon.
func start(n ast.Node) ast.Node {
	switch v := n.(type) {
	case *ast.MappingNode:
		if len(v.Values) > 0 && !v.IsFlowStyle {
			return start(v.Values[0])
		}
	case *ast.MappingValueNode:
		return v.Key
	}
	return n
}
