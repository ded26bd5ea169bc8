package config

import (
	"fmt"
	"strings"
)

// expand puts environment variables into a text. What a variable holds is not
// expanded again.
func expand(text string, env func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		if !found {
			b.WriteString(text)
			return b.String(), nil
		}
		if literal, ok := strings.CutSuffix(before, "$"); ok {
			b.WriteString(literal + "${")
			text = rest
			continue
		}
		b.WriteString(before)
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("${%s is never closed: write ${NAME}, or $${ for the text ${", rest)
		}
		value, err := lookup(inner, env)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		text = after
	}
}

// lookup reads NAME or NAME:-default, which also holds for a variable that is
// set to nothing, as in a shell.
func lookup(inner string, env func(string) (string, bool)) (string, error) {
	name, fallback, hasFallback := strings.Cut(inner, ":-")
	if !isVariable(name) {
		return "", fmt.Errorf("${%s} names no environment variable: write ${NAME} or ${NAME:-default}, or $${ for the text ${", inner)
	}
	value, set := env(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !set:
		return "", fmt.Errorf("the environment variable %s is not set: set it, or write ${%s:-default}", name, name)
	default:
		return value, nil
	}
}

func isVariable(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
