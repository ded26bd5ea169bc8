package plain

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// look finds the commands that can be seen in a line that is not plain, wherever they stand.
// None of it is sure: it serves to find what is forbidden, never to allow anything.
func (r *reader) look(file *syntax.File) {
	if r.depth++; r.depth > maxDepth {
		return
	}
	defer func() { r.depth-- }()
	syntax.Walk(file, func(n syntax.Node) bool {
		if len(r.line.Parts) >= maxParts {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			p := &Part{}
			for _, rd := range n.Redirs {
				if rd.Op != syntax.Hdoc && rd.Op != syntax.DashHdoc && rd.Op != syntax.WordHdoc && rd.Op != syntax.DplIn && rd.Op != syntax.DplOut {
					p.Files = append(p.Files, File{Path: r.loose(rd.Word), Write: rd.Op != syntax.RdrIn, Append: rd.Op == syntax.AppOut || rd.Op == syntax.AppAll})
				}
			}
			if len(p.Files) > 0 {
				p.Text = r.source(n)
				r.add(p)
			}
		case *syntax.CallExpr:
			r.seen(n)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				if a.Name != nil {
					r.add(&Part{Sets: []Set{{Name: a.Name.Value}}, Text: r.source(n)})
				}
			}
		}
		return true
	})
}

// seen keeps a command that may run.
func (r *reader) seen(c *syntax.CallExpr) {
	p := &Part{Text: r.source(c)}
	for _, a := range c.Assigns {
		if a.Name != nil {
			p.Sets = append(p.Sets, Set{Name: a.Name.Value})
		}
	}
	for _, w := range c.Args {
		p.Words = append(p.Words, r.loose(w))
	}
	if len(p.Words) > 0 {
		r.unwrap(p, &simple{})
	}
	r.add(p)
	for inner := p; inner != nil; inner = inner.Inner {
		r.lookInto(inner)
	}
}

// lookInto looks into code that a command is given.
func (r *reader) lookInto(p *Part) {
	name := p.Program().Text
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "eval", "su", "runuser", "ssh", "watch", "script":
	default:
		return
	}
	for _, w := range p.Words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			r.lookAt(w.Text)
		}
	}
}

func (r *reader) lookAt(text string) {
	if len(r.line.Parts) >= maxParts || tooLarge(text) != "" {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	code := r.code
	r.code = text
	r.look(file)
	r.code = code
}

// loose reads a word as far as possible, expanding nothing but the home folder.
func (r *reader) loose(w *syntax.Word) Word {
	if w == nil {
		return Word{}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		if !r.looseParts(&b, part) {
			return Word{Text: b.String()}
		}
	}
	return Literal(b.String())
}

func (r *reader) looseParts(b *strings.Builder, part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		for i := 0; i < len(p.Value); i++ {
			switch c := p.Value[i]; c {
			case '*', '?', '[', '{':
				return false
			case '~':
				switch rest := p.Value[i+1:]; {
				case b.Len() > 0:
					b.WriteByte(c)
				case r.shell.Home != "" && (rest == "" || rest[0] == '/'):
					b.WriteString(r.shell.Home)
				default:
					return false
				}
			case '\\':
				if i++; i < len(p.Value) && p.Value[i] != '\n' {
					b.WriteByte(p.Value[i])
				}
			default:
				b.WriteByte(c)
			}
		}
	case *syntax.SglQuoted:
		b.WriteString(p.Value)
		return !p.Dollar || !strings.Contains(p.Value, `\`)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			lit, ok := inner.(*syntax.Lit)
			switch {
			case !ok && r.isHome(inner):
				b.WriteString(r.shell.Home)
				continue
			case !ok:
				return false
			}
			b.WriteString(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(lit.Value))
		}
	default:
		if !r.isHome(part) {
			return false
		}
		b.WriteString(r.shell.Home)
	}
	return true
}

// isHome reports whether a part of a word is $HOME and its value is known.
func (r *reader) isHome(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	return ok && r.shell.Home != "" && onlyName(p) && p.Param.Value == "HOME"
}
