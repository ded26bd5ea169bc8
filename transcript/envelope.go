package transcript

import (
	"errors"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// ErrToolText refuses to pass the text of a tool message on as talk.
var ErrToolText = errors.New("transcript: this is the text of an answer, and never goes to the agent: answer on the request's card, or send it without talk; to speak of it, put words before it")

// toolText is a tool message in the form of a text, as some clients send it.
type toolText struct {
	Type       string `json:"__type"`
	ToolCallID string `json:"tool_call_id"`
	Content    string `json:"content"`
	AgentID    string `json:"agentId,omitempty"` // only compared
	Role       Role   `json:"role,omitempty"`
}

const toolResult = "tool_result"

// IsToolText reports whether a text is a tool message, or was meant to be one: an
// object with a __type, or one that says in other words that it is the result of a
// call of RequestApproval. Other JSON is talk.
func IsToolText(text string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		return false
	}
	var members map[string]tool.JSON
	if err := json.Unmarshal([]byte(text), &members, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return meantAsToolText.MatchString(text)
	}
	typed, names := false, false
	for name, v := range members {
		plain, says := letters(name), letters(string(v))
		switch {
		case plain == "type" && strings.HasPrefix(name, "__"), plain == "toolcallid" && strings.HasPrefix(says, "approval"):
			return true
		case plain == "type":
			typed = strings.HasPrefix(says, "toolresult")
		case plain == "toolcallid":
			names = true
		}
	}
	return typed && names
}

// meantAsToolText finds one that is no JSON, such as one that is cut off.
var meantAsToolText = regexp.MustCompile(`(?i)\b__type\b|tool_?call_?id\W+approval_`)

// letters is a text without what people spell differently: case, lines and spaces.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, lower(text))
}

// readToolText reads a text for which IsToolText is true.
func readToolText(text string) (m Message, agentID string, err error) {
	var t toolText
	err = strictjson.Decode([]byte(strings.TrimSpace(text)), &t)
	switch {
	case err != nil:
	case t.Type != toolResult:
		err = errors.New("__type: want " + toolResult)
	case t.Role != "" && t.Role != Tool:
		err = errors.New("role: want tool")
	}
	if err != nil {
		return Message{}, "", invalid(`text: this looks like a tool message, and is none: %w; send {"__type": "tool_result", "tool_call_id": "approval_ID", "content": "{\"decision\": \"approve\"}"}; to speak of it, put words before it`, err)
	}
	return Message{Role: Tool, ToolCallID: t.ToolCallID, Content: t.Content}, t.AgentID, nil
}
