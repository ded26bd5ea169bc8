package audit

import (
	"errors"
	"fmt"
)

// ErrBroken is what a *Fault is: the chain was tampered with, or damaged.
var ErrBroken = errors.New("audit: the chain is broken")

// FaultKind is what is wrong with a record.
type FaultKind string

// The troubles.
const (
	Changed    FaultKind = "changed"
	Missing    FaultKind = "missing"
	Reordered  FaultKind = "reordered"
	Twice      FaultKind = "twice"
	Unreadable FaultKind = "unreadable"
	Forged     FaultKind = "forged"     // a checkpoint whose signature is wrong
	OtherKey   FaultKind = "other key"  // a checkpoint that somebody else has signed
	Unsigned   FaultKind = "unsigned"   // a checkpoint that should be there is not
	Unexpected FaultKind = "unexpected" // not the record that was named
	Cut        FaultKind = "cut off"    // ends before a record that was named
)

// Fault is the first place at which a chain does not hold. It is an ErrBroken.
type Fault struct {
	Trouble FaultKind
	Seq     int64 // the record that shows it
	From    int64 // the first record that it may concern; what is before holds
	Line    int   // of an export, from 1; 0 where it is of no matter
	Words   string
}

// Error says where and what.
func (f *Fault) Error() string { return ErrBroken.Error() + ": " + f.Words }

// Is makes errors.Is(err, ErrBroken) hold.
func (f *Fault) Is(target error) bool { return target == ErrBroken }

func fault(t FaultKind, seq, from int64, format string, args ...any) *Fault {
	return &Fault{Trouble: t, Seq: seq, From: from, Words: fmt.Sprintf(format, args...)}
}

// lineError is a line of an export that is no record.
type lineError struct {
	line int
	err  error
}

// Error names the line.
func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

// Unwrap returns what is wrong with the line.
func (e *lineError) Unwrap() error { return e.err }
