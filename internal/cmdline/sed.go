package cmdline

import "strings"

// sedReader reads a script of sed, as far as it is understood.
type sedReader struct {
	text string
	at   int
}

// plainSed says whether a script of sed only edits what it prints.
func plainSed(script string) bool {
	s := &sedReader{text: script}
	for {
		s.skip(" \t\n;{}")
		if s.at >= len(s.text) {
			return true
		}
		if !s.address() || !s.command() {
			return false
		}
	}
}

func (s *sedReader) skip(chars string) {
	for s.at < len(s.text) && strings.IndexByte(chars, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *sedReader) next() byte {
	if s.at >= len(s.text) {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

// address reads addr, addr,addr and !, if they are there.
func (s *sedReader) address() bool {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c >= '0' && c <= '9', strings.IndexByte("$,+~! \t", c) >= 0:
			s.at++
		case c == '/':
			s.at++
			if !s.until('/') {
				return false
			}
			s.skip("IM")
		case c == '\\':
			return false
		default:
			return true
		}
	}
	return true
}

// until reads past a delimiter that no backslash hides. A delimiter within
// brackets is one for some seds and not for others, so that is not understood.
func (s *sedReader) until(delimiter byte) bool {
	start := s.at
	for s.at < len(s.text) {
		switch c := s.next(); c {
		case '\\':
			s.at++
		case '\n':
			return false
		case delimiter:
			part := s.text[start : s.at-1]
			return strings.Count(part, "[") <= strings.Count(part, "]")
		}
	}
	return false
}

func (s *sedReader) command() bool {
	switch c := s.next(); c {
	case 0, '{', '}':
		return true
	case 'p', 'd', 'D', 'g', 'G', 'h', 'H', 'x', 'n', 'N', 'P', '=', 'l', 'z', 'F':
		return s.ends()
	case 'q', 'Q':
		s.skip(" 0123456789")
		return s.ends()
	case 's', 'y':
		delimiter := s.next()
		if delimiter == 0 || delimiter == '\\' || delimiter == '\n' || !s.until(delimiter) || !s.until(delimiter) {
			return false
		}
		if c == 's' {
			s.skip("gpIiMm0123456789")
		}
		return s.ends()
	case 'a', 'i', 'c':
		// The text goes on to the end of the line, or of the script.
		rest := s.text[s.at:]
		if strings.ContainsAny(rest, "\n\\") {
			return false
		}
		s.at = len(s.text)
		return true
	}
	return false
}

// ends says whether the command ends here.
func (s *sedReader) ends() bool {
	s.skip(" \t")
	return s.at >= len(s.text) || strings.IndexByte(";\n}", s.text[s.at]) >= 0
}
