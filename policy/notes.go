package policy

import (
	"fmt"
	"strings"

	"github.com/lineclear/lineclear/internal/programs"
)

// Note says that an allow rule's commands write files but the rule has no writes, and which lines to
// add; empty if that is not so. Before writes existed, such rules allowed writing.
func (r *Compiled) Note() string {
	if r.rule.Effect != Allow || len(r.rule.Writes) > 0 {
		return ""
	}
	var writing []string
	for _, p := range r.patterns {
		if programs.Writes(p) {
			writing = append(writing, p.String())
		}
	}
	if len(writing) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s writes files, which the rule does not name, so that it is asked about: add writes: [\"**\"], or narrower, and overwrite: true for files that have something in them",
		r.rule.Name, strings.Join(writing, ", "))
}
