package mask

import "strings"

// Diff is Text for a unified diff. The old and the new text are masked each by itself,
// without the signs of the lines. The number of lines stays: each line of a secret has a
// Mark.
func (s *Secrets) Diff(diff string) (masked string, found bool) {
	if s == nil || diff == "" {
		return diff, false
	}
	lines := strings.Split(diff, "\n")
	removed, hidden := s.side(lines, '+')
	added, more := s.side(lines, '-')
	for i, line := range lines {
		lines[i] = merged(line, removed[i], added[i])
	}
	return strings.Join(lines, "\n"), hidden || more
}

// side masks the lines of one side of a diff. Those with the other side's sign stay as
// they are.
func (s *Secrets) side(lines []string, others byte) (masked []string, found bool) {
	var text []string
	for _, line := range lines {
		if line == "" || line[0] != others {
			_, unsigned := unsign(line)
			text = append(text, unsigned)
		}
	}
	shown, found := s.text(strings.Join(text, "\n"), coverLines)
	text = strings.Split(shown, "\n")
	masked = make([]string, len(lines))
	for i, line := range lines {
		masked[i] = line
		if line == "" || line[0] != others {
			sign, _ := unsign(line)
			masked[i], text = sign+text[0], text[1:]
		}
	}
	return masked, found
}

// unsign splits a line into its sign, if it has one, and the rest.
func unsign(line string) (sign, rest string) {
	if line != "" && strings.IndexByte(" +-", line[0]) >= 0 {
		return line[:1], line[1:]
	}
	return "", line
}

// merged returns a line with everything masked that either side masks.
func merged(line, removed, added string) string {
	switch {
	case removed == line || removed == added:
		return added
	case added == line:
		return removed
	default: // each side masks another part
		sign, _ := unsign(line)
		return sign + Mark
	}
}

// coverLines is cover, but keeps the number of lines.
func coverLines(text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(strings.Repeat(Mark+"\n", strings.Count(text[s.start:s.end], "\n")) + Mark)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
