package postgres

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is a monotonic clock that keeps counting while the machine sleeps.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // every Linux has it
	}
	return time.Duration(t.Nano())
}
