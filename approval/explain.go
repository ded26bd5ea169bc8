package approval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Explain says in words for the model why the call did not run. A timeout is
// told apart from a person's no.
func (a Approval) Explain() string {
	r := a.Last()
	switch r.Reason {
	case UserDenied:
		return fmt.Sprintf("Denied by %s%s Do not repeat the call unchanged.", r.By.Subject, because(r.Message))
	case PolicyDenied:
		return "Denied by the policy" + because(r.Message) + " Nobody was asked. Do not repeat the call unchanged."
	case Timeout:
		text := fmt.Sprintf("Not run: nobody answered within %s. No person refused it.", a.waited())
		if a.Unanswered > 0 {
			text += fmt.Sprintf(" This same call has gone without an answer %d times now.", a.Unanswered+1)
		}
		return text
	case UserCancelled:
		return fmt.Sprintf("Not run: the request was cancelled by %s%s", r.By.Subject, because(r.Message))
	case SystemCancelled:
		return "Not run: the request was cancelled by the system" + because(r.Message)
	case Superseded:
		return "Not run: the call was asked again."
	case ValidationFailed:
		return "Not run: the arguments can't be used" + because(r.Message) + " Nobody was asked."
	case NoHandler:
		return "Not run: nobody can be asked for approval at the moment."
	case HandlerFailed:
		return "Not run: asking for approval failed" + because(r.Message)
	case AskerGone:
		return "Not run: the program that asked no longer waits for the answer."
	case Halted:
		return fmt.Sprintf("Not run: %s has halted this agent. Nothing is run until the halt is lifted.", r.By.Subject)
	case TooManyPending:
		return "Not run: so many requests of this agent wait for an answer already that nobody was asked. " +
			"Wait for those, and ask for less at a time."
	default:
		return "Not run: the call was not approved."
	}
}

func because(message string) string {
	message = strings.TrimSpace(message)
	if message == "" {
		return "."
	}
	if strings.HasSuffix(message, ".") || strings.HasSuffix(message, "!") || strings.HasSuffix(message, "?") {
		return ": " + message
	}
	return ": " + message + "."
}

// waited is how long an answer was waited for: a program's deadline is a fraction off.
func (a Approval) waited() time.Duration {
	d := a.ExpiresAt.Sub(a.RequestedAt)
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

// placeholder matches what stands for an argument in a message.
var placeholder = regexp.MustCompile(`\{([^{}]*[^{}\s][^{}]*)\}`)

// Placeholders are the arguments for which something stands in the message, each once.
func (t Terms) Placeholders() []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(t.Message, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// MessageFor fills the terms' template: {name} stands for the argument of that
// name, with hidden characters made visible. Without a template it is empty.
func (t Terms) MessageFor(args tool.JSON) string {
	if t.Message == "" {
		return ""
	}
	var values map[string]tool.JSON
	if err := json.Unmarshal(args, &values); err != nil {
		return mask.Hidden(t.Message)
	}
	pairs := make([]string, 0, 2*len(values))
	for name, v := range values {
		text := string(v)
		if strictjson.Kind(v) == '"' {
			_ = json.Unmarshal(v, &text) // it is a string: this can't fail
		}
		pairs = append(pairs, "{"+name+"}", mask.Hidden(text))
	}
	return strings.NewReplacer(pairs...).Replace(t.Message)
}
