package approval

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// Misleading lists what in a request is not what it looks like: words with letters that
// look like others, with their code points, and characters that are not seen, with how
// many there are. What is made of it stands in Request.Misleading.
func Misleading(r Request) []string {
	texts := []string{r.ToolName, r.AgentID, r.Message, r.WorkingDirectory, r.Preview.Diff, r.Origin.Client, r.Origin.Subject}
	texts = appendTexts(appendTexts(texts, r.Args), r.Schema)
	if r.Origin.Kind == OriginProgram { // an agent's context is recorded here, not reported by a program
		for _, said := range r.Context {
			texts = append(texts, said.Text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Metadata)) {
		texts = append(texts, name, r.Metadata[name])
	}
	all := strings.Join(texts, "\n")
	found := mask.Mixed(all)
	for _, c := range mask.HiddenIn(all) {
		found = append(found, fmt.Sprintf("invisible U+%04X (%d×)", c.Char, c.Count))
	}
	return found
}

// appendTexts appends every string and every key of a JSON value; of one that is not valid,
// the text itself.
func appendTexts(texts []string, value tool.JSON) []string {
	if len(value) == 0 {
		return texts
	}
	var read any
	if err := json.Unmarshal(value, &read); err != nil {
		return append(texts, string(value))
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				texts = append(texts, name)
				walk(v[name])
			}
		}
	}
	walk(read)
	return texts
}
