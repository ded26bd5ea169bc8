package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

// tampering is one way to change a chain.
type tampering struct {
	name    string
	file    []byte
	touched int64 // the first record that it changes, or that comes in another place
	near    bool  // it is found where it is, give or take one; else at the checkpoint after it
}

// tamperer makes them, of the same chain, and has each looked for; those with
// hashes recomputed by a key and a head, by the head alone, and by the key alone.
type tamperer struct {
	t        *testing.T
	chain    []audit.Record
	whole    []byte
	expected audit.Expected
	names    map[string]bool
}

func (m *tamperer) add(near bool, touched int64, file []byte, format string, args ...any) {
	m.t.Helper()
	c := tampering{fmt.Sprintf(format, args...), file, touched, near}
	if m.names[c.name] || bytes.Equal(c.file, m.whole) {
		m.t.Errorf("%s: the same again, or no tampering", c.name)
	}
	m.names[c.name] = true
	m.found(c, m.expected)
	if near { // the hashes alone show it
		return
	}
	m.found(c, audit.Expected{Heads: m.expected.Heads})
	if c.touched < m.signed(len(m.chain)+1) && !strings.HasPrefix(c.name, "tail") {
		m.found(c, audit.Expected{Keys: m.expected.Keys})
	}
}

// edited adds three ways to make one change to the records: as it is, with the
// hash of what was changed recomputed, and with everything after it recomputed.
func (m *tamperer) edited(at int, what string, change func([]audit.Record) []audit.Record) {
	touched := int64(at + 1)
	records := change(slices.Clone(m.chain))
	m.add(true, touched, written(m.t, records), "%s", what)
	one := slices.Clone(records)
	if at < len(one) {
		sum, err := one[at].Sealed(audit.Head{Seq: one[at].Seq - 1, Hash: one[at].Prev})
		if err != nil {
			m.t.Fatal(err)
		}
		one[at] = sum
		// Of a checkpoint that is right but for its signature nobody can say
		// whether it was changed, or what is before it.
		near := m.chain[at].Kind != audit.Checkpointed
		m.add(near, touched, written(m.t, one), "%s, with its own hash recomputed", what)
	}
	m.add(false, touched, written(m.t, rehashed(m.t, records, at)), "%s, with all hashes and numbers after it recomputed", what)
}

// rehashed is what somebody without the key can do: everything from a place on
// is numbered and chained again.
func rehashed(t testing.TB, records []audit.Record, from int) []audit.Record {
	t.Helper()
	records = slices.Clone(records)
	var prev audit.Head
	if from > 0 {
		prev = records[from-1].Head()
	}
	for i := from; i < len(records); i++ {
		r, err := records[i].Sealed(prev)
		if err != nil {
			t.Fatal(err)
		}
		records[i], prev = r, r.Head()
	}
	return records
}

// fields changes every field of one record of each kind, and everything that
// its data has.
func (m *tamperer) fields() {
	seen := map[audit.Kind]bool{}
	for i, r := range m.chain {
		if r.Via == "" || seen[r.Kind] {
			continue
		}
		seen[r.Kind] = true
		set := func(field string, change func(*audit.Record)) {
			m.edited(i, fmt.Sprintf("%s: another %s", r.Kind, field), func(all []audit.Record) []audit.Record {
				change(&all[i])
				return all
			})
		}
		set("time", func(r *audit.Record) { r.At = r.At.Add(time.Microsecond) })
		set("kind", func(r *audit.Record) { r.Kind = "mode.unset" })
		set("subject", func(r *audit.Record) { r.Subject = "eve" })
		set("door", func(r *audit.Record) { r.Via = "cli" })
		set("door, none", func(r *audit.Record) { r.Via = "" })
		set("empty data", func(r *audit.Record) { r.Data = tool.JSON("{}") })
		for place, data := range changes(m.t, r.Data) {
			set("data, "+place, func(r *audit.Record) { r.Data = data })
		}
		for _, field := range []string{"number", "link", "hash"} {
			records := slices.Clone(m.chain)
			switch field {
			case "number":
				records[i].Seq++
			case "link":
				records[i].Prev = strings.Repeat("0", 64)
			default:
				records[i].Hash = strings.Repeat("0", 64)
			}
			m.add(true, int64(i+1), written(m.t, records), "%s: another %s", r.Kind, field)
		}
	}
	if len(seen) != len(audit.Kinds()) {
		m.t.Fatalf("the chain has only %d of the kinds", len(seen))
	}
}

// changes are the ways to change or leave out one value in an object.
func changes(t *testing.T, data tool.JSON) map[string]tool.JSON {
	t.Helper()
	all := map[string]tool.JSON{}
	var members map[string]tool.JSON
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	put := func(what string, members map[string]tool.JSON) {
		raw, err := json.Marshal(members, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		all[what] = raw
	}
	for name := range members {
		other := map[string]tool.JSON{}
		for n, v := range members {
			other[n] = v
		}
		other[name] = tool.JSON(`"other"`)
		put("other "+name, other)
		delete(other, name)
		put("no "+name, other)
	}
	return all
}

// ranges deletes, doubles, swaps, moves, turns round and puts in.
func (m *tamperer) ranges() {
	n := len(m.chain)
	stranger := audit.Record{At: m.chain[0].At, Kind: audit.LoginBegun, Subject: "eve", Via: "rest", Data: tool.JSON(`{}`)}
	for _, at := range []int{0, 4, 9, 27, n - 12} {
		for _, length := range []int{1, 2, 5} {
			where := fmt.Sprintf("%d at %d", length, at+1)
			m.edited(at, "deleted "+where, func(r []audit.Record) []audit.Record { return slices.Delete(r, at, at+length) })
			m.edited(at+length, "doubled "+where, func(r []audit.Record) []audit.Record {
				return slices.Insert(r, at+length, slices.Clone(r[at:at+length])...)
			})
			m.edited(at, "swapped "+where, func(r []audit.Record) []audit.Record {
				for i := range length {
					r[at+i], r[at+length+i] = r[at+length+i], r[at+i]
				}
				return r
			})
			m.edited(at, "moved on "+where, func(r []audit.Record) []audit.Record {
				moved := slices.Clone(r[at : at+length])
				return slices.Insert(slices.Delete(r, at, at+length), at+3, moved...)
			})
			m.edited(at, "turned round "+where, func(r []audit.Record) []audit.Record {
				slices.Reverse(r[at : at+length+1])
				return r
			})
			m.edited(at, "put in "+where, func(r []audit.Record) []audit.Record {
				for i := range length {
					put := stranger
					put.Seq, put.Prev = int64(at+1+i), strings.Repeat("0", 64)
					r = slices.Insert(r, at+i, put)
				}
				return r
			})
		}
		if at > 0 {
			m.add(true, 1, written(m.t, m.chain[at:]), "head cut off, of %d", at)
			m.add(false, 1, written(m.t, rehashed(m.t, m.chain[at:], 0)), "head cut off, of %d, with all hashes and numbers recomputed", at)
		}
		renumbered := slices.Delete(slices.Clone(m.chain), at, at+1)
		for i := at; i < len(renumbered); i++ {
			renumbered[i].Seq = int64(i + 1)
		}
		m.add(true, int64(at+1), written(m.t, renumbered), "one deleted at %d, numbers recomputed", at+1)
	}
}

// checkpoints drops, replaces and alters those that are signed.
func (m *tamperer) checkpoints() {
	other := keyOf("other")
	for i, r := range m.chain {
		if r.Kind != audit.Checkpointed {
			continue
		}
		prev := audit.Head{Seq: r.Seq - 1, Hash: r.Prev}
		m.edited(i, fmt.Sprintf("checkpoint %d dropped", r.Seq), func(all []audit.Record) []audit.Record { return slices.Delete(all, i, i+1) })
		signed, err := audit.Signed(prev, r.At, other)
		if err != nil {
			m.t.Fatal(err)
		}
		replaced := slices.Clone(m.chain)
		replaced[i] = signed
		m.add(false, r.Seq, written(m.t, replaced), "checkpoint %d signed by another key", r.Seq)
		m.add(false, r.Seq, written(m.t, rehashed(m.t, replaced, i+1)), "checkpoint %d signed by another key, all hashes after it recomputed", r.Seq)
		var c audit.Checkpoint
		if err := json.Unmarshal(r.Data, &c); err != nil {
			m.t.Fatal(err)
		}
		for name, change := range map[string]func(*audit.Checkpoint){
			"a bit of the signature":    func(c *audit.Checkpoint) { c.Signature[9] ^= 4 },
			"a shorter signature":       func(c *audit.Checkpoint) { c.Signature = c.Signature[:40] },
			"no signature":              func(c *audit.Checkpoint) { c.Signature = nil },
			"the key of somebody else":  func(c *audit.Checkpoint) { c.PublicKey = publicOf(other) },
			"no key":                    func(c *audit.Checkpoint) { c.PublicKey = nil },
			"the signature of another":  func(c *audit.Checkpoint) { c.Signature = m.signature(i) },
			"a key that is only zeroes": func(c *audit.Checkpoint) { c.PublicKey, c.Signature = make([]byte, 32), make([]byte, 64) },
		} {
			altered := audit.Checkpoint{PublicKey: bytes.Clone(c.PublicKey), Signature: bytes.Clone(c.Signature)}
			change(&altered)
			raw, err := json.Marshal(altered)
			if err != nil {
				m.t.Fatal(err)
			}
			m.edited(i, fmt.Sprintf("checkpoint %d with %s", r.Seq, name), func(all []audit.Record) []audit.Record {
				all[i].Data = raw
				return all
			})
		}
	}
	none := slices.DeleteFunc(slices.Clone(m.chain), func(r audit.Record) bool { return r.Kind == audit.Checkpointed })
	m.add(false, 6, written(m.t, rehashed(m.t, none, 0)), "all checkpoints dropped, all hashes and numbers recomputed")
	unstarted := slices.DeleteFunc(none, func(r audit.Record) bool { return r.Kind.ThenSigned() })
	m.add(false, 6, written(m.t, rehashed(m.t, unstarted, 0)), "all checkpoints, starts and stops dropped, all recomputed")
	m.add(false, 6, written(m.t, whole(m.t, other, "ada")), "everything signed by another key")
}

// signature is that of a checkpoint which is not the one at i.
func (m *tamperer) signature(i int) []byte {
	for j, r := range m.chain {
		var c audit.Checkpoint
		if j != i && r.Kind == audit.Checkpointed && json.Unmarshal(r.Data, &c) == nil {
			return c.Signature
		}
	}
	return nil
}

// splices joins two chains of the same gateway's key.
func (m *tamperer) splices() {
	foreign := whole(m.t, keyOf("gateway"), "bob")
	for _, at := range []int{2, 5, 6, 20, 40} {
		joined := append(slices.Clone(m.chain[:at]), foreign[at:]...)
		m.add(true, int64(at), written(m.t, joined), "spliced at %d", at)
		m.add(false, int64(at+1), written(m.t, rehashed(m.t, joined, at)), "spliced at %d, with all hashes recomputed", at)
	}
}

func TestNoTamperingIsMissedAndEachIsFoundWhereItIs(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	expected := audit.Expected{Keys: audit.Keys{publicOf(key)}, Heads: audit.Heads{chain[len(chain)-1].Head()}}
	if _, err := verify(written(t, chain), expected); err != nil {
		t.Fatalf("the chain as it is: %v", err)
	}
	m := &tamperer{t: t, chain: chain, whole: written(t, chain), expected: expected, names: map[string]bool{}}
	m.fields()
	m.ranges()
	m.checkpoints()
	m.splices()
	m.forms()
	for cut := 1; cut < len(chain); cut++ {
		m.add(false, int64(cut+1), written(t, chain[:cut]), "tail cut off after %d", cut)
	}
	if len(m.names) < 200 {
		t.Errorf("only %d kinds of tampering", len(m.names))
	}
	t.Logf("%d kinds of tampering over %d records", len(m.names), len(chain))
}

// found checks that a tampering is, and where.
func (m *tamperer) found(c tampering, expected audit.Expected) {
	m.t.Helper()
	_, err := verify(c.file, expected)
	var f *audit.Fault
	if !errors.As(err, &f) || !errors.Is(err, audit.ErrBroken) {
		m.t.Errorf("%s: got %v", c.name, err)
		return
	}
	least := int64(0)
	switch {
	case c.near:
		least = c.touched - 1
	case len(expected.Keys) > 0:
		least = m.signed(int(c.touched))
	}
	if f.From > c.touched+1 || f.From < least {
		m.t.Errorf("%s: found at %d, but it begins at %d: %v", c.name, f.From, c.touched, err)
	}
}

// signed is the last checkpoint before a record.
func (m *tamperer) signed(before int) int64 {
	for i := before - 2; i >= 0; i-- {
		if m.chain[i].Kind == audit.Checkpointed {
			return m.chain[i].Seq
		}
	}
	return 0
}

func TestNoBitCanBeFlipped(t *testing.T) {
	key := keyOf("gateway")
	chain := whole(t, key, "ada")
	file := written(t, chain)
	expected := audit.Expected{Keys: audit.Keys{publicOf(key)}}
	lines := bytes.SplitAfter(file, []byte("\n"))
	flip := func(t rapid.TB, at int, bit int) {
		flipped := bytes.Clone(file)
		flipped[at] ^= 1 << bit
		line := int64(bytes.Count(file[:at], []byte("\n")) + 1)
		var f *audit.Fault
		if _, err := verify(flipped, expected); !errors.As(err, &f) || f.From > line+1 || f.From < line-1 {
			t.Fatalf("bit %d of byte %d, in line %d: got %v", bit, at, line, err)
		}
	}
	for at := range len(lines[0]) + len(lines[1]) {
		for bit := range 8 {
			flip(t, at, bit)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		flip(rt, rapid.IntRange(0, len(file)-1).Draw(rt, "byte"), rapid.IntRange(0, 7).Draw(rt, "bit"))
	})
}
