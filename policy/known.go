package policy

import (
	"sync"

	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// Limits of the cache: lines, and bytes of each.
const (
	maxKnown     = 2048
	maxKnownText = 4096
)

// known caches parsed command lines. It keeps only what follows from the text, the working directory
// and the home folder: no verdicts, and no lines with wildcards.
type known struct {
	mu    sync.Mutex
	lines map[readAt]*lineRead
}

type readAt struct{ text, dir, home string }

// lineRead is a parsed line with what is derived from its parts.
type lineRead struct {
	line  *plain.Line
	parts map[*plain.Part]partRead
}

type partRead struct {
	use    programs.Use
	doubt  bool
	hazard int // index in knownHazards; -1: none
}

// read parses a line, or returns it from the cache.
func (k *known) read(shell plain.Shell, text string) *lineRead {
	at := readAt{text, shell.Dir, shell.Home}
	k.mu.Lock()
	found := k.lines[at]
	k.mu.Unlock()
	if found != nil {
		return found
	}
	made := lineOf(shell.Read(text))
	if made.line.Disk || len(text) > maxKnownText {
		return made
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lines == nil || len(k.lines) >= maxKnown {
		k.lines = map[readAt]*lineRead{}
	}
	k.lines[at] = made
	return made
}

func lineOf(line *plain.Line) *lineRead {
	made := &lineRead{line: line, parts: make(map[*plain.Part]partRead, len(line.Parts))}
	for _, p := range line.Parts {
		if p.Light && p.Inner != nil {
			made.parts[p] = partRead{use: programs.Use{Known: true}, hazard: -1} // a wrapper such as env; its command is a part of its own
			continue
		}
		made.parts[p] = readPart(p)
	}
	return made
}

func readPart(p *plain.Part) partRead {
	use := programs.Of(p)
	return partRead{use: use, doubt: use.Doubt(p), hazard: hazardAt(p)}
}

// about returns what is derived from a part.
func (c *call) about(part *plain.Part) partRead {
	for _, r := range c.readings {
		if found, ok := r.parts[part]; ok {
			return found
		}
	}
	return readPart(part)
}
