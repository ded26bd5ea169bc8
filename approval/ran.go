package approval

import "time"

// Ran is the result of a call that was started, as people are shown it.
type Ran struct {
	StartedAt  time.Time `json:"startedAt,omitzero"`  // when it was claimed
	FinishedAt time.Time `json:"finishedAt,omitzero"` // left out while it runs
	IsError    bool      `json:"isError,omitzero"`    // whether the call failed
	Unreported bool      `json:"unreported,omitzero"` // the program that ran the call has not reported a result
	ExitCode   *int64    `json:"exitCode,omitempty"`  // of a command, if the result has one
	Text       string    `json:"text,omitempty"`      // the beginning of the result that the model read
	Omitted    int       `json:"omitted,omitzero"`    // how many bytes of the text are left out
	Images     int       `json:"images,omitzero"`     // how many images the result has; they are in the journal
}
