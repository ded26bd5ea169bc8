package cluster

import (
	"sync"

	"github.com/lineclear/lineclear/session"
)

// maxPlaces bounds how many sessions are remembered. Late pieces of a forgotten session are not recognized.
const maxPlaces = 10_000

// places is how far this node's bus is in each session. Pieces of text and events come by different paths: either may
// be ahead.
type places struct {
	mu sync.Mutex
	of map[string]*place
}

type place struct {
	seq       int64  // the newest event
	over      int64  // the newest event that ended a reply or a turn
	messageID string // the message that another node is writing, if its first piece was heard
	next      int    // where that message's next piece begins
}

// at returns the place of a session; under mu.
func (l *places) at(sessionID string) *place {
	p := l.of[sessionID]
	if p == nil {
		for other := range l.of {
			if len(l.of) < maxPlaces {
				break
			}
			delete(l.of, other)
		}
		p = &place{}
		l.of[sessionID] = p
	}
	return p
}

func (l *places) journaled(e session.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.at(e.SessionID)
	p.seq = e.Seq
	if e.Type == session.TypeAssistantMessage || e.Type == session.TypeTurnFinished {
		p.over, p.messageID = e.Seq, ""
	}
}

// seq returns the number of a session's newest event; 0: not known.
func (l *places) seq(sessionID string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.of[sessionID]; p != nil {
		return p.seq
	}
	return 0
}

// late reports whether what was sent after the event seq is over by now.
func (l *places) late(sessionID string, seq int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.of[sessionID]
	return p != nil && p.past(seq)
}

// past reports whether what was written after the event seq is over.
func (p *place) past(seq int64) bool { return seq > 0 && seq < p.over }

// joins reports whether to pass on a piece that was written after the event seq: it must be the next one of the
// message that is being written.
func (l *places) joins(d session.Delta, seq int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.at(d.SessionID)
	if p.past(seq) {
		return false
	}
	if d.Offset == 0 {
		p.messageID, p.next = d.MessageID, 0
	}
	if d.MessageID != p.messageID {
		return false
	}
	if d.Offset != p.next { // a piece is missing, and so is everything after it
		p.messageID = ""
		return false
	}
	p.next += session.UTF16Len(d.Text)
	return true
}
