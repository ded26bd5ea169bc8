package policy

import (
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/lineclear/lineclear/tool"
)

// argPath leads to a value in a call's arguments. Through a list it leads to
// every element, except where a step is an element's number.
type argPath []string

// CheckArguments yields what is wrong with declared arguments, and where, such as
// [reads 0].
func CheckArguments(a tool.Arguments) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for name, list := range map[string][]string{"reads": a.Reads, "writes": a.Writes, "urls": a.URLs, "patches": a.Patches} {
			for i, path := range list {
				if _, err := readArgPath(path); err != nil && !yield([]string{name, strconv.Itoa(i)}, err) {
					return
				}
			}
		}
	}
}

// readArgPath reads dotted names, or a JSON Pointer (RFC 6901).
func readArgPath(text string) (argPath, error) {
	if pointer, ok := strings.CutPrefix(text, "/"); ok {
		path := argPath(strings.Split(pointer, "/"))
		for i, step := range path {
			if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(step), "~") {
				return nil, errors.New("in a JSON Pointer ~ is written ~0 and / is written ~1")
			}
			path[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		}
		return path, nil
	}
	path := argPath(strings.Split(text, "."))
	for _, step := range path {
		if step == "" {
			return nil, errors.New("an empty name: write options.force, or a JSON Pointer such as /options/force")
		}
	}
	return path, nil
}

// find collects the values at the path. missing says that somewhere on the way
// there was none.
func (p argPath) find(value any) (found []any, missing bool) {
	if len(p) == 0 {
		return []any{value}, false
	}
	switch v := value.(type) {
	case map[string]any:
		inner, ok := v[p[0]]
		if !ok {
			return nil, true
		}
		return p[1:].find(inner)
	case []any:
		if i, err := strconv.Atoi(p[0]); err == nil {
			if i < 0 || i >= len(v) {
				return nil, true
			}
			return p[1:].find(v[i])
		}
		for _, element := range v {
			f, m := p.find(element)
			found, missing = append(found, f...), missing || m
		}
		return found, missing || len(v) == 0
	default:
		return nil, true
	}
}
