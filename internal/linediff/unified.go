package linediff

import (
	"fmt"
	"strings"
)

// Diff is a unified diff.
type Diff struct {
	Text    string // empty if the texts are the same
	Lines   int    // how many lines it has, with those that were cut off
	Omitted int    // how many lines were cut off
	Added   int    // how many lines the whole diff adds
	Removed int    // how many lines the whole diff removes
}

// Unified compares two texts of a file. It shows context unchanged lines around each
// change, and cuts the diff off at the end of a line, so that it has at most limit bytes.
func Unified(name, before, after string, context, limit int) Diff {
	w := &writer{limit: limit}
	all := edits(before, after)
	if len(all) == 0 {
		return w.Diff
	}
	w.line("--- " + name + "\n")
	w.line("+++ " + name + "\n")
	a, b := &cursor{rest: before}, &cursor{rest: after}
	count := countLines(before)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].a0-all[n-1].a1 <= 2*context {
			n++
		}
		w.hunk(a, b, all[:n], context, count)
		all = all[n:]
	}
	w.Text = w.text.String()
	return w.Diff
}

type writer struct {
	Diff
	text  strings.Builder
	limit int
}

// hunk writes neighbouring edits with the lines around them.
func (w *writer) hunk(a, b *cursor, edits []edit, context, count int) {
	first, last := edits[0], edits[len(edits)-1]
	above := min(context, first.a0)
	below := min(context, count-last.a1)
	w.line("@@ -" + span(first.a0-above, last.a1+below) + " +" + span(first.b0-above, last.b1+below) + " @@\n")
	a.skipTo(first.a0 - above)
	for _, e := range edits {
		w.same(a, e.a0-a.at)
		b.skipTo(e.b0)
		for a.at < e.a1 {
			w.signed("-", a.next())
			w.Removed++
		}
		for b.at < e.b1 {
			w.signed("+", b.next())
			w.Added++
		}
	}
	w.same(a, below)
}

func (w *writer) same(a *cursor, lines int) {
	for range lines {
		w.signed(" ", a.next())
	}
}

// span formats lines for a hunk's header: the number of the first one, and how many.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
}

func (w *writer) signed(sign, line string) {
	if strings.HasSuffix(line, "\n") {
		w.line(sign + line)
		return
	}
	w.line(sign + line + "\n")
	w.line("\\ No newline at end of file\n")
}

func (w *writer) line(text string) {
	w.Lines++
	if w.Omitted > 0 || w.text.Len()+len(text) > w.limit {
		w.Omitted++
		return
	}
	w.text.WriteString(text)
}

// cursor iterates over the lines of a text.
type cursor struct {
	rest string
	at   int // the number of the next line, from 0
}

func (c *cursor) next() string {
	end := strings.IndexByte(c.rest, '\n') + 1
	if end == 0 {
		end = len(c.rest)
	}
	line := c.rest[:end]
	c.rest, c.at = c.rest[end:], c.at+1
	return line
}

func (c *cursor) skipTo(line int) {
	for c.at < line {
		c.next()
	}
}
