package policy

import (
	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// Nearest is the allow rule that comes closest to a command, and where it stops short of it.
type Nearest struct {
	Rule  Listed   `json:"rule"`
	Words []string `json:"words"` // of the command
	At    int      `json:"at"`    // the word at which the rule fails; -1: at none of them
	Why   string   `json:"why"`   // it fails, in words
}

// Nearest finds, for the first command of a line that nothing allows, the allow rule that covers the most
// of its words, the program at least; nil where there is none, or where another rule denies or asks.
func (p *Policy) Nearest(c approval.Case) *Nearest {
	call, err := p.call(&c)
	if err != nil || !call.runs() {
		return nil
	}
	found := find(call)
	if !found.open() || found.unknown {
		return nil
	}
	for part := range call.parts() {
		if _, _, ok := call.clearPart(found.clearings, part); ok {
			continue
		}
		if near, rule := call.nearest(found.clearings, part); rule != nil {
			return &Nearest{Rule: call.rules.rule(rule, c.Request.AgentID), Words: wordsOf(part), At: near.At, Why: mask.Hidden(near.Why)}
		}
	}
	return nil
}

// nearest is the rule that comes closest to a part, with what is in the way.
func (c *call) nearest(clearings []clearing, part *plain.Part) (near programs.Covered, rule *Compiled) {
	for _, l := range clearings {
		found, ok := l.runs(c, part)
		if l.rule == nil || ok || !l.speaks(c) || found.Why == "" || found.Near == 0 || rule != nil && found.Near <= near.Near {
			continue
		}
		near, rule = found, l.rule
	}
	if near.At >= len(part.Words) {
		near.At = -1 // an argument that is added at run time
	}
	return near, rule
}

func wordsOf(part *plain.Part) []string {
	words := make([]string, len(part.Words))
	for i, w := range part.Words {
		words[i] = mask.Hidden(shown(w))
	}
	return words
}
