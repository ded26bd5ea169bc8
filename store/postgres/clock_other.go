//go:build !linux

package postgres

import "time"

// sinceBoot is a clock that keeps counting while the machine sleeps: the wall clock.
func sinceBoot() time.Duration { return time.Duration(time.Now().Round(0).UnixNano()) }
