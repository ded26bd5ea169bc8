package plain

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// What stands for a variable while words are expanded: Hidden lets neither be in a line.
const (
	opens  = '\ue000'
	closes = '\ue001'
)

var (
	errFolders = errors.New("wildcards look into too many folders")
	errSubst   = errors.New("a substitution")
)

// wordsOf reads words, each of which may become none or several.
func (r *reader) wordsOf(all []*syntax.Word, sc scope) []Word {
	var made []Word
	for _, w := range all {
		if r.line.Unread != "" {
			return nil
		}
		words := []Word{}
		if lit, ok := bare(w); ok {
			words = append(words, Literal(lit))
		} else {
			words = r.fields(w, sc)
		}
		for _, w := range words {
			r.words += 1 + len(w.Any)
		}
		if r.words > maxWords {
			r.stop("has more than %d words", maxWords)
			return nil
		}
		made = append(made, words...)
	}
	return made
}

// bare is a word that is nothing but letters which no shell looks at.
func bare(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, p.Value != "" && !strings.ContainsAny(p.Value, "~*?[]{}\\'\"$`")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// fields is a word as a shell expands it, wildcards included.
func (r *reader) fields(w *syntax.Word, sc scope) []Word {
	wild := r.check(w, sc)
	if r.line.Unread != "" {
		return nil
	}
	cfg := r.config(sc, false)
	texts, err := r.collect(cfg, w)
	if err == nil && wild {
		if slices.ContainsFunc(texts, func(t string) bool { return strings.ContainsRune(t, opens) }) {
			r.stop("has wildcards beside a variable")
			return nil
		}
		texts, err = r.expanded(w, texts, sc)
	}
	if err != nil {
		r.stop("has a word that can't be read: %v", err)
		return nil
	}
	var made []Word
	for _, text := range texts {
		made = append(made, r.word(text))
	}
	return made
}

func (r *reader) collect(cfg *expand.Config, w *syntax.Word) ([]string, error) {
	var texts []string
	for text, err := range expand.FieldsSeq(cfg, w) {
		if err != nil {
			return nil, err
		}
		if texts = append(texts, text); len(texts) > maxWords {
			r.stop("has more than %d words", maxWords)
			return nil, nil
		}
	}
	return texts, nil
}

// expanded is a word with the names of the files that its wildcards find now. What finds
// none stays as it is.
func (r *reader) expanded(w *syntax.Word, unexpanded []string, sc scope) ([]string, error) {
	if sc.dir == "" {
		return nil, errors.New("its wildcards can't be expanded, as it is not known where it runs")
	}
	texts, err := r.collect(r.config(sc, true), w)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") && !slices.Contains(unexpanded, text) {
			texts[i] = "./" + text
		}
		if why := Hidden(strings.Trim(text, string(opens)+string(closes))); why != "" && !slices.Contains(unexpanded, text) {
			return nil, errors.New("the name of a file that a wildcard finds " + why)
		}
	}
	return texts, nil
}

// value is a word where a shell makes one text of it: a value, or a text as input.
func (r *reader) value(w *syntax.Word, sc scope) Word {
	r.check(w, sc)
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && (i > 0 && strings.HasPrefix(lit.Value, "~") || strings.Contains(lit.Value, ":~") || strings.Contains(lit.Value, "=~")) {
			r.stop("has a ~ within a value")
		}
	}
	if r.line.Unread != "" {
		return Literal("")
	}
	text, err := expand.Literal(r.config(sc, false), w)
	if err != nil {
		r.stop("has a value that can't be read: %v", err)
	}
	return r.word(text)
}

// word takes the variables out of an expanded text again.
func (r *reader) word(text string) Word {
	if !strings.ContainsRune(text, opens) {
		return Literal(text)
	}
	w := Word{}
	w.Text, _, _ = strings.Cut(text, string(opens))
	values, known := []string{""}, true
	for text != "" {
		before, rest, _ := strings.Cut(text, string(opens))
		name, after, found := strings.Cut(rest, string(closes))
		w.pieces = append(w.pieces, piece{text: before})
		var of []string
		if found {
			w.pieces = append(w.pieces, piece{text: name, name: true})
			if l := r.loopOf(name); l != nil {
				of = l.values
			}
			known = known && of != nil
		} else {
			of = []string{""}
		}
		var next []string
		for _, v := range values {
			for _, o := range of {
				next = append(next, v+before+o)
			}
		}
		if len(next) > maxWords {
			r.stop("has a word with more than %d values", maxWords)
			next = next[:1]
		}
		values, text = next, after
	}
	if known {
		w.Any = values
	}
	return w
}

// check stops at what a plain word does not have, and reports whether there are wildcards.
func (r *reader) check(w *syntax.Word, sc scope) (wild bool) {
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				if name, _, _ := strings.Cut(p.Value[1:], "/"); name != "" || len(w.Parts) > 1 && p.Value == "~" || r.shell.Home == "" {
					r.stop("has a ~ that is not one's own home")
				}
			}
			wild = wild || strings.ContainsAny(p.Value, "*?[")
		case *syntax.DblQuoted:
			if p.Dollar {
				r.stop(`has a text in $"…"`)
			}
			for _, inner := range p.Parts {
				r.checkPart(inner, true)
			}
		default:
			r.checkPart(part, false)
		}
	}
	return wild
}

func (r *reader) checkPart(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
	case *syntax.SglQuoted:
		if p.Dollar {
			r.stop("has a text in $'…'")
		}
	case *syntax.ParamExp:
		r.parameter(p)
	case *syntax.CmdSubst:
		if !quoted || !onlyText(p) {
			r.stop("has a $(…) whose output is not known")
		}
	case *syntax.ProcSubst:
		r.stop("has a substitution of a process")
	case *syntax.ArithmExp:
		r.stop("has arithmetic")
	default:
		r.stop("has a pattern that not every shell knows")
	}
}

// parameter stops at a variable of which nothing may be written.
func (r *reader) parameter(p *syntax.ParamExp) {
	if !onlyName(p) {
		r.stop("has a ${…} with more than a name in it")
		return
	}
	name := p.Param.Value
	if !r.readable(name) {
		r.stop("has $%s, whose value is not known", name)
	}
}

// onlyName reports whether an expansion is just a variable name.
func onlyName(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Split == 0 && p.GlobSubst == 0 && p.RcExpand == 0 &&
		p.NestedParam == nil && p.Index == nil && p.Modifiers == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

func (r *reader) readable(name string) bool {
	switch name {
	case "HOME":
		return r.shell.Home != ""
	case "?", "PWD", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "PATH", "TMPDIR":
		return true
	}
	return harmlessName(name)
}

// config expands what check has let through.
func (r *reader) config(sc scope, wild bool) *expand.Config {
	cfg := &expand.Config{
		Env: expand.FuncEnviron(func(name string) string {
			switch {
			case name == "HOME":
				return r.shell.Home
			case name == "PWD" && sc.dir != "":
				return sc.dir
			case r.readable(name):
				return string(opens) + name + string(closes)
			}
			return ""
		}),
		CmdSubst: func(out io.Writer, c *syntax.CmdSubst) error {
			if !onlyText(c) {
				return errSubst
			}
			_, err := io.WriteString(out, r.document(c.Stmts[0].Redirs[0]).Text)
			return err
		},
	}
	if wild {
		cfg.ReadDir2 = func(dir string) ([]fs.DirEntry, error) {
			if r.reads++; r.reads > maxReads {
				return nil, errFolders
			}
			return os.ReadDir(dir)
		}
	}
	return cfg
}

// onlyText reports whether a substitution does nothing but write a here-document.
func onlyText(c *syntax.CmdSubst) bool {
	if c.TempFile || c.ReplyVar || c.Backquotes || len(c.Stmts) != 1 {
		return false
	}
	s := c.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(call.Assigns) == 0 && len(call.Args) == 1 && call.Args[0].Lit() == "cat" &&
		len(s.Redirs) == 1 && s.Redirs[0].N == nil && (s.Redirs[0].Op == syntax.Hdoc || s.Redirs[0].Op == syntax.DashHdoc)
}
