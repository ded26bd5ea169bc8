package anthropic

import (
	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// event is one event of a stream.
type event struct {
	Type    string    `json:"type"`
	Index   int       `json:"index"`
	Message message   `json:"message"`
	Block   tool.JSON `json:"content_block"`
	Delta   delta     `json:"delta"`
	Usage   *usage    `json:"usage"`
	Error   tool.JSON `json:"error"`
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

type message struct {
	Type       string      `json:"type"`
	Content    []tool.JSON `json:"content"`
	StopReason string      `json:"stop_reason"`
	Usage      *usage      `json:"usage"`
	Error      tool.JSON   `json:"error"`
}

type usage struct {
	Input   *int64 `json:"input_tokens"`
	Created *int64 `json:"cache_creation_input_tokens"`
	Cached  *int64 `json:"cache_read_input_tokens"`
	Output  *int64 `json:"output_tokens"`
}

// answer puts a message together from its events.
type answer struct {
	remote.Reading
	origin remote.Origin
	names  model.Names

	reason string
	blocks []*block
	usage  usage
}

var _ remote.Answer = (*answer)(nil)

// Event implements remote.Answer. Unknown kinds of events are passed over, as the API
// asks.
func (a *answer) Event(data []byte) (last bool, err error) {
	err = a.add(data)
	return a.Complete, err
}

// Whole implements remote.Answer.
func (a *answer) Whole(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m, remote.Lenient()); err != nil {
		return remote.Broken("not the JSON of an answer", err)
	}
	if m.Type == "error" || strictjson.Kind(m.Error) == '{' {
		return remote.StreamError(raw)
	}
	if m.Type != "message" {
		return remote.Broken("an answer without a message", nil)
	}
	a.start(m)
	a.Complete = true
	return nil
}

func (a *answer) add(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e, remote.Lenient()); err != nil {
		return remote.Broken("not the JSON of an event", err)
	}
	if e.Type == "error" || e.Type == "" && strictjson.Kind(e.Error) == '{' {
		return remote.StreamError(data)
	}
	if e.Type != "ping" {
		a.Begun = true
	}
	switch e.Type {
	case "message_start":
		a.start(e.Message)
	case "content_block_start":
		a.startBlock(e.Index, e.Block)
	case "content_block_delta":
		a.extendBlock(e.Index, e.Delta)
	case "message_delta":
		a.count(e.Usage)
		if e.Delta.StopReason != "" {
			a.reason = e.Delta.StopReason
		}
	case "message_stop":
		a.Complete = true
	}
	return nil
}

// start takes the message as it begins. Without a stream it is whole.
func (a *answer) start(m message) {
	a.count(m.Usage)
	a.reason = m.StopReason
	for i, b := range m.Content {
		a.startBlock(i, b)
	}
}

// count takes the numbers of the usage. For each of them the last one counts.
func (a *answer) count(u *usage) {
	if u == nil {
		return
	}
	for _, n := range []struct{ from, into **int64 }{
		{&u.Input, &a.usage.Input}, {&u.Created, &a.usage.Created}, {&u.Cached, &a.usage.Cached}, {&u.Output, &a.usage.Output},
	} {
		if *n.from != nil {
			*n.into = *n.from
		}
	}
}

// Usage implements remote.Answer.
func (a *answer) Usage() model.Usage {
	u := a.usage
	n := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	return model.Usage{Input: n(u.Input) + n(u.Created) + n(u.Cached), Cached: n(u.Cached), Output: n(u.Output)}
}

// Reply implements remote.Answer.
func (a *answer) Reply() (model.Reply, error) {
	r := model.Reply{Usage: a.Usage()}
	switch a.reason {
	case "max_tokens", "model_context_window_exceeded":
		r.Stop = model.StopLength
	case "refusal":
		r.Stop = model.StopRefused
	}
	k := kept{Origin: a.origin}
	for _, b := range a.blocks {
		switch b.kind {
		case "text":
			r.Text += b.text.String()
			k.Blocks = append(k.Blocks, keptBlock{Text: b.text.Len()})
		case "tool_use":
			r.Calls = append(r.Calls, model.Call{ID: b.id, Name: a.names.Own(b.name), Args: b.arguments()})
			k.Blocks = append(k.Blocks, keptBlock{Call: true})
		case "thinking", "redacted_thinking":
			r.Reasoning += b.text.String()
			thought, err := b.thought()
			if err != nil {
				return model.Reply{}, err
			}
			k.Blocks = append(k.Blocks, keptBlock{Thought: thought})
		}
	}
	var err error
	r.Kept, err = k.value()
	return r, err
}
