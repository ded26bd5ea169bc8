package audit_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lineclear/lineclear/audit"
	"github.com/lineclear/lineclear/tool"
)

func chain(t *testing.T, n int) []audit.Record {
	t.Helper()
	var records []audit.Record
	var last audit.Head
	for i := range n {
		r, err := audit.Record{
			At: time.Unix(int64(i), 0), Kind: "approval.resolved", Subject: "ada", Data: tool.JSON(`{"n":1}`),
		}.Sealed(last)
		if err != nil {
			t.Fatal(err)
		}
		records, last = append(records, r), r.Head()
	}
	return records
}

func all(records []audit.Record) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestAnUntouchedChainHolds(t *testing.T) {
	if report, err := audit.Verify(all(chain(t, 5))); err != nil || report.Last.Seq != 5 {
		t.Errorf("last is %d, %v", report.Last.Seq, err)
	}
}

func TestEveryTamperingIsFoundWhereItIs(t *testing.T) {
	for name, tamper := range map[string]func([]audit.Record) []audit.Record{
		"a changed subject":  func(r []audit.Record) []audit.Record { r[2].Subject = "eve"; return r },
		"a changed kind":     func(r []audit.Record) []audit.Record { r[2].Kind = "login"; return r },
		"a changed time":     func(r []audit.Record) []audit.Record { r[2].At = r[2].At.Add(time.Second); return r },
		"changed data":       func(r []audit.Record) []audit.Record { r[2].Data = tool.JSON(`{"n":2}`); return r },
		"a changed hash":     func(r []audit.Record) []audit.Record { r[2].Hash = r[1].Hash; return r },
		"a removed record":   func(r []audit.Record) []audit.Record { return slices.Delete(r, 2, 3) },
		"two that swapped":   func(r []audit.Record) []audit.Record { r[2], r[3] = r[3], r[2]; return r },
		"a record put twice": func(r []audit.Record) []audit.Record { return slices.Insert(r, 2, r[2]) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := audit.Verify(all(tamper(chain(t, 5))))
			if !errors.Is(err, audit.ErrBroken) || !(strings.Contains(err.Error(), "record 3") || strings.Contains(err.Error(), "record 4")) {
				t.Errorf("got %v", err)
			}
		})
	}
}
