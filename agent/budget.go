package agent

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// Tokens are not counted but estimated, from above: providers count each in
// their own way. A token of English has four bytes, one of code or JSON about
// three.
const (
	bytesPerToken    = 3
	tokensPerMessage = 8
	tokensPerImage   = 1600
)

// budget is how much a prompt may have. Providers limit both: what the model reads,
// and the body of a request, which pictures fill.
type budget struct{ tokens, bytes int }

func (b budget) minus(o budget) budget { return budget{b.tokens - o.tokens, b.bytes - o.bytes} }

// less is what is tried after a provider has refused a prompt as too long: a quarter
// less, and fewer bytes than it had in any case.
func (b budget) less(refused *model.Prompt) budget {
	return budget{tokens: b.tokens * 3 / 4, bytes: min(b.bytes, sizeOf(refused)) * 3 / 4}
}

// frame is what is written around a message or a picture in any provider's JSON.
const frame = 128

// bytesOf is how long a message is in a request: its JSON, with pictures in base64.
func bytesOf(m *model.Message) int {
	size := frame + quoted(m.Text) + len(m.Kept) + len(m.CallID)
	for _, c := range m.Calls {
		size += frame + len(c.ID) + len(c.Name) + quoted(string(c.Args)) // which OpenAI wants as a text
	}
	for i := range m.Images {
		size += pictureBytes(&m.Images[i])
	}
	return size
}

func pictureBytes(p *tool.Image) int { return frame + base64.StdEncoding.EncodedLen(len(p.Data)) }

// quoted is how long a text is as a JSON string.
func quoted(text string) int {
	size := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n', c == '\t':
			size++
		case c < ' ':
			size += 5
		}
	}
	return size
}

func fixedBytes(p *model.Prompt) int {
	size := quoted(p.System)
	for _, t := range p.Tools {
		size += frame + len(t.Name) + quoted(t.Description) + len(t.Schema)
	}
	return size
}

func sizeOf(p *model.Prompt) int {
	return fixedBytes(p) + sum(p.Messages, bytesOf)
}

func tokensOf(m *model.Message) int {
	size := len(m.Text) + len(m.Kept) + len(m.CallID)
	for _, c := range m.Calls {
		size += len(c.ID) + len(c.Name) + len(c.Args)
	}
	return tokensPerMessage + size/bytesPerToken + tokensPerImage*len(m.Images)
}

// fixedTokens is what every prompt of the agent begins with.
func fixedTokens(p *model.Prompt) int {
	size := len(p.System)
	for _, t := range p.Tools {
		size += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return size/bytesPerToken + tokensPerMessage*len(p.Tools)
}

// exchange is what was said from one message of a person up to the next.
type exchange struct {
	messages      []model.Message
	tokens, bytes int // of its messages
}

func newExchange(messages []model.Message) exchange {
	return exchange{messages, sum(messages, tokensOf), sum(messages, bytesOf)}
}

func sum(messages []model.Message, of func(*model.Message) int) int {
	total := 0
	for i := range messages {
		total += of(&messages[i])
	}
	return total
}

// measure is one of the two by which a prompt is limited.
type measure struct {
	of    func(*model.Message) int
	whole func(*exchange) int
}

func byTokens() measure { return measure{tokensOf, func(e *exchange) int { return e.tokens }} }
func byBytes() measure  { return measure{bytesOf, func(e *exchange) int { return e.bytes }} }

func (m measure) sum(all []exchange) int {
	total := 0
	for i := range all {
		total += m.whole(&all[i])
	}
	return total
}

// fit leaves out what is too much for a budget, and reports whether exchanges were
// left out:
//
//   - pictures, where there are too many bytes, the oldest first.
//   - then whole exchanges, the oldest first, and never the newest.
//   - then, of the newest, the results of calls, the oldest first, except those
//     of the last reply.
//
// So much goes that what comes next fits too, up to a quarter of the budget: a
// prompt whose beginning stays the same is cheaper where providers keep it. What is
// still too much after that is the provider's to refuse.
func fit(all []exchange, b budget) (kept []exchange, dropped bool) {
	kept, long := fitBy(withoutPictures(all, b.bytes), b.tokens, byTokens())
	kept, large := fitBy(kept, b.bytes, byBytes())
	return kept, long || large
}

// goalOf is how much has to go of what is too much by an excess.
func goalOf(excess, budget int) int {
	step := max(budget/4, 1)
	return (excess + step - 1) / step * step
}

// fitBy fits exchanges by one measure.
func fitBy(all []exchange, budget int, by measure) (kept []exchange, dropped bool) {
	total := by.sum(all)
	if excess := total - budget; excess > 0 {
		goal := goalOf(excess, budget)
		for gone := 0; len(all) > 1 && gone < goal; dropped = true {
			size := by.whole(&all[0])
			gone, total, all = gone+size, total-size, all[1:]
		}
	}
	if len(all) == 1 && total > budget {
		all = []exchange{withoutResults(all[0], total-budget, by.of)}
	}
	return all, dropped
}

// withoutPictures are exchanges without the oldest pictures, as many as have to go
// for a budget of bytes.
func withoutPictures(all []exchange, budget int) []exchange {
	excess := byBytes().sum(all) - budget
	if excess <= 0 {
		return all
	}
	goal := goalOf(excess, budget)
	all = slices.Clone(all)
	for i := range all {
		messages := slices.Clone(all[i].messages)
		for j := range messages {
			for m := &messages[j]; goal > 0 && len(m.Images) > 0; m.Images = m.Images[1:] {
				oldest := &m.Images[0]
				goal -= pictureBytes(oldest)
				m.Text += fmt.Sprintf("\n[a picture, %s of %d bytes, is left out here: the request would be too large]", oldest.MIME, len(oldest.Data))
			}
		}
		all[i] = newExchange(messages)
	}
	return all
}

// withoutResults is an exchange without the oldest results of calls, as many as
// are needed to save that much by a measure.
func withoutResults(whole exchange, excess int, of func(*model.Message) int) exchange {
	e := slices.Clone(whole.messages)
	last := len(e) - 1 // the last reply
	for last > 0 && e[last].Role != model.Assistant {
		last--
	}
	for i := 0; i < last && excess > 0; i++ {
		if e[i].Role != model.ToolRole {
			continue
		}
		before := of(&e[i])
		short := e[i]
		short.Text, short.Images = fmt.Sprintf("[a result of %d bytes is left out here]", len(e[i].Text)), nil
		if saved := before - of(&short); saved > 0 {
			e[i], excess = short, excess-saved
		}
	}
	return newExchange(e)
}
