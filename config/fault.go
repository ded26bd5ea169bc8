package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File         string
	Line, Column int
	Text         string
}

// Error gives the place in the form that editors and terminals make a link of.
func (f Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// Faults are all that is wrong with a file, in the order of their places.
type Faults []Fault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// position is a place in the file, counted from 1.
type position struct{ line, column int }

// faultList gather the faults of one file.
type faultList struct {
	file   string
	faults Faults
}

func (f *faultList) add(at position, format string, args ...any) {
	f.faults = append(f.faults, Fault{File: f.file, Line: max(1, at.line), Column: max(1, at.column), Text: fmt.Sprintf(format, args...)})
}

func (f *faultList) sorted() Faults {
	slices.SortStableFunc(f.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(f.faults)
}

// closest suggests the known name that was probably meant.
func closest(name string, known []string) string {
	best, distance := "", 1+max(1, len(name)/3)
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// meant is the suggestion as the end of a sentence.
func meant(name string, known []string) string {
	if k := closest(name, known); k != "" {
		return fmt.Sprintf("; did you mean %s?", k)
	}
	return ""
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
