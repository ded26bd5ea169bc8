package remote

import (
	"unicode/utf8"

	"github.com/lineclear/lineclear/model"
)

// Piece is a part of a message that a provider wants back in its place: a thought, the
// next call of the message, or the next Text bytes of its text.
type Piece struct {
	Thought bool
	Call    bool
	Text    int
}

// Whole reports whether the pieces, in their order, are all of a message's text and
// calls, each cut between characters.
func Whole(said model.Message, pieces []Piece) bool {
	text, calls := 0, 0
	for _, p := range pieces {
		switch {
		case p.Thought || p.Call:
			if p.Thought && p.Call || p.Text != 0 {
				return false
			}
			if p.Call {
				calls++
			}
		case p.Text < 0 || p.Text > len(said.Text)-text:
			return false
		default:
			if text += p.Text; text < len(said.Text) && !utf8.RuneStart(said.Text[text]) {
				return false
			}
		}
	}
	return text == len(said.Text) && calls == len(said.Calls)
}
