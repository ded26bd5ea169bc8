package policy

import (
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
)

func TestEachHazardIsWellFormed(t *testing.T) {
	want := 0
	for line := range strings.Lines(strings.TrimSpace(hazards)) {
		cells := strings.Split(line, "|")
		if len(cells) != 3 {
			t.Fatalf("%q has %d cells", line, len(cells))
		}
		want += strings.Count(cells[2], ",") + 1
		if err := new(approval.RiskLevel).UnmarshalText([]byte(strings.TrimSpace(cells[0]))); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	if got := len(knownHazards()); got != want {
		t.Errorf("%d patterns of %d can be used", got, want)
	}
}
