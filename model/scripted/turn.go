package scripted

import (
	"strings"

	"github.com/lineclear/lineclear/model"
)

// turn is what has happened since the user's newest message.
type turn struct {
	said    string   // by the user
	rounds  int      // replies with calls so far
	results []result // of the newest of them
}

type result struct {
	tool    string
	text    string
	isError bool
}

func newestTurn(messages []model.Message) turn {
	var t turn
	start := len(messages)
	for start > 0 && messages[start-1].Role != model.User {
		start--
	}
	if start > 0 {
		t.said = messages[start-1].Text
	}
	names := map[string]string{} // of all calls: a result may come after the next message
	for i, m := range messages {
		switch m.Role {
		case model.User:
		case model.Assistant:
			for _, c := range m.Calls {
				names[c.ID] = c.Name
			}
			if i >= start && len(m.Calls) > 0 {
				t.rounds++
				t.results = nil
			}
		case model.ToolRole:
			if i >= start {
				t.results = append(t.results, result{tool: names[m.CallID], text: m.Text, isError: m.IsError})
			}
		}
	}
	return t
}

// fill puts the results into a script's text.
func (t turn) fill(text string) string {
	if !strings.Contains(text, "{results}") {
		return text
	}
	return strings.ReplaceAll(text, "{results}", t.quote())
}

// quote repeats every result, so that nothing that a tool or a person had to
// say is lost.
func (t turn) quote() string {
	if len(t.results) == 0 {
		return "There are no results."
	}
	parts := make([]string, 0, len(t.results))
	for _, r := range t.results {
		parts = append(parts, r.quote())
	}
	return strings.Join(parts, "\n\n")
}

func (r result) quote() string {
	name := r.tool
	if name == "" {
		name = "a tool"
	}
	switch {
	case r.isError:
		return name + " did not run or failed:\n" + r.text
	case r.text == "":
		return name + " said nothing."
	default:
		return name + " said:\n" + r.text
	}
}
