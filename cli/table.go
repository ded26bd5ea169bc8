package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/terminal"
)

const (
	gap     = 2 // columns between those of a table
	noWidth = 1 << 20
)

// grid is a table for people. Where the terminal is too narrow for it, each row becomes a block of
// lines, so that nothing is cut and no id is broken.
type grid struct {
	out  io.Writer
	rows [][]string
	head bool // the first row names the columns
}

func table(w io.Writer, head ...string) *grid {
	g := &grid{out: w}
	if len(head) > 0 {
		g.rows, g.head = [][]string{head}, true
	}
	return g
}

// addRow adds a row to a table. Newlines and tabs in its cells become spaces.
func addRow(g *grid, cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	g.rows = append(g.rows, cells)
}

// Flush writes the table.
func (g *grid) Flush() error {
	if len(g.rows) == 0 {
		return nil
	}
	width := cmp.Or(terminal.WidthOf(g.out), noWidth)
	columns := make([]int, len(g.rows[0]))
	total := -gap
	for i := range columns {
		for _, row := range g.rows {
			columns[i] = max(columns[i], utf8.RuneCountInString(row[i]))
		}
		total += columns[i] + gap
	}
	switch {
	case total <= width:
		return g.lines(columns)
	case g.head:
		return g.blocks(g.rows[0], g.rows[1:], width)
	}
	for _, row := range g.rows { // a name and its value
		if err := g.block(columns[0], row[:1], row[1:], width); err != nil {
			return err
		}
	}
	return nil
}

func (g *grid) lines(columns []int) error {
	risk := -1
	if g.head {
		risk = slices.Index(g.rows[0], riskColumn)
	}
	for n, row := range g.rows {
		for i, text := range row {
			if i < len(row)-1 {
				text += strings.Repeat(" ", columns[i]+gap-utf8.RuneCountInString(text))
			} else {
				text += "\n"
			}
			level := approval.RiskLevel("")
			if i == risk && n > 0 {
				level = approval.RiskLevel(row[i])
			}
			if err := terminal.WriteRisk(g.out, level, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// riskColumn is the name of the column that is coloured.
const riskColumn = "RISK"

func (g *grid) blocks(head []string, rows [][]string, width int) error {
	label := 0
	for _, name := range head {
		label = max(label, utf8.RuneCountInString(name))
	}
	for i, row := range rows {
		if i > 0 {
			if _, err := io.WriteString(g.out, "\n"); err != nil {
				return err
			}
		}
		if err := g.block(label, head, row, width); err != nil {
			return err
		}
	}
	return nil
}

// block writes names with their values, which stand on lines of their own where they are too long.
func (g *grid) block(label int, names, values []string, width int) error {
	for i, name := range names {
		text := name + strings.Repeat(" ", label+gap-utf8.RuneCountInString(name)) + values[i] + "\n"
		if label+gap+utf8.RuneCountInString(values[i]) > width {
			text = name + "\n"
			for part := range slices.Chunk([]rune(values[i]), max(width-gap, 1)) {
				text += strings.Repeat(" ", gap) + string(part) + "\n"
			}
		}
		level := approval.RiskLevel("")
		if name == riskColumn {
			level = approval.RiskLevel(values[i])
		}
		if err := terminal.WriteRisk(g.out, level, text); err != nil {
			return err
		}
	}
	return nil
}
