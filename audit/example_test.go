package audit_test

import (
	"os"
	"strings"

	"github.com/lineclear/lineclear/audit"
)

// An exported file is verified without a gateway.
func ExampleCheck() {
	file := strings.NewReader(strings.Replace(fromBefore, `"denied"`, `"approved"`, 1))
	audit.Check(os.Stdout, os.Stdout, audit.Expected{}, audit.Lines(file))
	// Output:
	// BROKEN at record 3 (changed): record 3 was changed.
	// What is before holds together: 2 records, from 1 (2026-01-31T08:00:00Z) to 2 (2026-01-31T08:00:01Z).
}
