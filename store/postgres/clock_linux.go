package postgres

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is a clock that only goes on, also while the machine sleeps.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // there is no Linux without it
	}
	return time.Duration(t.Nano())
}
