package mcp

import (
	"fmt"
	"sync"
	"time"
)

// linesSecond is how many lines of one connection a second reach Options.Log.
const linesSecond = 50

// voice passes on what a server says beside its answers.
type voice struct {
	tell func(level, text string)

	mu    sync.Mutex
	since time.Time // when the second began in which lines are counted
	said  int       // in it
	left  int       // lines that were left out and not told of
}

func (s *Server) voice(sessionID string) *voice {
	return &voice{tell: func(level, text string) {
		if s.options.Log != nil {
			s.options.Log(sessionID, oneLine(level, maxLevel), clean(text, maxLine))
		}
	}}
}

// say passes on a line, unless there were too many in this second; how many were
// left out is told before the next one.
func (v *voice) say(level, text string) {
	v.mu.Lock()
	if now := time.Now(); now.Sub(v.since) >= time.Second {
		v.since, v.said = now, 0
	}
	if v.said == linesSecond {
		v.left++
		v.mu.Unlock()
		return
	}
	v.said++
	left := v.left
	v.left = 0
	v.mu.Unlock()
	v.tellLeft(left)
	v.tell(level, text)
}

// end tells what was left out last.
func (v *voice) end() {
	v.mu.Lock()
	left := v.left
	v.left = 0
	v.mu.Unlock()
	v.tellLeft(left)
}

func (v *voice) tellLeft(n int) {
	if n > 0 {
		v.tell("warning", fmt.Sprintf("%d lines of the server are left out: more than %d a second", n, linesSecond))
	}
}
