package openai

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// chunk is one event of a stream, or the JSON body of an answer without one.
type chunk struct {
	Choices []choice  `json:"choices"`
	Usage   tool.JSON `json:"usage"`
	Error   tool.JSON `json:"error"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        piece  `json:"delta"`
	Message      piece  `json:"message"` // of an answer without a stream
	FinishReason string `json:"finish_reason"`
}

// piece is what a chunk adds to the message. Fields that servers write in more than
// one way are raw.
type piece struct {
	Content          tool.JSON   `json:"content"`
	Refusal          string      `json:"refusal"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        string      `json:"reasoning"`
	ReasoningDetails []tool.JSON `json:"reasoning_details"`
	ToolCalls        []callPiece `json:"tool_calls"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	CacheHit   int64 `json:"prompt_cache_hit_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// answer puts a message together from its pieces.
type answer struct {
	remote.Reading
	origin remote.Origin
	names  model.Names

	reason   string
	refused  bool
	text     strings.Builder
	thoughts strings.Builder
	details  details
	field    string // the field that thoughts came in, if the server may want them back
	calls    calls
	usage    model.Usage
}

var _ remote.Answer = (*answer)(nil)

// Event implements remote.Answer.
func (a *answer) Event(data []byte) (last bool, err error) {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, nil
	}
	return false, a.add(data)
}

// Whole implements remote.Answer.
func (a *answer) Whole(raw []byte) error {
	if err := a.add(raw); err != nil {
		return err
	}
	if !a.Begun {
		return remote.Broken("an answer without a choice", nil)
	}
	a.Complete = true
	return nil
}

// add takes one chunk.
func (a *answer) add(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c, remote.Lenient()); err != nil {
		return remote.Broken("not the JSON of an answer", err)
	}
	if kind := strictjson.Kind(c.Error); len(c.Error) > 0 && kind != 'n' {
		return remote.StreamError(data)
	}
	a.count(c.Usage)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // we ask for one
		}
		a.Begun = true
		a.addPiece(choice.Delta, false)
		a.addPiece(choice.Message, true)
		if choice.FinishReason == "error" {
			return remote.Broken("the server says that it failed", nil)
		}
		if choice.FinishReason != "" {
			a.Complete, a.reason = true, choice.FinishReason
		}
	}
	return nil
}

func (a *answer) addPiece(p piece, whole bool) {
	a.addText(contentText(p.Content))
	if p.Refusal != "" {
		a.refused = true
		a.addText(p.Refusal)
	}
	switch {
	case p.ReasoningContent != "":
		a.field = "reasoning_content"
		a.thoughts.WriteString(p.ReasoningContent)
	case p.Reasoning != "":
		a.thoughts.WriteString(p.Reasoning)
	}
	for _, d := range p.ReasoningDetails {
		a.details.add(d)
	}
	for i, c := range p.ToolCalls {
		if whole {
			c.Index = &i
		}
		a.calls.add(c)
	}
}

func (a *answer) addText(text string) {
	a.text.WriteString(text)
	a.Say(text)
}

// contentText is the text of a content, which is a string or a list of parts.
func contentText(v tool.JSON) string {
	if text, ok := remote.Text(v); ok {
		return text
	}
	var parts []struct {
		Type string    `json:"type"`
		Text tool.JSON `json:"text"`
	}
	if strictjson.Kind(v) != '[' || json.Unmarshal(v, &parts, remote.Lenient()) != nil {
		return ""
	}
	all := ""
	for _, p := range parts {
		if text, ok := remote.Text(p.Text); ok && p.Type == "text" {
			all += text
		}
	}
	return all
}

// count takes the usage of a chunk; the last one counts. One that can't be read is
// left out: many servers send none.
func (a *answer) count(v tool.JSON) {
	var u usage
	if strictjson.Kind(v) != '{' || json.Unmarshal(v, &u, remote.Lenient()) != nil {
		return
	}
	a.usage = model.Usage{
		Input:  u.Prompt,
		Cached: max(u.Details.Cached, u.CacheHit),
		Output: max(u.Completion, u.Total-u.Prompt), // some leave thoughts out of completion_tokens
	}
}

// Usage implements remote.Answer.
func (a *answer) Usage() model.Usage { return a.usage }

// Reply implements remote.Answer.
func (a *answer) Reply() (model.Reply, error) {
	r := model.Reply{Text: a.text.String(), Reasoning: a.thoughts.String(), Usage: a.usage}
	switch {
	case a.refused || strings.Contains(a.reason, "filter"): // content_filter, and what Gemini puts behind it
		r.Stop = model.StopRefused
	case a.reason == "length":
		r.Stop = model.StopLength
	}
	k := kept{Origin: a.origin, Details: a.details}
	if r.Reasoning == "" {
		r.Reasoning = a.details.text()
	}
	if a.field != "" && len(a.calls.all) > 0 && len(a.details) == 0 {
		k.Reasoning = a.thoughts.String()
	}
	for _, c := range a.calls.all {
		r.Calls = append(r.Calls, model.Call{ID: c.id, Name: a.names.Own(c.name), Args: c.arguments()})
		k.Calls = append(k.Calls, c.extra)
	}
	var err error
	r.Kept, err = k.value()
	return r, err
}
