package config

import (
	"fmt"
	"strconv"
)

// given quotes a value as it stands in the file. Where environment variables
// were put in, that is the text with their names: what they hold may be secret.
func (d *document) given(at []string) string {
	if written := d.places[id(at)].written; written != "" {
		return quoted(written) + " (with the environment's values)"
	}
	v := d.at(at)
	if text, ok := v.(string); ok {
		return quoted(text)
	}
	return fmt.Sprint(v)
}

// quoted shortens what is too long for a message, with a mark.
func quoted(text string) string {
	const most = 60
	if letters := []rune(text); len(letters) > most {
		return strconv.Quote(string(letters[:most])) + "…"
	}
	return strconv.Quote(text)
}

// found says of what kind a value is, and which.
func (d *document) found(at []string) string {
	switch d.at(at).(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return "the text " + d.given(at)
	case bool:
		return d.given(at)
	default:
		return "the number " + d.given(at)
	}
}

// at is the value at a place.
func (d *document) at(at []string) any {
	v := d.root
	for _, name := range at {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}
