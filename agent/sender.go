package agent

import (
	"slices"

	"github.com/lineclear/lineclear/session"
)

// senders are the people on whose word a turn is: whoever has said something
// since the agent was last done.
func senders(conv *session.Conversation) []string {
	var all []string
	for _, step := range slices.Backward(conv.Steps) {
		switch {
		case step.User != nil && len(step.User.SentBy) > 0:
			all = append(all, step.User.SentBy...)
		case step.User != nil && step.User.By != "":
			all = append(all, step.User.By)
		case step.Assistant != nil && len(step.Assistant.ToolCalls) == 0:
			slices.Sort(all)
			return slices.Compact(all)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
