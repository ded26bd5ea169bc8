package cli

import (
	"testing"

	"github.com/lineclear/lineclear/session"
)

func TestWhatASessionHasUsedIsShownInALine(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]session.Usage{
		"": {},
		"1200 tokens read (400 of them cached), 30 written":                  {Input: 1200, Cached: 400, Output: 30},
		"1200 tokens read (0 of them cached), 30 written, cost 0.0123":       {Input: 1200, Output: 30, Cost: 0.0123412},
		"1000000 tokens read (0 of them cached), 0 written, cost 15000.0000": {Input: 1000000, Cost: 15000},
	} {
		if got := used(u); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
