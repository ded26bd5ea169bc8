package model

import (
	"errors"
	"fmt"
	"time"
)

// Kind tells a provider's failures apart.
type Kind string

// The kinds of failures.
const (
	TooLong     Kind = "too_long"     // the conversation is more than the model can read
	RateLimited Kind = "rate_limited" // asked too often, or the quota is used up; retries have not helped
	Denied      Kind = "denied"       // the key is missing, wrong, or not for this model
	Rejected    Kind = "rejected"     // the provider does not take the request as it is
	Unavailable Kind = "unavailable"  // not reached, overloaded, or too slow; retries have not helped
	Broken      Kind = "broken"       // the answer ended too early, or can't be read
)

// Error is a model's failure, in words for people.
type Error struct {
	Kind     Kind
	Provider string        // such as openai
	Detail   string        // the provider's own words, cleaned and cut; may be empty
	After    time.Duration // of RateLimited: when the provider says to come again; zero: it does not say
	Err      error         // the cause; may be nil
}

// Error implements error.
func (e *Error) Error() string {
	text := "model: " + e.Provider + ": " + e.Kind.words()
	if e.After > 0 {
		text += fmt.Sprintf(" (again in %s)", e.After)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (k Kind) words() string {
	switch k {
	case TooLong:
		return "the conversation is longer than the model can read"
	case RateLimited:
		return "asked too often, or the quota is used up"
	case Denied:
		return "the key is not accepted"
	case Rejected:
		return "the request is not accepted"
	case Unavailable:
		return "the provider can't be reached or is overloaded"
	case Broken:
		return "the answer broke off"
	default:
		return "failed"
	}
}

// KindOf is the kind of a model's failure; empty for other errors.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
