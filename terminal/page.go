package terminal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// maxIndent bounds how far what is nested is moved to the right.
const maxIndent = 40

// labelWidth is the room for a row's label.
const labelWidth = 10

// page is a text for a person in the making.
type page struct {
	text    strings.Builder
	secrets *mask.Secrets
	width   int
	masked  bool // a secret was left out

	risk struct{ from, to int } // where the risk stands
}

// line writes words of our own.
func (p *page) line(indent int, words string) {
	if words != "" {
		p.text.WriteString(strings.Repeat(" ", min(indent, maxIndent)))
		p.text.WriteString(words)
	}
	p.text.WriteByte('\n')
}

// clean is a text from the request as it may be shown.
func (p *page) clean(text string) string {
	text, found := p.secrets.Text(text)
	p.masked = p.masked || found
	return mask.Hidden(text)
}

// row writes a labelled text, if there is one.
func (p *page) row(label, text string) {
	if text == "" {
		return
	}
	p.labelled(2, fmt.Sprintf("%-*s", labelWidth, label), label, p.clean(text))
}

// entry is row without a column for the labels.
func (p *page) entry(indent int, label, text string) { p.labelled(indent, label, label, p.clean(text)) }

func (p *page) labelled(indent int, padded, label, shown string) {
	if strings.Contains(shown, "\n") || !p.fits(indent+len(padded)+1, shown) {
		if label != "" {
			p.line(indent, label)
		}
		p.bars(indent+2, shown)
		return
	}
	p.line(indent, padded+" "+shown)
}

// fits reports whether a text has room behind so many columns.
func (p *page) fits(columns int, text string) bool {
	return p.width <= 0 || columns+columnsOf(text) <= p.width
}

// block writes a text from the request, each line behind a bar.
func (p *page) block(indent int, text string) { p.bars(indent, mask.Hidden(text)) }

func (p *page) bars(indent int, shown string) {
	indent = min(indent, maxIndent)
	for line := range strings.SplitSeq(strings.TrimSuffix(shown, "\n"), "\n") {
		bar := "│ "
		for {
			part, rest := line, ""
			if p.width > 0 {
				part, rest = cut(line, max(p.width-indent-len("| "), 16))
			}
			p.line(indent, strings.TrimRight(bar+part, " ")+trailing(part))
			if rest == "" {
				break
			}
			line, bar = rest, "┊ " // goes on
		}
	}
}

// trailing keeps the spaces at a line's end, which belong to the text.
func trailing(part string) string {
	return part[len(strings.TrimRight(part, " ")):]
}

// cut splits a line where it no longer fits into the columns.
func cut(line string, columns int) (part, rest string) {
	used := 0
	for i, r := range line {
		used += columnsOfRune(r)
		if used > columns && i > 0 {
			return line[:i], line[i:]
		}
	}
	return line, ""
}

func columnsOf(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOfRune(r)
	}
	return n
}

// columnsOfRune is how wide a character may be at most.
func columnsOfRune(r rune) int {
	switch {
	case r == '\t':
		return 8
	case r >= 0x1100:
		return 2
	default:
		return 1
	}
}

// json writes a JSON text that has been masked: names and values, lists with
// dashes, texts in quotes, and those that quotes would make hard to read as
// blocks. What is not JSON is written as it is.
func (p *page) json(v tool.JSON, indent int) {
	if !jsontext.Value(v).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		p.block(indent, string(v))
		return
	}
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() == '{' {
		_, _ = d.ReadToken() // it is valid: no read can fail from here on
		p.members(d, indent)
		return
	}
	p.value(d, "", indent)
}

func (p *page) members(d *jsontext.Decoder, indent int) {
	for d.PeekKind() == '"' {
		raw, _ := d.ReadValue()
		p.value(d, p.name(raw)+":", indent)
	}
	_, _ = d.ReadToken()
}

// name is a member's name, in quotes unless it is one plain word.
func (p *page) name(raw []byte) string {
	text := unquoted(raw)
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$") == "" {
		return text
	}
	quoted, _ := jsontext.AppendQuote(nil, mask.Hidden(text))
	return string(quoted)
}

func (p *page) value(d *jsontext.Decoder, label string, indent int) {
	switch d.PeekKind() {
	case '{', '[':
		open, _ := d.ReadToken()
		empty := map[jsontext.Kind]string{'{': "{}", '[': "[]"}[open.Kind()]
		if k := d.PeekKind(); k == '}' || k == ']' {
			_, _ = d.ReadToken()
			p.line(indent, strings.TrimLeft(label+" "+empty, " "))
			return
		}
		if label != "" {
			p.line(indent, label)
		}
		if open.Kind() == '{' {
			p.members(d, indent+2)
			return
		}
		for d.PeekKind() != ']' {
			p.value(d, "-", indent+2)
		}
		_, _ = d.ReadToken()
	case '"':
		raw, _ := d.ReadValue()
		p.string(unquoted(raw), label, indent)
	default:
		raw, _ := d.ReadValue()
		p.line(indent, strings.TrimLeft(label+" "+string(raw), " "))
	}
}

// string writes a text behind its label: in quotes when that reads well.
func (p *page) string(text, label string, indent int) {
	shown := mask.Hidden(text)
	lines := strings.Count(text, "\n")
	if lines == 0 && !strings.ContainsAny(shown, "\"\\\t") && p.fits(min(indent, maxIndent)+columnsOf(label)+3, shown) {
		p.line(indent, strings.TrimLeft(label+` "`+shown+`"`, " "))
		return
	}
	note := ""
	if lines > 0 {
		note = " " + countOf(lines, "line")
		if !strings.HasSuffix(text, "\n") {
			note = " " + countOf(lines+1, "line") + ", no newline at the end"
		}
	}
	p.line(indent, strings.TrimLeft(label+note, " "))
	p.bars(indent+2, shown)
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func unquoted(raw []byte) string {
	text, _ := jsontext.AppendUnquote(nil, raw) // invalid UTF-8 comes as U+FFFD
	return string(text)
}
