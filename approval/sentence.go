package approval

import "strings"

// Sentence is something in words, in parts, so that a page can set names and commands apart.
// Read one after the other, the parts' texts are the sentence.
type Sentence []Part

// Part is a part of a sentence.
type Part struct {
	Text string   `json:"text"`                                  // of the sentence, hidden characters made visible
	Kind PartKind `json:"kind,omitempty" enum:"agent,name,code"` // what the text is; left out: words
}

// PartKind says what a part of a sentence is; the zero value is words.
type PartKind string

// The kinds. The agent is the subject: sentences that differ in it alone say the same of several agents.
const (
	PartAgent PartKind = "agent"
	PartName  PartKind = "name" // of a tool, a person, a level of risk
	PartCode  PartKind = "code" // a command, a path, a value
)

// String is the sentence as plain text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Each is the sentence with its texts as change has them.
func (s Sentence) Each(change func(string) string) Sentence {
	if s == nil {
		return nil
	}
	changed := make(Sentence, len(s))
	for i, p := range s {
		changed[i] = Part{change(p.Text), p.Kind}
	}
	return changed
}
