package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/strictjson"
)

var (
	errForeign  = errors.New("it does not have the mark of this cluster's gateways: somebody else writes there too")
	errRepeated = errors.New("it was heard before: somebody repeats what was said there")
	errOld      = errors.New("it is too old")
)

// message is what a node sends to the others.
type message struct {
	Node    string `json:"node"`    // the sender's name
	Turn    int64  `json:"turn"`    // the sender's turn
	Process string `json:"process"` // the sender's process: an id drawn at its start
	Count   uint64 `json:"count"`   // the number of the message, from 1
	At      int64  `json:"at"`      // milliseconds, by the database's clock

	Position int64             `json:"position,omitzero"` // of a commit
	Seq      int64             `json:"seq,omitzero"`      // the session's newest event that the sender had, with Delta or Progress
	Delta    *session.Delta    `json:"delta,omitzero"`
	Progress *session.Progress `json:"progress,omitzero"`
	Viewing  *approval.Viewing `json:"viewing,omitzero"`
}

// sealing authenticates a cluster's messages. On the wire a message is its MAC, then its JSON.
type sealing struct {
	key     []byte
	subject string
}

func newSealing(shared []byte) sealing {
	return sealing{key: mac(shared, "messages", nil), subject: "lineclear.1." + hex.EncodeToString(mac(shared, "subject", nil)[:8])}
}

func mac(key []byte, subject string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(subject)))) // a hash's Write never fails
	h.Write([]byte(subject))
	h.Write(body)
	return h.Sum(nil)
}

func (s sealing) seal(m message) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("cluster: message: %w", err)
	}
	return append(mac(s.key, s.subject, body), body...), nil
}

func (s sealing) open(subject string, raw []byte) (m message, err error) {
	if len(raw) < sha256.Size || len(raw) > maxMessage {
		return m, errForeign
	}
	body := raw[sha256.Size:]
	if !hmac.Equal(raw[:sha256.Size], mac(s.key, subject, body)) {
		return m, errForeign
	}
	if err := strictjson.Decode(body, &m); err != nil {
		return m, fmt.Errorf("cluster: message: %w", err)
	}
	return m, nil
}

// maxAge is how old a message may be.
const maxAge = 30 * time.Second

// window takes each message once. A process numbers its messages, and NATS delivers them in order.
type window struct {
	began int64 // when this process began to listen: an earlier process may have taken what was sent before
	heard map[string]heard
}

// heard is the newest message of a process.
type heard struct {
	count uint64
	at    int64
}

func newWindow(now time.Time) *window {
	return &window{began: now.UnixMilli(), heard: map[string]heard{}}
}

func (w *window) take(m message, now time.Time) error {
	at := now.UnixMilli()
	if m.At < max(w.began, at-maxAge.Milliseconds()) || m.At > at+maxAge.Milliseconds() {
		return errOld
	}
	last, known := w.heard[m.Process]
	if m.Count <= last.count {
		return errRepeated
	}
	if !known {
		for process, old := range w.heard {
			if old.at < at-2*maxAge.Milliseconds() { // all its messages are too old by now
				delete(w.heard, process)
			}
		}
	}
	w.heard[m.Process] = heard{m.Count, max(m.At, last.at)}
	return nil
}
