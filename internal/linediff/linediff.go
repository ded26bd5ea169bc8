// Package linediff compares two texts line by line, as diff -u does.
//
// # What it promises
//
//   - The fewest lines removed and added, for changes of a few thousand lines and for
//     most larger ones. Where finding the fewest would take too long, it returns more.
//   - Time and memory are bounded by the length of the texts, whatever they contain.
//   - The same texts give the same diff.
//
// # How to use it
//
// Unified gives the hunks as text, and counts what they add and remove.
package linediff

import "strings"

// maxLines is how many lines are compared at most. A longer text counts as replaced
// from the first line that differs to the last.
const maxLines = 1 << 18

// edit replaces the lines a0 to a1 of a text by the lines b0 to b1 of another.
type edit struct{ a0, a1, b0, b1 int }

// edits returns the edits that turn before into after, in order and not adjacent.
func edits(before, after string) []edit {
	head := commonHead(before, after)
	a, b := before[head:], after[head:]
	tail := commonTail(a, b)
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	at, countA, countB := countLines(before[:head]), countLines(a), countLines(b)
	if countA == 0 && countB == 0 {
		return nil
	}
	if countA > maxLines || countB > maxLines {
		return []edit{{at, at + countA, at, at + countB}}
	}
	gone, come := compare(a, b, countA, countB)
	var all []edit
	for i, j := 0, 0; i < countA || j < countB; {
		if i < countA && j < countB && !gone[i] && !come[j] {
			i, j = i+1, j+1
			continue
		}
		e := edit{a0: at + i, b0: at + j}
		for i < countA && gone[i] {
			i++
		}
		for j < countB && come[j] {
			j++
		}
		e.a1, e.b1 = at+i, at+j
		all = append(all, e)
	}
	return all
}

// commonHead returns how many bytes both texts begin with, up to the end of a line.
func commonHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	return strings.LastIndexByte(a[:n], '\n') + 1
}

// commonTail returns how many bytes both texts end with, from the beginning of a line.
func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	tail := a[len(a)-n:]
	first := strings.IndexByte(tail, '\n') + 1
	if first == 0 {
		return 0
	}
	return n - first
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++ // the last line has no newline
	}
	return n
}
