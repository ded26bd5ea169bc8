package approval

import (
	"fmt"
	"slices"
	"strings"
)

// readWord takes text as one of the words of a closed list, letter by letter.
func readWord[T ~string](into *T, what string, text []byte, list ...T) error {
	if word := T(text); slices.Contains(list, word) {
		*into = word
		return nil
	}
	names := make([]string, len(list))
	for i, word := range list {
		names[i] = string(word)
	}
	last := len(names) - 1
	return fmt.Errorf("unknown %s %q: use %s or %s", what, text, strings.Join(names[:last], ", "), names[last])
}

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
