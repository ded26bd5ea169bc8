package modeltest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/strictjson"
)

// chatBody is every field that the strict server takes.
type chatBody struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int           `json:"max_tokens"`
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	Temperature         *float64       `json:"temperature"`
	ReasoningEffort     string         `json:"reasoning_effort"`
	ToolChoice          jsontext.Value `json:"tool_choice"`
}

type chatMessage struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content"`
	ToolCalls  []chatCall     `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id"`
	Details    []chatDetail   `json:"reasoning_details"`
	Reasoning  string         `json:"reasoning_content"`
}

type chatDetail struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Index     int    `json:"index"`
	Signature string `json:"signature"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra jsontext.Value `json:"extra_content"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description *string        `json:"description"`
		Parameters  jsontext.Value `json:"parameters"`
	} `json:"function"`
}

type chatPart struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

func (chat) check(s *Server, h http.Header, raw []byte) error {
	want := ""
	if s.Key != "" {
		want = "Bearer " + s.Key
	}
	switch {
	case h.Get("Content-Type") != "application/json":
		return fmt.Errorf("content-type: %q", h.Get("Content-Type"))
	case h.Get("Authorization") != want || h.Get("X-Api-Key") != "":
		return errors.New("authorization: not the key")
	}
	var b chatBody
	if err := strictjson.Decode(raw, &b); err != nil {
		return err
	}
	switch {
	case b.Model == "":
		return errors.New("model: missing")
	case !b.Stream || !b.StreamOptions.IncludeUsage:
		return errors.New("stream: want a stream with its usage")
	case b.MaxTokens != nil && b.MaxCompletionTokens != nil, b.MaxTokens != nil && *b.MaxTokens <= 0:
		return errors.New("max_tokens: out of range")
	case len(b.Messages) == 0:
		return errors.New("messages: empty")
	}
	var names []string
	for i, t := range b.Tools {
		if t.Type != "function" || t.Function.Description != nil && *t.Function.Description == "" {
			return fmt.Errorf("tools[%d]: want a function, described or not", i)
		}
		if err := checkSchema(t.Function.Parameters, true); err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		names = append(names, t.Function.Name)
	}
	if err := checkNames(names); err != nil {
		return err
	}
	return checkChat(b.Messages, s.Extras)
}

// checkChat goes through the messages in their order.
func checkChat(all []chatMessage, extras bool) error {
	open, seen := map[string]bool{}, map[string]bool{} // calls without their result, and all
	for i, m := range all {
		at := fmt.Sprintf("messages[%d]: ", i)
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("%san assistant message with tool_calls must be followed by tool messages for each id; missing: %v", at, open)
		}
		if m.Role != "assistant" && (len(m.ToolCalls) > 0 || len(m.Details) > 0 || m.Reasoning != "") || m.Role != "tool" && m.ToolCallID != "" {
			return fmt.Errorf("%sa field of another role than %s", at, m.Role)
		}
		var err error
		switch m.Role {
		case "system":
			if i > 0 {
				return fmt.Errorf("%sa system message after others", at)
			}
			err = checkText(m.Content)
		case "user":
			err = checkParts(m.Content)
		case "assistant":
			err = checkAssistant(m, open, seen, extras)
		case "tool":
			if !open[m.ToolCallID] {
				return fmt.Errorf("%stool_call_id %q: no call before it waits for that", at, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			err = checkText(m.Content)
		default:
			return fmt.Errorf("%sunknown role %q", at, m.Role)
		}
		if err != nil {
			return fmt.Errorf("%s%w", at, err)
		}
	}
	if last := all[len(all)-1].Role; len(open) > 0 || last != "user" && last != "tool" {
		return fmt.Errorf("messages: end with %s, calls without a result: %v", last, open)
	}
	return nil
}

func checkAssistant(m chatMessage, open, seen map[string]bool, extras bool) error {
	if len(m.Content) == 0 && len(m.ToolCalls) == 0 {
		return errors.New("neither content nor tool_calls")
	}
	if len(m.Content) > 0 {
		if err := checkText(m.Content); err != nil {
			return err
		}
	}
	if !extras && (len(m.Details) > 0 || m.Reasoning != "") {
		return errors.New("reasoning: unknown field")
	}
	for _, d := range m.Details {
		if d.Type != "reasoning.text" || d.Signature != sign(d.Text) {
			return errors.New("reasoning_details: not as they were sent")
		}
	}
	for _, c := range m.ToolCalls {
		switch {
		case c.ID == "" || len(c.ID) > 40 || seen[c.ID]:
			return fmt.Errorf("tool_calls: the id %q is empty, too long, or repeated", c.ID)
		case c.Type != "function" || !validName(c.Function.Name):
			return fmt.Errorf("tool_calls: the name %q does not match ^[a-zA-Z0-9_-]{1,64}$", c.Function.Name)
		case !extras && len(c.Extra) > 0:
			return errors.New("extra_content: unknown field")
		}
		if _, err := strictjson.Object([]byte(c.Function.Arguments)); err != nil {
			return fmt.Errorf("tool_calls: arguments: %w", err)
		}
		open[c.ID], seen[c.ID] = true, true
	}
	return nil
}

// checkText wants a text that is not empty.
func checkText(v jsontext.Value) error {
	var text string
	if err := strictjson.Decode(v, &text); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if isBlank(text) {
		return errors.New("content: empty")
	}
	return nil
}

// checkParts wants a text, or a list of texts and images.
func checkParts(v jsontext.Value) error {
	if v.Kind() != '[' {
		return checkText(v)
	}
	var parts []chatPart
	if err := strictjson.Decode(v, &parts); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if len(parts) == 0 {
		return errors.New("content: empty")
	}
	for _, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil && !isBlank(*p.Text) && p.ImageURL == nil:
		case p.Type == "image_url" && p.Text == nil && p.ImageURL != nil && isImageURL(p.ImageURL.URL):
		default:
			return fmt.Errorf("content: a part of the type %q that is none", p.Type)
		}
	}
	return nil
}

func isImageURL(url string) bool {
	mime, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	return ok && isImage(mime, data)
}

func isImage(mime, data string) bool {
	raw, err := base64.StdEncoding.DecodeString(data)
	return err == nil && len(raw) > 0 && slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

func validName(name string) bool {
	return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name)
}

// checkNames wants names that are taken and each only once.
func checkNames(names []string) error {
	slices.Sort(names)
	for i, name := range names {
		if !validName(name) || i > 0 && names[i-1] == name {
			return fmt.Errorf("tools: the name %q does not match ^[a-zA-Z0-9_-]{1,64}$, or is given twice", name)
		}
	}
	return nil
}

// checkSchema wants the schema of an object, and its properties if they are
// asked for.
func checkSchema(v jsontext.Value, properties bool) error {
	var s struct {
		Type       string         `json:"type"`
		Properties jsontext.Value `json:"properties"`
	}
	switch err := json.Unmarshal(v, &s); {
	case err != nil:
		return fmt.Errorf("schema: %w", err)
	case s.Type != "object":
		return errors.New("schema: type: want object")
	case properties && s.Properties.Kind() != '{':
		return errors.New("schema: object schema missing properties")
	}
	return nil
}

// isBlank is as a Python server sees it.
func isBlank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return r >= 0x1c && r <= 0x1f || strings.TrimSpace(string(r)) == "" }) == ""
}
