package audit

import (
	"iter"

	"github.com/lineclear/lineclear/strictjson"
)

// A chain that grows old is cut: its oldest records are exported, up to a checkpoint, a record of the
// chain says so and is signed, and then they are taken out. So a chain that begins in the middle holds
// if it has a record of kind AuditCut that covers what is missing, and not otherwise.

// covers reports whether a record says that all up to the beginning was cut.
func (r Record) covers(beginning Head) bool {
	var c CutOff
	if r.Kind != AuditCut || strictjson.Decode(r.Data, &c) != nil {
		return false
	}
	// While the cut is under way, the chain begins with a record that is yet to be removed.
	return c.Last > beginning.Seq || c.Last == beginning.Seq && c.Hash == beginning.Hash
}

// begin accepts a chain that begins in the middle, until end checks that a record covers what is missing.
func (v *verifier) begin(r Record) {
	v.After = Head{Seq: r.Seq - 1, Hash: r.Prev}
	v.last, v.kept, v.safe = v.After, v.After.Seq, v.After.Seq
	v.signing = true // or it would not have been cut
	v.began = true
	v.look(r) // it may be the one that says so itself
}

// uncovered reports whether no record has covered the missing beginning yet.
func (v *verifier) uncovered() bool { return v.began && v.report.Cut == Head{} }

// look notes what a record says about a missing beginning, before the record itself is verified.
func (v *verifier) look(r Record) {
	if v.uncovered() && r.covers(v.After) {
		v.report.Cut = v.After
	}
	v.late = v.late || v.began && r.Seq == 1
}

// missingBeginning is the fault of a chain whose beginning is missing without a record that covers it.
func (v *verifier) missingBeginning() *Fault {
	if v.late {
		return fault(Reordered, 1, 1, "record 1 stands later than it should")
	}
	return fault(Missing, 1, 1, "record 1 is missing: the first is record %d", v.After.Seq+1)
}

// Joined reads the parts of one chain in order. It skips records at the beginning of a part that the part before has
// too, if they are the same: an unfinished cut leaves records in both.
func Joined(parts ...iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var last, passed Head
		for _, part := range parts {
			passed = Head{}
			for r, err := range part {
				if err == nil && r.Seq <= last.Seq && r.follows(passed, last) {
					passed = r.Head()
					continue
				}
				if !yield(r, err) || err != nil {
					return
				}
				last, passed = r.Head(), r.Head()
			}
			if passed != (Head{}) && passed.Seq < last.Seq && !yield(Record{Seq: passed.Seq}, nil) {
				return
			}
		}
	}
}

// follows reports whether a record is what it says, follows prev, and is last where it has its number. If
// all up to last do, they are those that were read before. Any may be the first.
func (r Record) follows(prev, last Head) bool {
	sum, err := r.sum()
	return err == nil && sum == r.Hash && (prev == Head{} || r.Seq == prev.Seq+1 && r.Prev == prev.Hash) &&
		(r.Seq < last.Seq || r.Head() == last)
}
