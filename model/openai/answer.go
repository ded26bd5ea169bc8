package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/lineclear/lineclear/model"
)

// chunk is one event of a stream, or a whole answer.
type chunk struct {
	Choices []choice       `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        piece  `json:"delta"`
	Message      piece  `json:"message"` // of a whole answer
	FinishReason string `json:"finish_reason"`
}

// piece is what a chunk adds to the message. Raw values are those that servers
// write in more than one way.
type piece struct {
	Content          jsontext.Value   `json:"content"`
	Refusal          string           `json:"refusal"`
	ReasoningContent string           `json:"reasoning_content"`
	Reasoning        string           `json:"reasoning"`
	ReasoningDetails []jsontext.Value `json:"reasoning_details"`
	ToolCalls        []callPiece      `json:"tool_calls"`
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

// lenient is how a provider's JSON is read: what is no UTF-8 is replaced.
func lenient() json.Options { return jsontext.AllowInvalidUTF8(true) }

// answer puts a message together from its pieces.
type answer struct {
	names   model.Names
	onDelta func(model.Delta)

	begun    bool // something of the answer has arrived
	finished bool // the server has said why it ended
	reason   string
	refused  bool
	text     strings.Builder
	thoughts strings.Builder
	details  details
	field    string // the name under which thoughts came, if they may be wanted back
	calls    calls
	usage    model.Usage
}

// read reads a stream of events, or the one body of a server that does not
// stream.
func (a *answer) read(res *http.Response) error {
	body := bufio.NewReader(res.Body)
	if startsObject(body) {
		raw, err := io.ReadAll(body)
		if err != nil {
			return broken("the answer broke off", err)
		}
		return a.whole(raw)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{body, res.Body}
	events := ssestream.NewDecoder(res)
	for events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			break
		}
		if err := a.add(data); err != nil {
			return err
		}
	}
	switch {
	case a.finished:
		return nil
	case errors.Is(events.Err(), errTooLarge):
		return broken(errTooLarge.Error(), errTooLarge)
	}
	return broken("no word why it ended", events.Err())
}

// startsObject reports whether the first character is that of a JSON object,
// which no stream of events begins with.
func startsObject(r *bufio.Reader) bool {
	for {
		c, err := r.Peek(1)
		if err != nil || !strings.ContainsRune(" \t\r\n", rune(c[0])) {
			return err == nil && c[0] == '{'
		}
		_, _ = r.Discard(1)
	}
}

func (a *answer) whole(raw []byte) error {
	if err := a.add(raw); err != nil {
		return err
	}
	if !a.begun {
		return broken("an answer without a choice", nil)
	}
	a.finished = true
	return nil
}

// add takes one chunk.
func (a *answer) add(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c, lenient()); err != nil {
		return broken("not the JSON of an answer", err)
	}
	if kind := c.Error.Kind(); len(c.Error) > 0 && kind != 'n' {
		told := readComplaint(data)
		return &model.Error{Kind: kindOf(told.statusOf(), told), Detail: told.words}
	}
	a.count(c.Usage)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one is asked for
		}
		a.begun = true
		a.piece(choice.Delta, false)
		a.piece(choice.Message, true)
		if choice.FinishReason == "error" {
			return broken("the server says that it failed", nil)
		}
		if choice.FinishReason != "" {
			a.finished, a.reason = true, choice.FinishReason
		}
	}
	return nil
}

func (a *answer) piece(p piece, whole bool) {
	a.say(contentText(p.Content))
	if p.Refusal != "" {
		a.refused = true
		a.say(p.Refusal)
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

func (a *answer) say(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.onDelta != nil {
		a.onDelta(model.Delta{Text: text})
	}
}

// contentText reads a content, which is a text or a list of parts.
func contentText(v jsontext.Value) string {
	if text, ok := asText(v); ok {
		return text
	}
	var parts []struct {
		Type string         `json:"type"`
		Text jsontext.Value `json:"text"`
	}
	if v.Kind() != '[' || json.Unmarshal(v, &parts, lenient()) != nil {
		return ""
	}
	all := ""
	for _, p := range parts {
		if text, ok := asText(p.Text); ok && p.Type == "text" {
			all += text
		}
	}
	return all
}

// count takes the usage that a chunk tells; the last one stands. What can't be
// read is left out, as by servers that tell none.
func (a *answer) count(v jsontext.Value) {
	var u usage
	if v.Kind() != '{' || json.Unmarshal(v, &u, lenient()) != nil {
		return
	}
	a.usage = model.Usage{
		Input:  u.Prompt,
		Cached: max(u.Details.Cached, u.CacheHit),
		Output: max(u.Completion, u.Total-u.Prompt), // some leave thoughts out of the first
	}
}

// reply is the message that has been put together.
func (a *answer) reply(from origin) (model.Reply, error) {
	r := model.Reply{Text: a.text.String(), Reasoning: a.thoughts.String(), Usage: a.usage}
	switch {
	case a.refused || strings.Contains(a.reason, "filter"): // content_filter, and what Gemini puts behind it
		r.Stop = model.StopRefused
	case a.reason == "length":
		r.Stop = model.StopLength
	}
	k := kept{origin: from, Details: a.details}
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
