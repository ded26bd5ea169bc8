package cmdline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command.
func (w *walker) call(c *syntax.CallExpr, s *syntax.Stmt, files []File, in dirs) (done, failed dirs) {
	part := Part{Files: files, Bases: in.bases(), Text: w.text(s, c)}
	for _, a := range c.Assigns {
		w.scan(a, in)
		w.index(a.Index)
		part.Assigns = append(part.Assigns, w.assign(a, len(c.Args) > 0))
	}
	for _, arg := range c.Args {
		w.scan(arg, in)
		part.Words = append(part.Words, w.words(arg)...)
	}
	if len(part.Words) == 0 {
		part.Light = harmlessAssigns(part.Assigns)
		if len(part.Assigns)+len(part.Files) > 0 {
			w.add(part)
		}
		return in, in
	}
	w.judge(part, w.depth)
	return w.changes(part, in)
}

// changes returns where the line goes on after a part.
func (w *walker) changes(p Part, in dirs) (done, failed dirs) {
	switch args := p.Words[1:]; p.Words[0].Text {
	case "cd":
		if len(args) > 1 && args[0].Known && args[0].Text == "--" {
			args = args[1:]
		}
		if !p.Words[0].Known || len(args) != 1 || !args[0].Known || strings.HasPrefix(args[0].Text, "-") {
			return dirs{unknown: true}, dirs{unknown: true}
		}
		if args[0].Text == "" {
			return in, in
		}
		return in.join(args[0].Text), in
	case "pushd", "popd", "chdir":
		return dirs{unknown: true}, dirs{unknown: true}
	}
	return in, in
}

// declare reads export, declare, local, readonly, typeset and nameref as the
// commands they are.
func (w *walker) declare(d *syntax.DeclClause, s *syntax.Stmt, files []File, in dirs) {
	part := Part{Words: []Word{known(d.Variant.Value)}, Files: files, Bases: in.bases(), Text: w.text(s, d)}
	for _, a := range d.Args {
		w.scan(a, in)
		w.index(a.Index)
		switch {
		case a.Name == nil:
			part.Words = append(part.Words, w.words(a.Value)...)
		case a.Naked:
			part.Words = append(part.Words, known(a.Name.Value))
		case a.Array != nil || a.Append || a.Index != nil || a.Value != nil && bracesIn(a.Value):
			part.Words = append(part.Words, Word{Text: a.Name.Value + "+"})
		default:
			value := w.assign(a, false).Value
			value.Text, value.Home = a.Name.Value+"="+value.Text, false
			part.Words = append(part.Words, value)
		}
	}
	w.judge(part, w.depth)
}

// assign reads NAME=value. A value that is more than one literal is unknown.
func (w *walker) assign(a *syntax.Assign, exported bool) Assign {
	value := Word{Known: true}
	switch {
	case a.Array != nil || a.Append || a.Index != nil:
		value = Word{}
	case a.Value != nil:
		value = w.literal(a.Value)
		value.Many, value.Glob = false, false
	}
	return Assign{Name: a.Name.Value, Value: value, Exported: exported}
}

// text is the source of a command with its redirections, without the bodies of
// here-documents.
func (w *walker) text(s *syntax.Stmt, c syntax.Node) string {
	from, to := c.Pos().Offset(), c.End().Offset()
	for _, rd := range s.Redirs {
		from = min(from, rd.Pos().Offset())
		end := rd.OpPos.Offset()
		if rd.Word != nil {
			end = rd.Word.End().Offset()
		}
		to = max(to, end)
	}
	return w.cut(from, to)
}

func (w *walker) redirText(s *syntax.Stmt) string {
	var all []string
	for _, rd := range s.Redirs {
		if rd.Word != nil {
			all = append(all, w.cut(rd.Pos().Offset(), rd.Word.End().Offset()))
		}
	}
	return strings.Join(all, " ")
}

func (w *walker) slice(n syntax.Node) string { return w.cut(n.Pos().Offset(), n.End().Offset()) }

func (w *walker) cut(from, to uint) string {
	to = min(to, uint(len(w.code)))
	if from >= to {
		return ""
	}
	return strings.TrimSpace(w.code[from:to])
}
