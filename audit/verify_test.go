package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

// fromBefore is a chain that was written before records had doors and there
// were checkpoints.
const fromBefore = `{"seq":1,"at":"2026-01-31T08:00:00Z","kind":"login","subject":"owner","data":{"subject":"owner","roles":["admin"]},"prev":"","hash":"ed53a5068dff4402d045dc6346e2a1ee69a62105129ea64ea972e84c923822df"}
{"seq":2,"at":"2026-01-31T08:00:01.5Z","kind":"approval.requested","subject":"demo","data":{"approvalId":"a","args":{"x":[1,2.50]}},"prev":"ed53a5068dff4402d045dc6346e2a1ee69a62105129ea64ea972e84c923822df","hash":"0dcd3018b85d25118773f0e3dd198693b70bc3d86c46ec2733af44aaa16b663d"}
{"seq":3,"at":"2026-01-31T08:00:02.000001Z","kind":"approval.resolved","subject":"ada","data":{"approvalId":"a","status":"denied"},"prev":"0dcd3018b85d25118773f0e3dd198693b70bc3d86c46ec2733af44aaa16b663d","hash":"6cdda49f7ace4b5c758527dc6f7c9296125693233b2377b5f52f77bba5af42b1"}
`

func TestAChainFromBeforeStillHolds(t *testing.T) {
	report, err := verify([]byte(fromBefore), audit.Expected{})
	if err != nil || report.Records != 3 || report.Signed.Seq != 0 || report.Unsigned != 3 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func TestTheReportSaysHowFarTheChainIsSigned(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	signed := checkpoints(chain)
	report, err := verify(written(t, chain), audit.Expected{})
	if err != nil || report.Records != int64(len(chain)) || report.Last.Hash != chain[len(chain)-1].Hash ||
		report.Pinned || !report.Key.Equal(publicOf(key)) || report.Signed.Seq != signed[len(signed)-1] || report.Unsigned != signed[0]-2 {
		t.Errorf("got %+v, %v", report, err)
	}
}

// checkpoints are the numbers of the records that sign the chain.
func checkpoints(chain []audit.Record) (numbers []int64) {
	for _, r := range chain {
		if r.Kind == audit.Checkpointed {
			numbers = append(numbers, r.Seq)
		}
	}
	return numbers
}

func TestEveryThousandthRecordIsACheckpoint(t *testing.T) {
	b := newBook(t, keyOf("gateway"))
	b.add(audit.GatewayStarted, "ada", "system", audit.Started{})
	for len(b.records) < 2*audit.Every+3 {
		b.add(audit.LoginBegun, "ada", "rest", audit.Access{})
	}
	keys := audit.Keys{publicOf(b.key)}
	if r, err := verify(written(t, b.records), audit.Expected{Keys: keys}); err != nil || r.Signed.Seq != 2*audit.Every {
		t.Fatalf("got %d, %v", r.Signed.Seq, err)
	}
	// Without the key, nobody gets on beyond the next thousand.
	dropped := slices.Delete(slices.Clone(b.records), audit.Every-1, audit.Every)
	dropped = slices.DeleteFunc(dropped, func(r audit.Record) bool { return r.Kind == audit.Checkpointed && r.Seq > 2 })
	var f *audit.Fault
	_, err := verify(written(t, rehashed(t, dropped, audit.Every-1)), audit.Expected{Keys: keys})
	if !errors.As(err, &f) || f.Trouble != audit.Unsigned || f.Seq != audit.Every || f.From != 3 {
		t.Errorf("got %+v", f)
	}
}

func TestAStartAndAStopAreSigned(t *testing.T) {
	b := newBook(t, keyOf("gateway"))
	b.add(audit.GatewayStarted, "ada", "system", audit.Started{})
	b.add(audit.GatewayStopped, "ada", "system", audit.Stopped{})
	for range 3 {
		b.add(audit.LoginBegun, "ada", "rest", audit.Access{})
	}
	e := audit.Expected{Keys: audit.Keys{publicOf(b.key)}}
	for name, file := range map[string][]byte{
		"at the end":    written(t, b.records[:3]),
		"in the middle": written(t, rehashed(t, slices.Delete(slices.Clone(b.records), 3, 4), 3)),
	} {
		var f *audit.Fault
		if _, err := verify(file, e); !errors.As(err, &f) || f.Trouble != audit.Unsigned || f.Seq != 4 {
			t.Errorf("without its checkpoint, %s: got %v", name, err)
		}
	}
}

func TestACheckpointSaysNothingThatIsNotSigned(t *testing.T) {
	b := newBook(t, keyOf("gateway"))
	b.everything()
	last := len(b.records) - 1 // a checkpoint, after which nothing vouches for it
	e := audit.Expected{Keys: audit.Keys{publicOf(b.key)}}
	for name, change := range map[string]func(*audit.Record){
		"another subject": func(r *audit.Record) { r.Subject = "eve" },
		"no door":         func(r *audit.Record) { r.Via = "" },
		"another time":    func(r *audit.Record) { r.At = r.At.Add(time.Second) },
	} {
		records := slices.Clone(b.records)
		change(&records[last])
		var f *audit.Fault
		if _, err := verify(written(t, rehashed(t, records, last)), e); !errors.As(err, &f) || f.Trouble != audit.Forged {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestARecordHasOneFormAlsoWhereItIsNoLine(t *testing.T) {
	for name, change := range map[string]func(*audit.Record){
		"a part of a microsecond": func(r *audit.Record) { r.At = r.At.Add(time.Nanosecond) },
		"another zone":            func(r *audit.Record) { r.At = r.At.In(time.FixedZone("", 3600)) },
		"a space in the data":     func(r *audit.Record) { r.Data = tool.JSON(`{"n": 1}`) },
		"an escape in the data":   func(r *audit.Record) { r.Data = tool.JSON(`{"\u006e":1}`) },
	} {
		records := chain(t, 3)
		change(&records[1])
		var f *audit.Fault
		if _, err := audit.Verify(all(records)); !errors.As(err, &f) || f.Trouble != audit.Changed || f.Seq != 2 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestEachTroubleHasItsName(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	pinned := audit.Expected{Keys: audit.Keys{publicOf(key)}}
	change := func(change func([]audit.Record) []audit.Record) []byte {
		return written(t, change(slices.Clone(chain)))
	}
	for want, c := range map[audit.FaultKind]struct {
		file []byte
		e    audit.Expected
		says string
	}{
		audit.Changed:   {change(func(r []audit.Record) []audit.Record { r[8].Subject = "eve"; return r }), pinned, "record 9 was changed"},
		audit.Missing:   {change(func(r []audit.Record) []audit.Record { return slices.Delete(r, 8, 9) }), pinned, "record 9 is missing"},
		audit.Reordered: {change(func(r []audit.Record) []audit.Record { r[8], r[20] = r[20], r[8]; return r }), pinned, "record 9 stands later"},
		audit.Twice:     {change(func(r []audit.Record) []audit.Record { return slices.Insert(r, 12, r[8]) }), pinned, "record 9 is there twice, again after record 12"},
		audit.Unreadable: {bytes.Replace(written(t, chain), []byte(`{"seq":9,`), []byte(`{"seq":9,,`), 1),
			pinned, "record 9 can't be read: line 9: not valid JSON"},
		audit.Forged: {written(t, rehashed(t, change2(chain, 8), 8)), pinned, "something from record 1 to it was rewritten"},
		audit.OtherKey: {written(t, chain), audit.Expected{Keys: audit.Keys{publicOf(keyOf("other"))}},
			fmt.Sprintf("record %d is signed by another key", checkpoints(chain)[0])},
		audit.Unsigned:   {[]byte(fromBefore), pinned, "nothing is signed"},
		audit.Unexpected: {[]byte(fromBefore), audit.Expected{Heads: audit.Heads{{Seq: 2, Hash: chain[1].Hash}}}, "record 2 is not the one that is expected"},
		audit.Cut:        {[]byte(fromBefore), audit.Expected{Heads: audit.Heads{{Seq: 4, Hash: chain[1].Hash}}}, "record 4 is missing: the last is record 3"},
	} {
		_, err := verify(c.file, c.e)
		var f *audit.Fault
		if !errors.As(err, &f) || f.Trouble != want || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %+v, want %q", want, f, c.says)
		}
	}
}

func change2(chain []audit.Record, at int) []audit.Record {
	changed := slices.Clone(chain)
	changed[at].Subject = "eve"
	return changed
}

func TestTwoKeysAreOneTooManyUnlessBothAreKnown(t *testing.T) {
	old, fresh := keyOf("old"), keyOf("fresh")
	b := newBook(t, old)
	b.everything()
	b.key = fresh
	b.everything()
	file := written(t, b.records)
	for _, c := range []struct {
		keys audit.Keys
		want error
	}{
		{nil, audit.ErrBroken},
		{audit.Keys{publicOf(old)}, audit.ErrBroken},
		{audit.Keys{publicOf(fresh)}, audit.ErrBroken},
		{audit.Keys{publicOf(old), publicOf(fresh)}, nil},
	} {
		if _, err := verify(file, audit.Expected{Keys: c.keys}); !errors.Is(err, c.want) {
			t.Errorf("with %d keys: %v", len(c.keys), err)
		}
	}
}

func TestAPartHoldsAfterTheRecordBeforeIt(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	part := written(t, chain[30:])
	e := audit.Expected{Keys: audit.Keys{publicOf(key)}, After: chain[29].Head()}
	if r, err := verify(part, e); err != nil || r.First.Seq != 31 {
		t.Errorf("got %+v, %v", r, err)
	}
	e.After.Hash = chain[28].Hash
	if _, err := verify(part, e); !errors.Is(err, audit.ErrBroken) {
		t.Errorf("after another record: %v", err)
	}
	if _, err := verify(part, audit.Expected{}); !errors.Is(err, audit.ErrBroken) || !strings.Contains(err.Error(), "record 1 is missing") {
		t.Errorf("as a whole: %v", err)
	}
}

func TestWhatCanNotBeReadIsNotBroken(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := audit.Verify(audit.Lines(io.MultiReader(strings.NewReader(fromBefore), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) || errors.Is(err, audit.ErrBroken) {
		t.Errorf("got %v", err)
	}
}

func TestCheckSaysTheOutcomeAndEndsWithItsCode(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	signed := checkpoints(chain)
	file := written(t, chain)
	for name, c := range map[string]struct {
		in   io.Reader
		e    audit.Expected
		code int
		says []string
	}{
		"fine": {bytes.NewReader(file), audit.Expected{Keys: audit.Keys{publicOf(key)}}, audit.Fine,
			[]string{
				fmt.Sprintf("Fine: %d records, from 1 (2026-01-31T08:00:01Z) to %d", len(chain), len(chain)),
				fmt.Sprintf("Head: %d:%s", len(chain), chain[len(chain)-1].Hash),
				fmt.Sprintf("Last checkpoint: record %d", signed[len(signed)-1]), "After it: 3, not yet signed",
			}},
		"fine, not pinned": {bytes.NewReader(file), audit.Expected{}, audit.Fine, []string{audit.KeyText(publicOf(key)), "not pinned"}},
		"not signed":       {strings.NewReader(fromBefore), audit.Expected{}, audit.Fine, []string{"nothing is signed"}},
		"broken": {bytes.NewReader(written(t, change2(chain, 8))), audit.Expected{}, audit.Broken,
			[]string{"BROKEN at record 9 (changed): record 9 was changed.", "What is before holds together: 8 records"}},
		"nothing":    {strings.NewReader(""), audit.Expected{}, audit.CouldNot, []string{"no records"}},
		"unreadable": {iotest.ErrReader(errors.New("gone")), audit.Expected{}, audit.CouldNot, []string{"could not be read", "gone"}},
	} {
		var out, failure strings.Builder
		code := audit.Check(&out, &failure, c.e, audit.Lines(c.in))
		if code != c.code || (code == audit.Fine) != (failure.Len() == 0) {
			t.Errorf("%s: ended with %d: %s%s", name, code, &out, &failure)
		}
		for _, says := range c.says {
			if !strings.Contains(out.String()+failure.String(), says) {
				t.Errorf("%s: %q is not in:\n%s%s", name, says, &out, &failure)
			}
		}
	}
}
