package modeltest

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
)

// rawJSON is a text that is written as the JSON that it is.
type rawJSON = jsontext.Value

// messagesBody is every field that the strict server takes.
type messagesBody struct {
	Model        string         `json:"model"`
	MaxTokens    int            `json:"max_tokens"`
	System       []contentBlock `json:"system"`
	Messages     []messageTurn  `json:"messages"`
	Tools        []messagesTool `json:"tools"`
	Stream       bool           `json:"stream"`
	Thinking     jsontext.Value `json:"thinking"`
	ToolChoice   jsontext.Value `json:"tool_choice"`
	CacheControl jsontext.Value `json:"cache_control"`
}

type messageTurn struct {
	Role    string         `json:"role"`
	Content []contentBlock `json:"content"`
}

// contentBlock has the fields of every kind of block; pointers tell what is
// left out.
type contentBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	ID        *string         `json:"id"`
	Name      *string         `json:"name"`
	Input     jsontext.Value  `json:"input"`
	ToolUseID *string         `json:"tool_use_id"`
	IsError   *bool           `json:"is_error"`
	Content   *[]contentBlock `json:"content"`
	Source    *imageSource    `json:"source"`
	Thinking  *string         `json:"thinking"`
	Signature *string         `json:"signature"`
	Data      *string         `json:"data"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type messagesTool struct {
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	InputSchema jsontext.Value `json:"input_schema"`
}

func (messages) check(s *Server, h http.Header, raw []byte) error {
	keys := []string{}
	for _, key := range []string{h.Get("Authorization"), h.Get("X-Api-Key")} {
		if key != "" {
			keys = append(keys, key)
		}
	}
	switch {
	case h.Get("Content-Type") != "application/json":
		return fmt.Errorf("content-type: %q", h.Get("Content-Type"))
	case !slices.Contains([]string{"2023-06-01", "2026-10-21"}, h.Get("Anthropic-Version")):
		return errors.New("anthropic-version: missing, or none that there is")
	case s.Key == "" && len(keys) > 0, s.Key != "" && (len(keys) != 1 || keys[0] != s.Key && keys[0] != "Bearer "+s.Key):
		return errors.New("authorization: not the key")
	}
	var b messagesBody
	if err := strictjson.Decode(raw, &b); err != nil {
		return fmt.Errorf("extra inputs are not permitted, or wrong ones: %w", err)
	}
	switch {
	case b.Model == "":
		return errors.New("model: field required")
	case b.MaxTokens <= 0:
		return errors.New("max_tokens: field required")
	case !b.Stream:
		return errors.New("stream: want a stream")
	}
	for _, block := range b.System {
		if block.Type != "text" {
			return errors.New("system: want texts")
		}
		if err := checkBlock(block); err != nil {
			return fmt.Errorf("system: %w", err)
		}
	}
	var names []string
	for i, t := range b.Tools {
		if t.Description != nil && *t.Description == "" {
			return fmt.Errorf("tools.%d: description: empty", i)
		}
		if err := checkSchema(t.InputSchema, false); err != nil {
			return fmt.Errorf("tools.%d: %w", i, err)
		}
		names = append(names, t.Name)
	}
	if err := checkNames(names); err != nil {
		return err
	}
	return checkTurns(b.Messages)
}

// checkTurns goes through the messages in their order, whose roles take turns.
func checkTurns(all []messageTurn) error {
	if len(all) == 0 || all[0].Role != "user" || all[len(all)-1].Role != "user" {
		return errors.New("messages: must begin and end with the user's")
	}
	seen, open := map[string]bool{}, []string{}
	for i, m := range all {
		at := fmt.Sprintf("messages.%d: ", i)
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return fmt.Errorf("%srole %q, where it is the %s's turn", at, m.Role, want)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("%scontent must not be empty", at)
		}
		for _, b := range m.Content {
			if err := checkBlock(b); err != nil {
				return fmt.Errorf("%s%w", at, err)
			}
		}
		var err error
		if m.Role == "user" {
			err = checkResults(m.Content, open)
			open = nil
		} else {
			open, err = checkCalls(m.Content, seen)
		}
		if err != nil {
			return fmt.Errorf("%s%w", at, err)
		}
	}
	return nil
}

// checkResults wants the results of the calls before, each once and first.
func checkResults(blocks []contentBlock, open []string) error {
	open = slices.Clone(open)
	others := false
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			i := slices.Index(open, *b.ToolUseID)
			if i < 0 {
				return fmt.Errorf("unexpected tool_use_id %q: no tool_use in the message before", *b.ToolUseID)
			}
			if others {
				return errors.New("tool_result blocks must come first")
			}
			open = slices.Delete(open, i, i+1)
		case "text", "image":
			others = true
		default:
			return fmt.Errorf("a %s block of the user", b.Type)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("tool_use ids without tool_result blocks immediately after: %v", open)
	}
	return nil
}

// checkCalls returns the calls of a message of the assistant.
func checkCalls(blocks []contentBlock, seen map[string]bool) ([]string, error) {
	var open []string
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			if seen[*b.ID] {
				return nil, fmt.Errorf("tool_use ids must be unique: %q", *b.ID)
			}
			seen[*b.ID] = true
			open = append(open, *b.ID)
		case "text", "thinking", "redacted_thinking":
			if len(open) > 0 && b.Type != "text" {
				return nil, errors.New("a thought after tool_use")
			}
		default:
			return nil, fmt.Errorf("a %s block of the assistant", b.Type)
		}
	}
	if last := blocks[len(blocks)-1].Type; last != "text" && last != "tool_use" {
		return nil, fmt.Errorf("the final block is %s", last)
	}
	return open, nil
}

// checkBlock wants the fields of the block's kind and no others.
func checkBlock(b contentBlock) error {
	has := map[string]bool{
		"text": b.Text != nil, "id": b.ID != nil, "name": b.Name != nil, "input": len(b.Input) > 0, "tool_use_id": b.ToolUseID != nil,
		"is_error": b.IsError != nil, "content": b.Content != nil, "source": b.Source != nil,
		"thinking": b.Thinking != nil, "signature": b.Signature != nil, "data": b.Data != nil,
	}
	needs, ok := map[string][]string{
		"text": {"text"}, "image": {"source"}, "tool_use": {"id", "name", "input"}, "tool_result": {"tool_use_id"},
		"thinking": {"thinking", "signature"}, "redacted_thinking": {"data"},
	}[b.Type]
	if !ok {
		return fmt.Errorf("unknown block %q", b.Type)
	}
	for _, name := range needs {
		if !has[name] {
			return fmt.Errorf("%s: %s: field required", b.Type, name)
		}
		delete(has, name)
	}
	for name, there := range has {
		if there && (b.Type != "tool_result" || name != "is_error" && name != "content") {
			return fmt.Errorf("%s: %s: extra inputs are not permitted", b.Type, name)
		}
	}
	return checkInside(b)
}

func checkInside(b contentBlock) error {
	switch b.Type {
	case "text":
		if isBlank(*b.Text) {
			return errors.New("text content blocks must contain non-whitespace text")
		}
	case "image":
		if b.Source.Type != "base64" || !isImage(b.Source.MediaType, b.Source.Data) {
			return errors.New("image: could not process it")
		}
	case "tool_use":
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(*b.ID) || !validName(*b.Name) || b.Input.Kind() != '{' {
			return fmt.Errorf("tool_use %q: a wrong id, name or input", *b.ID)
		}
	case "thinking":
		if *b.Signature != sign(*b.Thinking) {
			return errors.New("thinking: invalid signature")
		}
	case "redacted_thinking":
		if *b.Data != sign("hidden") {
			return errors.New("redacted_thinking: invalid data")
		}
	case "tool_result":
		return checkResult(b)
	}
	return nil
}

func checkResult(b contentBlock) error {
	failed := b.IsError != nil && *b.IsError
	if b.Content == nil || len(*b.Content) == 0 {
		if failed {
			return errors.New("tool_result: content cannot be empty if is_error is true")
		}
		return nil
	}
	for _, inner := range *b.Content {
		if inner.Type != "text" && (failed || inner.Type != "image") {
			return errors.New("tool_result: want texts and images, and texts alone if is_error is true")
		}
		if err := checkBlock(inner); err != nil {
			return fmt.Errorf("tool_result: %w", err)
		}
	}
	return nil
}
