package postgres

import (
	"strconv"
	"strings"
	"sync"
)

// words replaces what SQLite spells differently.
var words = strings.NewReplacer(
	"json_each(?)", "json_array_elements_text(CAST(? AS json))",
	"instr(", "strpos(",
	" CROSS JOIN ", " JOIN ",
	" INDEXED BY history_agent", "",
)

// known has the queries that were translated. There are only a few hundred.
var known sync.Map

// translated translates a query from SQLite to Postgres.
func translated(query string) string {
	if there, ok := known.Load(query); ok {
		return there.(string)
	}
	text := numbered(words.Replace(query))
	known.Store(query, text)
	return text
}

// numbered numbers the parameters that have no number. No query has a question mark in a string.
func numbered(query string) string {
	parts := strings.Split(query, "?")
	var b strings.Builder
	b.WriteString(parts[0])
	for n, rest := range parts[1:] {
		b.WriteByte('$')
		if rest == "" || rest[0] < '1' || rest[0] > '9' {
			b.WriteString(strconv.Itoa(n + 1))
		}
		b.WriteString(rest)
	}
	return b.String()
}
