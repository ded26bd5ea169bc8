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
		if step.Assistant != nil && len(step.Assistant.ToolCalls) == 0 {
			break // it was done
		}
		switch said := step.User; {
		case said == nil:
		case len(said.SentBy) > 0:
			all = append(all, said.SentBy...)
		case said.By != "":
			all = append(all, said.By)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
