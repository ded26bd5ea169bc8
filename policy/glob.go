package policy

// Covers reports whether a pattern covers a text: letter by letter, with * for
// any characters, none included. Nothing else in a pattern is special.
func Covers(pattern, text string) bool {
	p, t := 0, 0
	star, mark := -1, 0 // the last * and how much of the text it has taken
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0: // let the last * take one more byte; earlier ones never need to
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
