package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// Expected is what is known of a chain from elsewhere; the zero value is nothing.
type Expected struct {
	Keys  Keys  // who may have signed; none: anyone, but only one
	Heads Heads // records that have to be there as they were
	Any   bool  // any signer is accepted, and there may be several
	After Head  // the record before the first, of a chain that does not begin with record 1
}

// Report is what Verify found in a chain that holds.
type Report struct {
	Records     int64
	First, Last Record
	Signed      Record            // the last checkpoint; Seq 0: there is none
	Key         ed25519.PublicKey // of that checkpoint
	Unsigned    int64             // records before signing began
	Pinned      bool              // the keys were known
	Cut         Head              // the last record of those that were cut off; zero: it begins with record 1, or where it was said
}

// Verify is Expected.Verify with nothing known from elsewhere.
func Verify(records iter.Seq2[Record, error]) (Report, error) {
	return Expected{}.Verify(records)
}

// Verify reads a whole chain. An error is a *Fault, with the report of what is
// before it, or that the records could not be read.
func (e Expected) Verify(records iter.Seq2[Record, error]) (Report, error) {
	v := verifier{Expected: e, last: e.After, kept: e.After.Seq, safe: e.After.Seq}
	v.report.Pinned = len(e.Keys) > 0
	var found *Fault
	for r, err := range records {
		if err != nil && found == nil {
			if err = v.unreadable(err); !errors.As(err, &found) {
				return v.report, err
			}
		}
		if err != nil {
			break
		}
		v.look(r)
		switch {
		case found == nil:
			found = v.take(r)
		case found.Trouble == Missing && r.Seq == found.Seq:
			found.Trouble, found.Words = Reordered, fmt.Sprintf("record %d stands later than it should", r.Seq)
		}
		if found != nil && found.Trouble != Missing && !v.uncovered() {
			break // what is missing may come later, and so may what explains the beginning
		}
	}
	if found == nil {
		found = v.end()
	}
	if v.uncovered() {
		return Report{Pinned: v.report.Pinned}, v.missingBeginning()
	}
	if found != nil {
		return v.report, found
	}
	return v.report, nil
}

// verifier is how far a chain was read.
type verifier struct {
	Expected
	report  Report
	last    Head
	kept    int64 // the last record that is known from elsewhere
	safe    int64 // the last record that a signature vouches for
	signing bool  // checkpoints have to come from here on
	due     bool  // the next record has to be one
	began   bool  // it begins in the middle, and nobody has said why
	late    bool  // and record 1 comes later
}

func (v *verifier) unreadable(err error) error {
	var line *lineError
	if !errors.As(err, &line) {
		return err
	}
	f := fault(Unreadable, v.last.Seq+1, v.last.Seq+1, "record %d can't be read: %v", v.last.Seq+1, err)
	f.Line = line.line
	return f
}

// take holds one record against all before it.
func (v *verifier) take(r Record) *Fault {
	for _, check := range []func(Record) *Fault{v.number, v.content, v.link, v.signature, v.head} {
		if f := check(r); f != nil {
			return f
		}
	}
	if v.report.Records++; v.report.Records == 1 {
		v.report.First = r
	}
	if !v.signing {
		v.report.Unsigned++
	}
	v.report.Last, v.last = r, r.Head()
	return nil
}

func (v *verifier) number(r Record) *Fault {
	next := v.last.Seq + 1
	if r.Seq > next && v.report.Records == 0 && v.After.Seq == 0 {
		v.begin(r)
		return nil
	}
	switch {
	case r.Seq == next:
		return nil
	case r.Seq > next && v.report.Records == 0:
		return fault(Missing, next, next, "record %d is missing: the first is record %d", next, r.Seq)
	case r.Seq > next:
		return fault(Missing, next, next, "record %d is missing: record %d follows record %d", next, r.Seq, v.last.Seq)
	case r.Seq > v.After.Seq:
		return fault(Twice, r.Seq, next, "record %d is there twice, again after record %d", r.Seq, v.last.Seq)
	default:
		return fault(Changed, next, next, "record %d was changed: its number is %d", next, r.Seq)
	}
}

// content holds a record against its own hash, and its data against the one form
// that it has: that is what is hashed.
func (v *verifier) content(r Record) *Fault {
	sum, err := r.sum()
	if err != nil {
		return fault(Unreadable, r.Seq, r.Seq, "record %d can't be read: %v", r.Seq, err)
	}
	data, err := json.Marshal(tool.JSON(r.Data))
	if sum != r.Hash || err != nil || string(data) != string(r.Data) {
		return fault(Changed, r.Seq, r.Seq, "record %d was changed", r.Seq)
	}
	return nil
}

// link holds a record that is right in itself against the one before.
func (v *verifier) link(r Record) *Fault {
	switch {
	case r.Prev == v.last.Hash:
		return nil
	case v.report.Records > 0:
		return fault(Changed, v.last.Seq, v.last.Seq,
			"record %d was changed, or record %d put in its place: that one names another before it", v.last.Seq, r.Seq)
	case v.After.Seq > 0:
		return fault(Unexpected, r.Seq, r.Seq, "record %d does not follow %v", r.Seq, v.After)
	default:
		return fault(Changed, r.Seq, r.Seq, "record %d was changed: it names another before it, and is the first", r.Seq)
	}
}

func (v *verifier) signature(r Record) *Fault {
	if r.Kind != Checkpointed {
		if v.due || v.signing && r.Seq%Every == 0 {
			return fault(Unsigned, r.Seq, v.safe+1, "record %d should be a checkpoint: "+
				"one was removed, or what begins with record %d was rewritten", r.Seq, v.safe+1)
		}
		v.due = r.Kind.ThenSigned()
		v.signing = v.signing || v.due
		return nil
	}
	key, ok := r.signer()
	if !ok {
		return fault(Forged, r.Seq, v.safe+1, "the signature of record %d is wrong: "+
			"something from record %d to it was rewritten", r.Seq, v.safe+1)
	}
	if !v.mayBe(key) {
		return fault(OtherKey, r.Seq, v.safe+1, "record %d is signed by another key, %s: "+
			"something from record %d to it may have been rewritten", r.Seq, KeyText(key), v.safe+1)
	}
	v.signing, v.due, v.safe = true, false, r.Seq
	v.report.Signed, v.report.Key = r, key
	return nil
}

func (v *verifier) mayBe(key ed25519.PublicKey) bool {
	if len(v.Keys) > 0 {
		return slices.ContainsFunc(v.Keys, func(k ed25519.PublicKey) bool { return k.Equal(key) })
	}
	return v.Any || v.report.Key == nil || v.report.Key.Equal(key)
}

// head holds a record against what is known of it from elsewhere.
func (v *verifier) head(r Record) *Fault {
	for _, h := range v.Heads {
		switch {
		case h.Seq != r.Seq:
		case h.Hash != r.Hash:
			return fault(Unexpected, r.Seq, v.kept+1, "record %d is not the one that is expected: "+
				"something from record %d to it was rewritten", r.Seq, v.kept+1)
		default:
			v.kept = r.Seq
		}
	}
	return nil
}

// end says what is missing at the end.
func (v *verifier) end() *Fault {
	switch {
	case v.due:
		return fault(Unsigned, v.last.Seq+1, v.last.Seq+1, "record %d is missing: a checkpoint should follow record %d", v.last.Seq+1, v.last.Seq)
	case len(v.Keys) > 0 && v.report.Signed.Seq == 0 && v.After.Seq == 0:
		return fault(Unsigned, 1, 1, "nothing is signed, by %s or any key", v.Keys.String())
	}
	for _, h := range v.Heads {
		if h.Seq > v.last.Seq {
			// Records may also have been taken out where nothing is signed, and the
			// rest renumbered.
			return fault(Cut, v.last.Seq+1, max(v.safe, v.kept)+1, "record %d is missing: the last is record %d, and record %d is expected",
				v.last.Seq+1, v.last.Seq, h.Seq)
		}
		if h.Seq < v.After.Seq || h.Seq == v.After.Seq && h.Hash != v.After.Hash {
			return fault(Unexpected, h.Seq, h.Seq, "record %d, which is expected, is before the first", h.Seq)
		}
	}
	return nil
}
