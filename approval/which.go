package approval

import "fmt"

// Which names requests: those of a session and the ones below it, of an agent, or all
// of those that the identity is for. Exactly one field is set.
type Which struct {
	SessionID string `json:"sessionId,omitempty"`
	AgentID   string `json:"agentId,omitempty"`
	All       bool   `json:"all,omitempty"` // everything that the caller may answer
}

// Check refuses what names nothing, or more than one thing.
func (w Which) Check() error {
	named := 0
	for _, is := range []bool{w.SessionID != "", w.AgentID != "", w.All} {
		if is {
			named++
		}
	}
	if named != 1 {
		return fmt.Errorf("%w: name one of sessionId, agentId and all", ErrInvalid)
	}
	return nil
}
