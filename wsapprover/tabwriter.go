package wsapprover

import (
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// maxWrite is how many bytes of queued frames are joined to one write. A larger frame is written alone.
const maxWrite = 64 << 10

// rouseLocked starts the writer if there is something to write. Unless atOnce, it may wait for more; see Places.Spread.
func (t *tab) rouseLocked(atOnce bool) {
	if !t.writing && (t.closing != nil || t.pinging || t.pong != nil || !t.held && len(t.queue) > 0) {
		t.writing = true
		t.writers.Go(func() { t.write(atOnce) })
	}
}

// pingDue has a ping sent, so that a tab that is gone is noticed.
func (t *tab) pingDue() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pinging = true
	t.pings.Reset(t.hub.pingEvery())
	t.rouseLocked(true)
}

// answerPing has a tab's ping answered.
func (t *tab) answerPing(data string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pong = &data
	t.rouseLocked(true)
}

// take returns what is to be written next: the data of a control frame, or whole frames. Several are joined in
// the buffer; one alone is shared with other tabs. If it returns neither, the writer has to end.
func (t *tab) take(buffer *[]byte) (data []byte, control int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing != nil:
		return websocket.FormatCloseMessage(t.closing.Code, t.closing.Text), websocket.CloseMessage
	case t.pong != nil:
		data, t.pong = []byte(*t.pong), nil
		return data, websocket.PongMessage
	case t.pinging:
		t.pinging = false
		return nil, websocket.PingMessage
	case t.held || len(t.queue) == 0:
		t.writing = false
		return nil, 0
	}
	n, size := 0, 0
	for ; n < len(t.queue) && (n == 0 || size+len(t.queue[n].frame) <= maxWrite); n++ {
		size += len(t.queue[n].frame)
		t.bytes -= t.queue[n].size
	}
	if data = t.queue[0].frame; n > 1 {
		*buffer = (*buffer)[:0]
		for _, out := range t.queue[:n] {
			*buffer = append(*buffer, out.frame...)
		}
		data = *buffer
	}
	t.queue = slices.Delete(t.queue, 0, n)
	if len(t.queue) == 0 {
		t.queue = nil
	}
	signal(t.drained)
	return data, 0
}

// write writes what is queued, and the close frame at last. Only control frames go through the library, which
// writes one frame at a time.
func (t *tab) write(atOnce bool) {
	limits, buffer := t.hub.limits, t.hub.buffers.Get().(*[]byte)
	defer t.hub.buffers.Put(buffer)
	if !atOnce {
		t.hub.Places.Spread(t.hub.closed, t.who)
	}
	for {
		data, control := t.take(buffer)
		by := time.Now().Add(limits.QueueAge)
		var err error
		switch control {
		case websocket.CloseMessage:
			_ = t.ws.WriteControl(control, data, time.Now().Add(limits.CloseGrace))
			return
		case websocket.PingMessage, websocket.PongMessage:
			err = t.ws.WriteControl(control, data, by)
		default:
			if data == nil {
				return
			}
			_ = t.ws.NetConn().SetWriteDeadline(by)
			_, err = t.ws.NetConn().Write(data)
		}
		if err != nil {
			t.notWritten(err)
		}
	}
}
