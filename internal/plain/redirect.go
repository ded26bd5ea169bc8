package plain

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect opens a file, copies a descriptor, or feeds a text.
type redirect struct {
	fd   string // the descriptor; empty: the usual one
	op   string // > >> < >& or <<
	word Word   // of << the text
}

func (r *reader) redirects(all []*syntax.Redirect, sc scope) []redirect {
	var made []redirect
	for _, rd := range all {
		fd := ""
		if rd.N != nil {
			fd = rd.N.Value
		}
		if fd != "" && fd != "0" && fd != "1" && fd != "2" {
			r.stop("has a redirection of the descriptor %s", fd)
			return nil
		}
		switch rd.Op {
		case syntax.RdrOut, syntax.RdrClob:
			made = append(made, redirect{fd, ">", r.file(rd.Word, sc)})
		case syntax.AppOut:
			made = append(made, redirect{fd, ">>", r.file(rd.Word, sc)})
		case syntax.RdrIn:
			made = append(made, redirect{fd, "<", r.file(rd.Word, sc)})
		case syntax.RdrAll, syntax.AppAll:
			op := strings.TrimPrefix(rd.Op.String(), "&")
			made = append(made, redirect{"", op, r.file(rd.Word, sc)}, redirect{"2", ">&", Literal("1")})
		case syntax.DplOut:
			to := rd.Word.Lit()
			if to != "1" && to != "2" {
				r.stop("has a redirection that is not to a file, 1 or 2")
				return nil
			}
			made = append(made, redirect{fd, ">&", Literal(to)})
		case syntax.Hdoc, syntax.DashHdoc:
			made = append(made, redirect{fd, "<<", r.document(rd)})
		case syntax.WordHdoc:
			text := r.value(rd.Word, sc)
			if !text.Known {
				r.stop("has a text as input that is not known")
			}
			text.Text += "\n"
			made = append(made, redirect{fd, "<<", text})
		default:
			r.stop("has a redirection that is read in no plain line (%s)", rd.Op)
			return nil
		}
	}
	return made
}

// file is the one file that a redirection names.
func (r *reader) file(w *syntax.Word, sc scope) Word {
	words := r.wordsOf([]*syntax.Word{w}, sc)
	if len(words) != 1 || !words[0].Known && words[0].Any == nil || words[0].Text == "" && words[0].Known {
		r.stop("has a redirection to a file that is not known")
		return Literal("")
	}
	return words[0]
}

// document is the text of a here-document in which nothing is expanded.
func (r *reader) document(rd *syntax.Redirect) Word {
	quoted := false
	for _, part := range rd.Word.Parts {
		_, lit := part.(*syntax.Lit)
		quoted = quoted || !lit
	}
	if lit := rd.Word.Lit(); strings.Contains(lit, `\`) {
		quoted = true
	}
	var b strings.Builder
	if rd.Hdoc != nil {
		for _, part := range rd.Hdoc.Parts {
			lit, ok := part.(*syntax.Lit)
			if !ok {
				r.stop("has a here-document with an expansion")
				return Literal("")
			}
			b.WriteString(lit.Value)
		}
	}
	text := b.String()
	if !quoted && strings.ContainsAny(text, "$`\\") {
		r.stop("has a here-document in which a shell expands something; put its end in quotes: <<'EOF'")
		return Literal("")
	}
	if rd.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text = strings.Join(lines, "")
	}
	return Literal(text)
}

// files are what redirections open; the null device is none.
func files(all []redirect) []File {
	var opened []File
	for _, rd := range all {
		if rd.op == "<<" || rd.op == ">&" || rd.word.Known && NullDevice(rd.word.Text) {
			continue
		}
		opened = append(opened, File{Path: rd.word, Write: rd.op != "<", Append: rd.op == ">>"})
	}
	return opened
}

// NullDevice reports whether a path is one that keeps nothing, or that the command has open
// already.
func NullDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}

// reads reports whether one of the redirections is an input.
func reads(all []redirect) bool {
	for _, rd := range all {
		if rd.op == "<" || rd.op == "<<" {
			return true
		}
	}
	return false
}
