package auth

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
)

// everyAgent is the scope that is for all agents, now and later.
const everyAgent = "*"

// Scope names the agents that access is given for. A list that came out empty by mistake
// must not mean all of them: all is written as ["*"].
type Scope []string

// UnmarshalJSON refuses a list that is empty, null, or says all and some.
func (s *Scope) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	switch {
	case len(names) == 0:
		return errors.New(`no agent is named: name some, or write ["*"] for all`)
	case slices.Contains(names, ""):
		return errors.New("an agent's name is empty")
	case slices.Contains(names, everyAgent) && len(names) > 1:
		return errors.New(`name some agents, or write ["*"] for all, not both`)
	}
	*s = nil
	for _, name := range names {
		if !slices.Contains(*s, name) {
			*s = append(*s, name)
		}
	}
	return nil
}

// Named are the agents that the scope names; none: it is for all.
func (s Scope) Named() []string {
	if slices.Equal(s, Scope{everyAgent}) {
		return nil
	}
	return s
}
