package approval

import "time"

// Ran is what came of a call that was started, as people are shown it.
type Ran struct {
	StartedAt  time.Time `json:"startedAt,omitzero"`  // when it was claimed
	FinishedAt time.Time `json:"finishedAt,omitzero"` // left out while it runs
	IsError    bool      `json:"isError,omitzero"`    // whether the call failed
	Unreported bool      `json:"unreported,omitzero"` // the program that ran it has not told what came of it
	ExitCode   *int64    `json:"exitCode,omitempty"`  // of a command, if its result has it
	Text       string    `json:"text,omitempty"`      // the beginning of what the model read
	Omitted    int       `json:"omitted,omitzero"`    // how many bytes of the text are left out
	Images     int       `json:"images,omitzero"`     // how many there are; the journal has them
}
