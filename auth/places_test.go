package auth_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/auth"
)

func TestOnlyWhoHoldsManyPlacesIsToldOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := auth.NewPlaces(0, 0)
		many, few := auth.Identity{Subject: "many", Root: "many"}, auth.Identity{Subject: "few", Root: "few"}
		delay := func(who auth.Identity) time.Duration {
			began := time.Now()
			places.Spread(t.Context().Done(), who)
			return time.Since(began)
		}
		var leave func()
		for range 17 {
			leave, _ = places.Take(many)
		}
		places.Take(few)
		seen := map[time.Duration]bool{}
		for range 50 {
			d := delay(many)
			if d < 0 || d > 250*time.Millisecond {
				t.Errorf("delayed by %s", d)
			}
			seen[d] = true
		}
		if len(seen) < 40 {
			t.Errorf("only %d different delays: they all send at once", len(seen))
		}
		if d := delay(few); d != 0 {
			t.Errorf("the other is delayed by %s", d)
		}
		leave()
		if d := delay(many); d != 0 {
			t.Errorf("with 16 places: delayed by %s", d)
		}
	})
}
