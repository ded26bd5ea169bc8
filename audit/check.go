package audit

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// What a verifying program ends with.
const (
	Fine       = 0
	Broken     = 1
	CouldNot   = 2 // nothing was found out: the records could not be read, or there are none
	exitsWords = "Exit codes: 0 the chain holds, 1 it does not, 2 it could not be read, or the command line is wrong."
)

// Exits says what the codes mean, for a help text.
func Exits() string { return exitsWords }

// Check verifies a chain for a program: it writes the outcome in words to out,
// or to failure where there is something wrong, and returns the program's exit
// code.
func Check(out, failure io.Writer, e Expected, records iter.Seq2[Record, error]) int {
	report, err := e.Verify(records)
	return report.Say(out, failure, err)
}

// Say is Check for what Verify has returned.
func (report Report) Say(out, failure io.Writer, err error) int {
	var f *Fault
	switch {
	case errors.As(err, &f):
		fmt.Fprintf(failure, "BROKEN at record %d (%s): %s.\n", f.From, f.Trouble, f.Words)
		if report.Records > 0 {
			fmt.Fprintf(failure, "What is before holds together: %s.\n", report.extent())
		}
		return Broken
	case err != nil:
		fmt.Fprintf(failure, "It could not be read: %v.\n", err)
		return CouldNot
	case report.Records == 0:
		fmt.Fprintln(failure, "There are no records.")
		return CouldNot
	}
	fmt.Fprintf(out, "Fine: %s.\nHead: %v\n%s", report.extent(), report.Last.Head(), report.signatures())
	return Fine
}

func (r Report) extent() string {
	return fmt.Sprintf("%d records, from %d (%s) to %d (%s)", r.Records,
		r.First.Seq, r.First.At.Format(time.RFC3339), r.Last.Seq, r.Last.At.Format(time.RFC3339))
}

func (r Report) signatures() string {
	if r.Signed.Seq == 0 {
		return "No checkpoint is among them: nothing is signed, and a chain that was rewritten would look the same.\n"
	}
	said := ""
	if r.Cut.Seq > 0 {
		said = fmt.Sprintf("What is before record %d was exported and cut off, as a record says that is signed; name the exports as well, oldest first, to have all verified as one. They end with %v\n", r.Cut.Seq+1, r.Cut)
	}
	said += fmt.Sprintf("Last checkpoint: record %d (%s), signed by %s.\n", r.Signed.Seq, r.Signed.At.Format(time.RFC3339), KeyText(r.Key))
	if n := r.Last.Seq - r.Signed.Seq; n > 0 {
		said += fmt.Sprintf("After it: %d, not yet signed.\n", n)
	}
	if !r.Pinned {
		said += "The key was not pinned: whoever wrote the chain may have chosen it. Name the one you know with --key.\n"
	}
	return said
}
