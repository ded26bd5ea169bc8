package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/internal/mask"
)

// ErrNotApprover is returned to who may answer, but not clear this call.
var ErrNotApprover = fmt.Errorf("%w: this call", auth.ErrForbidden)

// Approvers says who may approve a call. Anyone who may answer may deny it.
type Approvers struct {
	Rule      string      `json:"rule,omitempty"`     // which says so
	Subjects  []string    `json:"subjects,omitempty"` // these people
	Roles     []auth.Role `json:"roles,omitempty"`    // and whoever has one of these roles; if both are empty, anyone
	NotSender bool        `json:"notSender,omitzero"` // but nobody whose message the agent is at work on
}

// refusal says why an identity may not approve what was sent by the people
// named; empty where it may. Where it is not known who sent it, nobody is known
// not to have.
func (a Approvers) refusal(id auth.Identity, sentBy []string) string {
	has := func(r auth.Role) bool { return slices.Contains(id.Roles, r) }
	switch {
	case a.named() && !slices.Contains(a.Subjects, id.Subject) && !slices.ContainsFunc(a.Roles, has):
		return "needs " + a.who()
	case a.NotSender && len(sentBy) == 0:
		return "needs somebody who did not ask for it, and it is not known who did"
	case a.NotSender && slices.ContainsFunc(sentBy, func(by string) bool { return mask.Skeleton(by) == mask.Skeleton(id.Subject) }):
		return "needs somebody else than who asked for it"
	}
	return ""
}

// Demands reports whether anything is said of who may approve.
func (a Approvers) Demands() bool { return a.NotSender || a.named() }

func (a Approvers) named() bool { return len(a.Subjects)+len(a.Roles) > 0 }

func (a Approvers) who() string {
	all := slices.Clone(a.Subjects)
	for _, r := range a.Roles {
		all = append(all, "the role "+string(r))
	}
	return strings.Join(all, " or ")
}

// mayApprove holds an identity against all that a request demands of who
// approves it.
func MayApprove(id auth.Identity, demands []Approvers, sentBy []string, edited bool) error {
	for _, a := range demands {
		if a.NotSender && edited {
			return fmt.Errorf("%w as somebody has changed it needs another person (%s): deny it, and say what should be different", ErrNotApprover, a.Rule)
		}
		if why := a.refusal(id, sentBy); why != "" {
			return fmt.Errorf("%w %s (%s)", ErrNotApprover, why, a.Rule)
		}
	}
	return nil
}

// Words says it for people.
func (a Approvers) Words() string {
	words := "anyone who may answer"
	if a.named() {
		words = a.who()
	}
	if a.NotSender {
		words += ", but not who asked for it"
	}
	return words
}

// Senders are the people on whose word a request is made.
func (r Request) Senders() []string {
	if r.Origin.Kind == OriginProgram {
		return []string{r.Origin.Subject}
	}
	return r.SentBy
}
