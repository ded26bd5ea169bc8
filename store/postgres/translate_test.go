package postgres

import "testing"

func TestAQueryIsTranslated(t *testing.T) {
	for name, c := range map[string]struct{ query, want string }{
		"nothing to translate": {"SELECT 1", "SELECT 1"},
		"parameters":           {"SELECT a FROM t WHERE b = ? AND c < ?", "SELECT a FROM t WHERE b = $1 AND c < $2"},
		"one at the end":       {"DELETE FROM t WHERE a = ?", "DELETE FROM t WHERE a = $1"},
		"numbered ones":        {"SELECT ?1, a FROM t WHERE b = ?2 AND c = ?1", "SELECT $1, a FROM t WHERE b = $2 AND c = $1"},
		"a list":               {"a IN (SELECT value FROM json_each(?)) LIMIT ?", "a IN (SELECT value FROM json_array_elements_text(CAST($1 AS json))) LIMIT $2"},
		"a part of a text":     {"instr(h.words, ?) > 0", "strpos(h.words, $1) > 0"},
		"an order of joins":    {"a CROSS JOIN b ON b.id = a.id", "a JOIN b ON b.id = a.id"},
		"an index by name":     {"history AS h INDEXED BY history_agent WHERE true", "history AS h WHERE true"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := translated(c.query); got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}
