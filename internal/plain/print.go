package plain

import (
	"fmt"
	"strings"
)

// The commands of a plain line.
type (
	command interface{ print(p *printer) }

	list []item
	item struct {
		cmd        command
		background bool
	}
	pair struct {
		op   string // && || or |
		x, y command
	}
	negated struct{ cmd command }
	group   struct {
		body     list
		subshell bool
	}
	loop struct {
		name  string
		words []Word
		body  list
	}
	redirected struct {
		cmd    command
		redirs []redirect
	}
	moved struct {
		to    string
		first bool // what follows depends on it
	}
	exports []Set
	simple  struct {
		sets     []Set
		words    []Word
		redirs   []redirect
		programs []int // the words that name programs
	}
)

// Print writes a plain line again, from what was read. program says for the name of each program, as it stands
// in the line, what is written in its place. Of a line that is not plain it is empty.
func (l *Line) Print(program func(name string) string) string {
	if l.Unread != "" {
		return ""
	}
	p := &printer{program: program}
	p.list(l.body)
	p.flush()
	return strings.TrimSuffix(p.b.String(), "\n")
}

// printer writes commands. The texts of here-documents wait for the end of their line.
type printer struct {
	b       strings.Builder
	program func(name string) string
	waiting []document
}

type document struct{ end, text string }

func (p *printer) write(texts ...string) {
	for _, text := range texts {
		p.b.WriteString(text)
	}
}

// flush ends a line on which here-documents began, and writes their texts.
func (p *printer) flush() bool {
	if len(p.waiting) == 0 {
		return false
	}
	p.write("\n")
	for _, d := range p.waiting {
		p.write(d.text, d.end, "\n")
	}
	p.waiting = nil
	return true
}

// next ends a command within a line.
func (p *printer) next(otherwise string) {
	if !p.flush() {
		p.write(otherwise)
	}
}

func (p *printer) list(l list) {
	if len(l) == 0 {
		p.write(":") // a shell's code may be empty, a group may not
	}
	for i, it := range l {
		it.cmd.print(p)
		last := i == len(l)-1
		switch {
		case it.background:
			p.write(" &")
			if !p.flush() && !last {
				p.write(" ")
			}
		case !last && !p.flush():
			p.write("; ")
		}
	}
}

func (c pair) print(p *printer) {
	c.x.print(p)
	p.write(" ", c.op)
	p.next(" ")
	c.y.print(p)
}

func (c negated) print(p *printer) {
	p.write("! ")
	c.cmd.print(p)
}

func (c group) print(p *printer) {
	opened, closed := "{ ", "}"
	if c.subshell {
		opened, closed = "( ", ")"
	}
	p.write(opened)
	p.list(c.body)
	p.close(c.body)
	p.write(closed)
}

// close ends the last command before a word that closes.
func (p *printer) close(body list) {
	switch {
	case p.flush():
	case len(body) > 0 && body[len(body)-1].background:
		p.write(" ")
	default:
		p.write("; ")
	}
}

func (c loop) print(p *printer) {
	p.write("for ", c.name, " in")
	for _, w := range c.words {
		p.write(" ", w.quoted())
	}
	p.write("; do ")
	p.list(c.body)
	p.close(c.body)
	p.write("done")
}

func (c redirected) print(p *printer) {
	c.cmd.print(p)
	p.redirects(c.redirs)
}

func (p *printer) redirects(all []redirect) {
	for _, rd := range all {
		p.write(" ", rd.fd, rd.op)
		switch rd.op {
		case "<<":
			end := endOf(rd.word.Text)
			p.write("'", end, "'")
			text := rd.word.Text
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n" // shells add it
			}
			p.waiting = append(p.waiting, document{end, text})
		case ">&":
			p.write(rd.word.Text)
		default:
			p.write(" ", rd.word.quoted())
		}
	}
}

// endOf is a word that is no line of a text.
func endOf(text string) string {
	end := "EOF"
	for n := 1; strings.Contains("\n"+text+"\n", "\n"+end+"\n"); n++ {
		end = fmt.Sprint("EOF", n)
	}
	return end
}

func (c moved) print(p *printer) {
	to := c.to
	if !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, ".") {
		to = "./" + to
	}
	p.write("cd -P ", quote(to), " || exit")
}

func (c exports) print(p *printer) {
	p.write("export")
	for _, s := range c {
		p.write(" ", s.Name, "=", s.Value.quoted())
	}
}

func (c *simple) print(p *printer) {
	space := ""
	for _, s := range c.sets {
		p.write(space, s.Name, "=", s.Value.quoted())
		space = " "
	}
	for i, w := range c.words {
		p.write(space)
		switch {
		case c.names(i) && p.program(w.Text) == "time": // a word of the shell, unless it is in quotes
			p.write("'time'")
		case c.names(i):
			p.write(quote(p.program(w.Text)))
		default:
			p.write(w.quoted())
		}
		space = " "
	}
	if space == "" && len(c.redirs) > 0 {
		p.write(":")
	}
	p.redirects(c.redirs)
}

func (c *simple) names(at int) bool {
	for _, i := range c.programs {
		if i == at {
			return true
		}
	}
	return false
}

// quoted writes a word so that every shell takes it for what it is.
func (w Word) quoted() string {
	if w.Known {
		return quote(w.Text)
	}
	var b strings.Builder
	for _, piece := range w.pieces {
		switch {
		case piece.name:
			b.WriteString(`"${` + piece.text + `}"`)
		case piece.text != "":
			b.WriteString(quote(piece.text))
		}
	}
	return b.String()
}

// quote writes a text as one word.
func quote(text string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%@"
	if text != "" && strings.Trim(text, bare) == "" || strings.HasPrefix(text, "-") && strings.Trim(text, bare+"=") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func quoteAll(words []Word) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w.quoted()
	}
	return strings.Join(quoted, " ")
}
