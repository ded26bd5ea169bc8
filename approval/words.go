package approval

import (
	"fmt"
	"strings"
)

// ParseWord reads the words that other systems and buttons use for an answer,
// and says what they mean here; see the table in docs/protocol.md. It is for
// adapters and configuration: doors take the exact statuses and scopes.
func ParseWord(word string) (Status, Scope, error) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "approve", "approved", "allow", "accept", "yes", "once", "allow_once", "approve_once":
		return Approved, Once, nil
	case "session", "always", "allow_session", "approve_session", "allow_always",
		"acceptforsession", "unlimited", "rememberchoice":
		return Approved, Session, nil
	case "deny", "denied", "reject", "rejected", "decline", "no", "reject_once":
		return Denied, "", nil
	case "cancel", "cancelled", "abort":
		return Cancelled, "", nil
	default:
		return "", "", fmt.Errorf("unknown answer %q: use once, session, deny or cancel", word)
	}
}
