package wsapprover

import (
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

// partial is what of a message has been said so far, from its beginning.
type partial struct {
	messageID string
	text      []byte
	length    int // in UTF-16 code units
}

// addPartial reports whether a piece goes on with what was said so far. Where one is missing, tabs wait for the whole
// message: they would ask for what is missing with each piece after it, in vain.
func (h *Hub) addPartial(d session.Delta) bool {
	p := h.partials[d.SessionID]
	if p.messageID != d.MessageID || d.Offset == 0 {
		p = partial{messageID: d.MessageID}
	}
	if p.length != d.Offset {
		delete(h.partials, d.SessionID)
		return false
	}
	p.text = append(p.text, d.Text...)
	p.length += session.UTF16Len(d.Text)
	h.partials[d.SessionID] = p
	return true
}

// endPartial forgets what is being written once it is in the journal, or once
// its turn has ended without it.
func (h *Hub) endPartial(e door.News) {
	if e.Type == session.TypeAssistantMessage || e.Type == session.TypeTurnFinished {
		delete(h.partials, e.SessionID)
	}
}
