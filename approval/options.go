package approval

import (
	"slices"
	"strings"
)

// Option is an answer in a word of the tool's own, such as one on a button: what it
// stands for is the status and the scope.
type Option struct {
	Word   string `json:"word"` // what to send for it, and what the button says
	Status Status `json:"status"`
	Scope  Scope  `json:"scope,omitempty"`
}

// same reports whether both stand for the same answer.
func (o Option) same(other Option) bool { return o.Status == other.Status && o.Scope == other.Scope }

// OptionsOf reads words for answers, in the words of ParseWord. Of two for the same
// answer the first is kept.
func OptionsOf(words ...string) (options []Option, err error) {
	for _, word := range words {
		o := Option{Word: strings.TrimSpace(word)}
		if o.Status, o.Scope, err = ParseWord(word); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(options, o.same) {
			options = append(options, o)
		}
	}
	return options, nil
}

// Offered are the options of a request whose approval may cover the scopes. There is
// always one that says no; where none approves any more there is none at all, and the
// usual words stand.
func Offered(options []Option, scopes []Scope) []Option {
	var left []Option
	for _, o := range options {
		if o.Status != Approved || slices.Contains(scopes, o.Scope) {
			left = append(left, o)
		}
	}
	has := func(approves bool) bool {
		return slices.ContainsFunc(left, func(o Option) bool { return (o.Status == Approved) == approves })
	}
	switch {
	case !has(true):
		return nil
	case !has(false):
		left = append(left, Option{Word: "Deny", Status: Denied})
	}
	return left
}
