package google

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// chunk is one event of a stream, or the JSON body of an answer without one.
type chunk struct {
	Candidates []candidate `json:"candidates"`
	Feedback   struct {
		Reason string `json:"blockReason"`
		Words  string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage tool.JSON `json:"usageMetadata"`
	Error tool.JSON `json:"error"`
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []piece `json:"parts"`
	} `json:"content"`
	Reason string `json:"finishReason"`
	Words  string `json:"finishMessage"`
}

// piece is a part of the message, or of one of its texts. Other kinds of parts come
// only from what is not asked for.
type piece struct {
	Text      string     `json:"text"`
	Thought   bool       `json:"thought"`
	Call      *pieceCall `json:"functionCall"`
	Signature string     `json:"thoughtSignature"`
}

type pieceCall struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Args    tool.JSON `json:"args"`
	Partial tool.JSON `json:"partialArgs"`
	More    bool      `json:"willContinue"`
}

type usage struct {
	Prompt   int64 `json:"promptTokenCount"` // cached included
	Cached   int64 `json:"cachedContentTokenCount"`
	Tools    int64 `json:"toolUsePromptTokenCount"`
	Written  int64 `json:"candidatesTokenCount"`
	Thoughts int64 `json:"thoughtsTokenCount"`
}

// answer puts a message together from its pieces.
type answer struct {
	remote.Reading
	origin remote.Origin
	names  model.Names

	stop     model.Stop
	text     strings.Builder
	thoughts strings.Builder
	calls    []model.Call
	parts    []keptPart
	usage    model.Usage
}

var _ remote.Answer = (*answer)(nil)

// Event implements remote.Answer. No event says that it is the last one: the usage may
// follow the reason why the message ended.
func (a *answer) Event(data []byte) (last bool, err error) { return false, a.add(data) }

// Whole implements remote.Answer.
func (a *answer) Whole(raw []byte) error {
	if err := a.add(raw); err != nil {
		return err
	}
	if !a.Complete {
		return remote.Broken("no word why it ended", nil)
	}
	return nil
}

func (a *answer) add(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c, remote.Lenient()); err != nil {
		return remote.Broken("not the JSON of an answer", err)
	}
	if len(c.Error) > 0 && strictjson.Kind(c.Error) != 'n' {
		return remote.StreamError(data)
	}
	a.count(c.Usage)
	if c.Feedback.Reason != "" {
		return &model.Error{Kind: model.Rejected, Detail: because("the prompt is blocked", c.Feedback.Reason, c.Feedback.Words)}
	}
	for _, c := range c.Candidates {
		if c.Index != 0 {
			continue // we ask for one
		}
		a.Begun = true
		for _, p := range c.Content.Parts {
			if err := a.addPiece(p); err != nil {
				return err
			}
		}
		if err := a.end(c); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) addPiece(p piece) error {
	switch {
	case p.Call != nil:
		if p.Call.More || len(p.Call.Partial) > 0 {
			return remote.Broken("arguments in pieces, which are not read", nil)
		}
		a.calls = append(a.calls, model.Call{ID: p.Call.ID, Name: a.names.Own(p.Call.Name), Args: arguments(p.Call.Args)})
		a.parts = append(a.parts, keptPart{Call: true, Signature: p.Signature})
	case p.Thought:
		a.thoughts.WriteString(p.Text)
		a.parts = append(a.parts, keptPart{Thought: &p.Text, Signature: p.Signature})
	default:
		a.text.WriteString(p.Text)
		a.Say(p.Text)
		a.addText(keptPart{Text: len(p.Text), Signature: p.Signature})
	}
	return nil
}

// addText adds a part of the text. One without a signature continues the one before,
// if that has none either.
func (a *answer) addText(p keptPart) {
	if p == (keptPart{}) {
		return
	}
	if n := len(a.parts); n > 0 && p.Signature == "" {
		if before := &a.parts[n-1]; before.Thought == nil && !before.Call && before.Signature == "" {
			before.Text += p.Text
			return
		}
	}
	a.parts = append(a.parts, p)
}

// arguments are as the model wrote them. None become an empty object.
func arguments(v tool.JSON) tool.JSON {
	if len(v) == 0 || strictjson.Kind(v) == 'n' {
		return tool.JSON("{}")
	}
	return v
}

// end takes the reason why the message ended, if there is one yet.
func (a *answer) end(c candidate) error {
	switch c.Reason {
	case "":
		return nil
	case "STOP":
	case "MAX_TOKENS":
		a.stop = model.StopLength
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		a.stop = model.StopRefused
	default: // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER and the like
		return remote.Broken(because("the server ended it", c.Reason, c.Words), nil)
	}
	a.Complete = true
	return nil
}

// because is what happened, with the server's reason and words.
func because(what, reason, words string) string {
	if words != "" {
		reason += ": " + words
	}
	return what + ": " + reason
}

// count takes the usage of a chunk; the last one counts. One that can't be read is
// left out.
func (a *answer) count(v tool.JSON) {
	var u usage
	if strictjson.Kind(v) != '{' || json.Unmarshal(v, &u, remote.Lenient()) != nil {
		return
	}
	a.usage = model.Usage{Input: u.Prompt + u.Tools, Cached: u.Cached, Output: u.Written + u.Thoughts}
}

// Usage implements remote.Answer.
func (a *answer) Usage() model.Usage { return a.usage }

// Reply implements remote.Answer.
func (a *answer) Reply() (model.Reply, error) {
	k, err := kept{Origin: a.origin, Parts: a.parts}.value()
	return model.Reply{
		Text: a.text.String(), Reasoning: a.thoughts.String(), Calls: a.calls, Kept: k, Stop: a.stop, Usage: a.usage,
	}, err
}
