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
func (l *serverLog) hear(level, text string) {
	if level == "stdout" || level == "stderr" {
		l.mu.Lock()
		l.tail = append(l.tail[max(0, len(l.tail)-tailLines+1):], clean(text, tailLineSize))
		l.mu.Unlock()
	}
	l.say(level, text)
}

func (l *serverLog) lastWords() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tail)
}

// say passes on a line, unless there were too many in this second; how many were
// left out is told before the next one.
func (l *serverLog) say(level, text string) {
	l.mu.Lock()
	if now := time.Now(); now.Sub(l.since) >= time.Second {
		l.since, l.said = now, 0
	}
	if l.said == linesSecond {
		l.left++
		l.mu.Unlock()
		return
	}
	l.said++
	left := l.left
	l.left = 0
	l.mu.Unlock()
	l.tellLeft(left)
	l.tell(level, text)
}

// flush tells what was left out last.
func (l *serverLog) flush() {
	l.mu.Lock()
	left := l.left
	l.left = 0
	l.mu.Unlock()
	l.tellLeft(left)
}

func (l *serverLog) tellLeft(n int) {
	if n > 0 {
		l.tell("warning", fmt.Sprintf("%d lines of the server are left out: more than %d a second", n, linesSecond))
	}
}
