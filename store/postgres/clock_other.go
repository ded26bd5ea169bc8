//go:build !linux

package postgres

import "time"

// sinceBoot is a clock that goes on while the machine sleeps: the wall's.
func sinceBoot() time.Duration { return time.Duration(time.Now().Round(0).UnixNano()) }
