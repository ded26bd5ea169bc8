package agent

import (
	"fmt"

	"github.com/lineclear/lineclear/model"
)

// Tokens are not counted but estimated, from above: providers count each in
// their own way. A token of English has four bytes, one of code or JSON about
// three.
const (
	bytesPerToken    = 3
	tokensPerMessage = 8
	tokensPerImage   = 1600
)

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
type exchange []model.Message

func (e exchange) tokens() int {
	total := 0
	for i := range e {
		total += tokensOf(&e[i])
	}
	return total
}

// fit leaves out what is too much for a budget of tokens, and reports whether
// exchanges were left out:
//
//   - whole exchanges, the oldest first, and never the newest. So many go that
//     the next ones fit too, up to a quarter of the budget: a prompt whose
//     beginning stays the same is cheaper where providers keep it.
//   - then, of the newest, the results of calls, the oldest first, except those
//     of the last reply.
//
// What is still too much after that is the provider's to refuse.
func fit(all []exchange, budget int) (kept []exchange, dropped bool) {
	total := 0
	for _, e := range all {
		total += e.tokens()
	}
	if excess := total - budget; excess > 0 {
		step := max(budget/4, 1)
		goal := (excess + step - 1) / step * step
		for gone := 0; len(all) > 1 && gone < goal; dropped = true {
			size := all[0].tokens()
			gone, total, all = gone+size, total-size, all[1:]
		}
	}
	if len(all) == 1 && total > budget {
		all = []exchange{withoutResults(all[0], total-budget)}
	}
	return all, dropped
}

// withoutResults is an exchange without the oldest results of calls, as many as
// are needed to save that many tokens.
func withoutResults(e exchange, excess int) exchange {
	e = append(exchange(nil), e...)
	last := len(e) - 1 // the last reply
	for last > 0 && e[last].Role != model.Assistant {
		last--
	}
	for i := 0; i < last && excess > 0; i++ {
		if e[i].Role != model.ToolRole {
			continue
		}
		before := tokensOf(&e[i])
		short := e[i]
		short.Text, short.Images = fmt.Sprintf("[a result of %d bytes is left out here]", len(e[i].Text)), nil
		if saved := before - tokensOf(&short); saved > 0 {
			e[i], excess = short, excess-saved
		}
	}
	return e
}
