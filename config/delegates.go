package config

import (
	"slices"
	"strconv"
	"strings"
)

// delegates checks to whom each agent hands work: agents of the file, and
// nobody who hands it back, however far round.
func (r resolver) delegates(f file, agents []Agent) {
	known := r.doc.keys["agents"]
	for _, a := range agents {
		for i, to := range a.Delegates {
			at := []string{"agents", a.ID, "delegates", strconv.Itoa(i)}
			switch {
			case !slices.Contains(known, to):
				r.fault(at, "there is no agent %s%s (there are: %s)", r.doc.given(at), meant(to, known), strings.Join(known, ", "))
			case reaches(f, to, a.ID, nil):
				r.fault(at, "%s would be handed back to %s: an agent can't be among those below it", r.doc.given(at), a.ID)
			}
		}
	}
}

// reaches reports whether work handed to from can come to to.
func reaches(f file, from, to string, passed []string) bool {
	if from == to {
		return true
	}
	if slices.Contains(passed, from) {
		return false
	}
	return slices.ContainsFunc(f.Agents[from].Delegates, func(next string) bool {
		return reaches(f, next, to, append(passed, from))
	})
}
