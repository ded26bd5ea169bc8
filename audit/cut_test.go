package audit_test

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/lineclear/lineclear/audit"
)

// cutBook is a chain that was cut after its checkpoint: the export, and what was kept.
func cutBook(t *testing.T) (b *book, exported, kept []audit.Record) {
	t.Helper()
	b = newBook(t, keyOf("k"))
	b.add(audit.GatewayStarted, "root", "system", audit.Started{}) // and its checkpoint
	last := b.head()
	exported = slices.Clone(b.records)
	b.add(audit.LoginBegun, "ada", "rest", audit.Access{})
	b.add(audit.AuditCut, "system", "system", audit.CutOff{First: 1, Last: last.Seq, Hash: last.Hash, File: "audit.jsonl"})
	b.add(audit.LoginEnded, "ada", "rest", audit.Access{})
	return b, exported, b.records[len(exported):]
}

func each(records []audit.Record) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestAChainThatWasCutHoldsAndContinuesItsExport(t *testing.T) {
	b, exported, kept := cutBook(t)
	pinned := audit.Expected{Keys: audit.Keys{publicOf(b.key)}, Heads: audit.Heads{b.head()}}
	r, err := pinned.Verify(each(kept))
	if err != nil || r.Cut != exported[len(exported)-1].Head() || r.First.Seq != 3 {
		t.Errorf("what was kept: %+v, %v", r, err)
	}
	if r, err := (audit.Expected{Keys: pinned.Keys}).Verify(each(exported)); err != nil || r.Signed.Seq != r.Last.Seq {
		t.Errorf("the export is not signed to its end: %+v, %v", r, err)
	}
	r, err = pinned.Verify(audit.Joined(each(exported), each(kept)))
	if err != nil || r.Records != int64(len(b.records)) || r.Cut != (audit.Head{}) {
		t.Errorf("both: %+v, %v", r, err)
	}
	// Of a cut that is not finished, some records are in both.
	if r, err := pinned.Verify(each(b.records[1:])); err != nil || r.First.Seq != 2 {
		t.Errorf("an unfinished cut: %+v, %v", r, err)
	}
	if r, err := pinned.Verify(audit.Joined(each(exported), each(b.records[1:]))); err != nil || r.Records != int64(len(b.records)) {
		t.Errorf("an unfinished cut after its export: %+v, %v", r, err)
	}
}

func TestABeginningThatNobodyHasCutOffIsMissed(t *testing.T) {
	b, exported, kept := cutBook(t)
	other := slices.Clone(exported)
	other[0].Subject = "eve"
	cut := slices.IndexFunc(kept, func(r audit.Record) bool { return r.Kind == audit.AuditCut })
	for name, c := range map[string]struct {
		records []audit.Record
		trouble audit.FaultKind
		at      int64
	}{
		"more than was cut":              {kept[1:], audit.Missing, 1},
		"without the record of the cut":  {kept[:cut], audit.Missing, 1},
		"without its signature":          {kept[:cut+1], audit.Unsigned, int64(len(exported)+cut) + 2},
		"a forged record of the cut":     {forgedCut(t, kept, cut), audit.Forged, 4},
		"changed before the cut is said": {append([]audit.Record{{Seq: 3, Kind: "login", Data: []byte("{}"), Prev: kept[0].Prev, Hash: kept[0].Hash}}, kept[1:]...), audit.Changed, 3},
		"its first record later":         {append(slices.Clone(kept), exported[0]), audit.Twice, 0},
		"another export":                 {slices.Concat(other, kept), audit.Changed, 1},
	} {
		_, err := audit.Expected{Keys: audit.Keys{publicOf(b.key)}}.Verify(each(c.records))
		var f *audit.Fault
		if !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.at != 0 && (f.Trouble != c.trouble || f.From != c.at) {
			t.Errorf("%s: %s at %d, want %s at %d: %v", name, f.Trouble, f.From, c.trouble, c.at, f)
		}
	}
}

// forgedCut says that one more record was cut off, with all hashes recomputed.
func forgedCut(t *testing.T, kept []audit.Record, at int) []audit.Record {
	t.Helper()
	all := slices.Clone(kept)
	data := bytes.Replace(all[at].Data, []byte(`"last":2`), []byte(`"last":3`), 1)
	all[at].Data = bytes.Replace(data, []byte(kept[0].Prev), []byte(kept[0].Hash), 1)
	return rehashed(t, all, at)[1:]
}
