package audit_test

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/internal/mask"
)

// read is what Lines makes of a file, up to its error.
func read(file []byte) (records []audit.Record, err error) {
	for r, err := range audit.Lines(bytes.NewReader(file)) {
		if err != nil {
			return records, err
		}
		records = append(records, r)
	}
	return records, nil
}

func TestWhatIsExportedIsReadBackAsItWas(t *testing.T) {
	chain := whole(t, keyOf("gateway"), "ada")
	var b bytes.Buffer
	after, err := audit.WriteLines(&b, all(chain))
	if err != nil || after.Seq != 0 {
		t.Fatalf("after %v, %v", after, err)
	}
	got, err := read(b.Bytes())
	if err != nil || !cmp.Equal(got, chain) {
		t.Errorf("%v:\n%s", err, cmp.Diff(got, chain))
	}
	if after, err := audit.WriteLines(&b, all(chain[9:])); err != nil || after != chain[8].Head() {
		t.Errorf("a part comes after %v, %v", after, err)
	}
}

func TestALineThatIsTooLongIsRefusedBeforeItIsKept(t *testing.T) {
	long := strings.Repeat("x", audit.MaxLine+1)
	if _, err := read([]byte(fromBefore + long + "\n")); err == nil || !strings.Contains(err.Error(), "line 4: the line is longer") {
		t.Errorf("got %v", err)
	}
}

func TestArgumentsAsDeepAsTheyMayBeCanBeExported(t *testing.T) {
	b := newBook(t, keyOf("gateway"))
	b.add(audit.LoginBegun, "ada", "rest", map[string]any{"args": nested(60)})
	if _, err := verify(written(t, b.records), audit.Expected{}); err != nil {
		t.Error(err)
	}
}

func nested(depth int) any {
	if depth == 0 {
		return 1
	}
	return []any{nested(depth - 1)}
}

func TestTheTableHasNoFormulas(t *testing.T) {
	b := newBook(t, keyOf("gateway"))
	for _, who := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1+1", "＋1", "－1", "＠SUM(A1)", "\u202e=1", "\x1b[2J", "x\u009b\u200b", "ada", ""} {
		b.add(audit.LoginBegun, who, "rest", audit.Access{})
	}
	b.add(audit.ApprovalResolved, "ada", "rest", audit.Resolved{About: audit.About{ToolName: "=cmd|' /C calc'!A0"}, Rule: "-x", Millis: 12})
	var out strings.Builder
	if err := audit.WriteCSV(&out, all(b.records)); err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(table) != len(b.records)+1 {
		t.Fatalf("%d rows, %v", len(table), err)
	}
	for _, row := range table {
		for _, field := range row {
			if first, _ := utf8.DecodeRuneInString(field); field != "" && strings.ContainsRune("=+-@＝＋－＠\t\r\n", first) {
				t.Errorf("a field begins with %q", field)
			}
			if mask.Hidden(field) != field {
				t.Errorf("a field has what can't be seen: %q", field)
			}
		}
	}
	last := table[len(table)-1]
	if last[3] != "ada" || last[8] != "'=cmd|' /C calc'!A0" || last[12] != "'-x" || last[13] != "12" || last[1] != "2026-01-31T08:00:25.623456Z" {
		t.Errorf("the last row is %q", last)
	}
}

func TestAKeyIsReadInEveryForm(t *testing.T) {
	key := publicOf(keyOf("gateway"))
	for _, text := range []string{audit.KeyText(key), " " + audit.KeyText(key) + "\n", strings.TrimRight(audit.KeyText(key), "="), hex.EncodeToString(key), strings.ToUpper(hex.EncodeToString(key))} {
		if got, err := audit.ParseKey(text); err != nil || !got.Equal(key) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", audit.KeyText(key)[1:], hex.EncodeToString(key[1:]), audit.KeyText(append(key, 1))} {
		if _, err := audit.ParseKey(text); !errors.Is(err, audit.ErrKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAHeadIsANumberAndAHash(t *testing.T) {
	head := audit.Head{Seq: 7, Hash: strings.Repeat("0a", 32)}
	for _, text := range []string{head.String(), head.String() + "\n", strings.ToUpper(head.String())} {
		if got, err := audit.ParseHead(text); err != nil || got != head {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "7", "7:", ":" + head.Hash, "0:" + head.Hash, "-1:" + head.Hash, head.String() + "0", "7:" + strings.Repeat("x", 64)} {
		if _, err := audit.ParseHead(text); !errors.Is(err, audit.ErrHead) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(fromBefore))
	f.Add(written(f, whole(f, keyOf("gateway"), "ada")[:8]))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		records, err := read(file)
		again := written(t, records)
		// What is taken is byte by byte what would be written.
		if !bytes.HasPrefix(file, again) || err == nil && len(again) != len(file) {
			t.Fatalf("%q came back as %q (%v)", file, again, err)
		}
		if _, err := verify(file, audit.Expected{}); err != nil && !errors.Is(err, audit.ErrBroken) {
			t.Fatal(err)
		}
	})
}

func BenchmarkSealed(b *testing.B) {
	chain := whole(b, keyOf("gateway"), "ada")
	for b.Loop() {
		if _, err := chain[6].Sealed(chain[5].Head()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	chain := whole(b, keyOf("gateway"), "ada")
	for b.Loop() {
		if _, err := audit.Verify(all(chain)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(chain)), "ns/record")
}
