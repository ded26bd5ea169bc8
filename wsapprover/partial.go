package wsapprover

import (
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

// partial is what of a message has been said so far.
type partial struct {
	messageID string
	text      []byte
}

func (h *Hub) addPartial(d session.Delta) {
	p := h.partials[d.SessionID]
	if p.messageID != d.MessageID {
		p = partial{messageID: d.MessageID}
	}
	p.text = append(p.text, d.Text...)
	h.partials[d.SessionID] = p
}

// endPartial forgets what is being written once it is in the journal, or once
// its turn has ended without it.
func (h *Hub) endPartial(e door.News) {
	if e.Type == session.TypeAssistantMessage || e.Type == session.TypeTurnFinished {
		delete(h.partials, e.SessionID)
	}
}
