package mcp

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// linesSecond is how many lines of one connection a second reach Options.Log.
const linesSecond = 50

// What is kept of a program's last lines.
const (
	tailLines    = 10
	tailLineSize = 300
)

// serverLog passes on what a server says beside its answers.
type serverLog struct {
	tell func(level, text string)

	mu    sync.Mutex
	since time.Time // when the second began in which lines are counted
	said  int       // in it
	left  int       // lines that were left out and not told of
	tail  []string  // the program's last lines
}

func (s *Server) newLog(sessionID string) *serverLog {
	return &serverLog{tell: func(level, text string) {
		if s.options.Log != nil {
			s.options.Log(sessionID, oneLine(level, maxLevel), clean(text, maxLine))
		}
	}}
}

// hear passes on what the transport tells, and keeps the last lines that a program
// has said beside the protocol.
func (v *serverLog) hear(level, text string) {
	if level == "stdout" || level == "stderr" {
		v.mu.Lock()
		v.tail = append(v.tail[max(0, len(v.tail)-tailLines+1):], clean(text, tailLineSize))
		v.mu.Unlock()
	}
	v.say(level, text)
}

func (v *serverLog) lastWords() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.tail)
}

// say passes on a line, unless there were too many in this second; how many were
// left out is told before the next one.
func (v *serverLog) say(level, text string) {
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

// flush tells what was left out last.
func (v *serverLog) flush() {
	v.mu.Lock()
	left := v.left
	v.left = 0
	v.mu.Unlock()
	v.tellLeft(left)
}

func (v *serverLog) tellLeft(n int) {
	if n > 0 {
		v.tell("warning", fmt.Sprintf("%d lines of the server are left out: more than %d a second", n, linesSecond))
	}
}
