package postgres

import (
	"strconv"
	"strings"
	"sync"
)

// words are those of SQLite that have another name here.
var words = strings.NewReplacer(
	"json_each(?)", "json_array_elements_text(CAST(? AS json))",
	"instr(", "strpos(",
	" CROSS JOIN ", " JOIN ",
	" INDEXED BY history_agent", "",
)

// known are the queries that have been translated. There are only a few hundred.
var known sync.Map

// translated is a query of a store, which is written for SQLite, as Postgres understands it.
func translated(query string) string {
	if there, ok := known.Load(query); ok {
		return there.(string)
	}
	text := numbered(words.Replace(query))
	known.Store(query, text)
	return text
}

// numbered gives each parameter its number, where it has none. No query has a question mark in a text.
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
