package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// heredoc notes here-documents of which shells may see the end elsewhere than
// the parser. What is text to one would be commands to the other, so only the
// plain kind is trusted: a plain word that ends it, and a body that holds
// nothing that could be taken for its end.
func (w *walker) heredoc(rd *syntax.Redirect) {
	word := w.slice(rd.Word)
	end := strings.Trim(word, `'"`)
	bare := end == word
	if !plainEnd(end) || !bare && word != "'"+end+"'" && word != `"`+end+`"` {
		w.doubt("has a here-document that ends at a word shells read differently")
		return
	}
	start := int(rd.Word.End().Offset())
	newline := strings.IndexByte(w.code[min(start, len(w.code)):], '\n')
	if newline < 0 {
		w.doubt("has a here-document without a body")
		return
	}
	start += newline + 1
	body, next, ok := hereBody(w.code[start:], end, rd.Op == syntax.DashHdoc)
	switch {
	case !ok || w.closes > 0 && start+next > w.closes:
		w.doubt("has a here-document that does not end where it should")
	case !sameBody(rd.Hdoc, start, start+len(strings.TrimSuffix(w.code[start:start+next], "\n")), body == ""):
		w.doubt("has a here-document that shells read differently")
	case bare && strings.Contains(body, "\\\n"):
		w.doubt("has a here-document with a line that goes on")
	case bare && expandsOverLines(w.code, rd.Hdoc):
		w.doubt("has a here-document with an expansion of several lines")
	case w.closes > 0 && closesMore(body):
		w.doubt("has a here-document with a bracket that may end the substitution it is in")
	}
}

// plainEnd says whether every shell takes a word for what it looks like.
func plainEnd(word string) bool {
	for i := range len(word) {
		c := word[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return word != ""
}

// hereBody returns the lines before the first one that is the end, and where
// the text goes on after that. A line that almost is the end is none, since some
// shells take it for one.
func hereBody(text, end string, tabs bool) (body string, next int, ok bool) {
	at := 0
	for line := range strings.Lines(text) {
		bare, _ := strings.CutSuffix(line, "\n")
		if tabs {
			bare = strings.TrimLeft(bare, "\t")
		}
		if bare == end {
			return text[:at], at + len(line), true
		}
		rest, begins := strings.CutPrefix(strings.TrimLeft(bare, " \t"), end)
		if begins && (rest == "" || !plainEnd(rest[:1])) {
			return "", 0, false
		}
		at += len(line)
	}
	return "", 0, false
}

// sameBody says whether the parser took the same text for the body and the line
// that ends it.
func sameBody(hdoc *syntax.Word, start, end int, empty bool) bool {
	if hdoc == nil || len(hdoc.Parts) == 0 {
		return empty
	}
	return int(hdoc.Pos().Offset()) == start && int(hdoc.End().Offset()) == end
}

// expandsOverLines says whether something that is expanded in a body has more
// than one line.
func expandsOverLines(code string, hdoc *syntax.Word) bool {
	if hdoc == nil {
		return false
	}
	for _, part := range hdoc.Parts {
		if _, ok := part.(*syntax.Lit); ok {
			continue
		}
		if from, to := part.Pos().Offset(), part.End().Offset(); from > to || int(to) > len(code) || strings.Contains(code[from:to], "\n") {
			return true
		}
	}
	return false
}

// closesMore says whether brackets close that were not opened.
func closesMore(text string) bool {
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			return true
		}
	}
	return false
}

// within reads what a substitution runs, which ends at an offset of the code.
func (w *walker) within(list []*syntax.Stmt, end syntax.Pos, in dirs) {
	closes := w.closes
	w.closes = int(end.Offset())
	w.stmts(list, in)
	w.closes = closes
}
