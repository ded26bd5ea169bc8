package wsapprover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
)

// read takes the tab's frames until it is gone or breaks the rules.
func (t *tab) read(ctx context.Context) {
	limits := t.hub.limits
	alive := func() { _ = t.ws.SetReadDeadline(time.Now().Add(limits.Idle)) }
	inFrame := false // a pong must not lengthen the time that a frame may take
	t.ws.SetReadLimit(limits.Frame)
	t.ws.SetPongHandler(func(string) error {
		if !inFrame {
			alive()
		}
		return nil
	})
	pings := rate.NewLimiter(limits.PingRate, 10)
	t.ws.SetPingHandler(func(data string) error {
		if !pings.Allow() {
			t.close(websocket.ClosePolicyViolation, "too many pings")
			return errors.New("too many pings")
		}
		t.answerPing(data)
		return nil
	})
	frames := rate.NewLimiter(limits.FrameRate, 2*int(limits.FrameRate))
	bad := 0
	alive()
	for {
		kind, r, err := t.ws.NextReader()
		if err != nil {
			return
		}
		inFrame = true
		_ = t.ws.SetReadDeadline(time.Now().Add(limits.Dribble))
		raw, err := io.ReadAll(r)
		inFrame = false
		alive()
		switch {
		case errors.Is(err, websocket.ErrReadLimit):
			t.close(websocket.CloseMessageTooBig, fmt.Sprintf("frames may have %d bytes", limits.Frame))
			return
		case err != nil:
			t.close(websocket.ClosePolicyViolation, "the frame took too long")
			return
		case kind != websocket.TextMessage:
			t.close(websocket.CloseUnsupportedData, "frames are text, not binary")
			return
		case !utf8.Valid(raw):
			t.close(websocket.CloseInvalidFramePayloadData, "the frame is not valid UTF-8")
			return
		case frames.Wait(ctx) != nil: // a tab that sends too fast is read more slowly
			return
		}
		good := t.serveFrame(ctx, raw)
		alive() // the time that serving took was not the tab's
		if good {
			bad = 0
		} else if bad++; bad >= limits.BadFrames {
			t.close(websocket.ClosePolicyViolation, "too many bad frames in a row")
			return
		}
	}
}

// serveFrame handles one frame and answers it; it reports false for a frame that
// could not be read.
func (t *tab) serveFrame(ctx context.Context, raw []byte) bool {
	f, err := decodeFrame(raw)
	if err != nil {
		t.refuse(f.ID, &badFrame{err})
		return false
	}
	answer, err := t.handle(ctx, f)
	var bad *badFrame
	switch {
	case errors.Is(err, errLater):
	case errors.As(err, &bad):
		t.refuse(f.ID, err)
		return false
	case err != nil:
		t.refuse(f.ID, err)
	default:
		t.send(eventAck, f.ID, answer)
	}
	return true
}

// badFrame is a frame that can't be read.
type badFrame struct{ err error }

func (e *badFrame) Error() string { return e.err.Error() }
func (e *badFrame) Unwrap() error { return e.err }

// decoded reads a frame's data; what does not fit is a badFrame.
func decoded[T any](f frame) (T, error) {
	var v T
	if err := f.decodeData(&v); err != nil {
		return v, &badFrame{err}
	}
	return v, nil
}

// handle does what a frame asks for.
func (t *tab) handle(ctx context.Context, f frame) (ack, error) {
	if f.Event == eventMessage || f.Event == eventToolResult { // the others end what was asked, or make nothing durable
		if err := t.hub.Places.Write(t.who, len(f.Data)); err != nil {
			return ack{}, err
		}
	}
	switch f.Event {
	case eventHello:
		return t.onHello(ctx, f)
	case eventSubscribe:
		return t.onSubscribe(ctx, f)
	case eventUnsubscribe:
		return t.onUnsubscribe(f)
	case eventApprovalResponse:
		return t.onAnswer(ctx, f)
	case eventMessage:
		return t.onMessage(ctx, f)
	case eventCancel:
		return t.onCancel(ctx, f)
	case eventCancelWaiting:
		return t.onCancelWaiting(ctx, f)
	case eventHalt:
		return t.onHalt(ctx, f)
	case eventViewing:
		return t.onViewing(ctx, f)
	case eventToolStart:
		return t.onToolStart(ctx, f)
	case eventToolResult:
		return t.onToolResult(ctx, f)
	default:
		return ack{}, fmt.Errorf("%w: %q; there are: hello, subscribe, unsubscribe, approvalResponse, message, cancel, cancelWaiting, halt, viewing, toolStart, toolResult",
			errUnknownEvent, f.Event)
	}
}

func (t *tab) onMessage(ctx context.Context, f frame) (ack, error) {
	m, err := decoded[message](f)
	if err != nil {
		return ack{}, err
	}
	if m.Text == "" {
		return ack{}, fmt.Errorf("%w: text: missing", errInvalid)
	}
	if m.Talk {
		seq, err := t.hub.Door.Send(ctx, t.who, m.SessionID, m.Text)
		return ack{Seq: seq}, err
	}
	if err := t.mayAnswerInWords(ctx, m); err != nil {
		return ack{}, err
	}
	said, err := t.hub.Door.As(approval.ViaChat).Say(ctx, t.who, m.SessionID, m.Text, m.Seen)
	a := ack{Seq: said.Seq, Note: said.Text}
	for _, row := range said.Answered {
		a.Answered = append(a.Answered, row.ApprovalID)
	}
	return a, err
}

func (t *tab) onToolStart(ctx context.Context, f frame) (ack, error) {
	s, err := decoded[toolStart](f)
	if err != nil {
		return ack{}, err
	}
	return ack{}, t.hub.Clients.started(ctx, t, s.ToolCallID)
}

func (t *tab) onToolResult(ctx context.Context, f frame) (ack, error) {
	r, err := decoded[toolResult](f)
	if err != nil {
		return ack{}, err
	}
	return ack{}, t.hub.Clients.finished(ctx, t, r)
}

func (t *tab) onAnswer(ctx context.Context, f frame) (ack, error) {
	said, err := decoded[approval.WordedAnswer](f)
	if err != nil {
		return ack{}, err
	}
	if said.ApprovalID == "" {
		return ack{}, fmt.Errorf("%w: approvalId: missing", errInvalid)
	}
	a, err := said.Read()
	if err != nil {
		return ack{}, err
	}
	if err := t.mayAnswer(); err != nil {
		return ack{}, err
	}
	row, err := t.hub.Door.Decide(ctx, t.who, a)
	return ack{Response: row.Response}, err
}

func (t *tab) onCancel(ctx context.Context, f frame) (ack, error) {
	c, err := decoded[cancel](f)
	if err != nil {
		return ack{}, err
	}
	switch {
	case c.ApprovalID != "" && c.SessionID == "":
		if err := t.mayAnswer(); err != nil {
			return ack{}, err
		}
		row, err := t.hub.Door.Cancel(ctx, t.who, c.ApprovalID)
		return ack{Response: row.Response}, err
	case c.SessionID != "" && c.ApprovalID == "":
		over, err := t.hub.Door.Interrupt(ctx, t.who, c.SessionID)
		if err != nil {
			return ack{}, err
		}
		// It is acknowledged when nothing of the turn runs any more; the tab's
		// other frames do not wait for that.
		t.work.Go(func() {
			select {
			case <-over:
				t.send(eventAck, f.ID, ack{})
			case <-ctx.Done():
			}
		})
		return ack{}, errLater
	default:
		return ack{}, fmt.Errorf("%w: cancel: name either approvalId or sessionId", errInvalid)
	}
}

func (t *tab) onCancelWaiting(ctx context.Context, f frame) (ack, error) {
	w, err := decoded[approval.Which](f)
	if err != nil {
		return ack{}, err
	}
	if err := t.mayAnswer(); err != nil {
		return ack{}, err
	}
	rows, err := t.hub.Door.CancelWaiting(ctx, t.who, w)
	return ack{Note: fmt.Sprintf("%d withdrawn", len(rows))}, err
}

// onHalt takes no capability: anyone who sees something go wrong may stop it.
func (t *tab) onHalt(ctx context.Context, f frame) (ack, error) {
	h, err := decoded[halt](f)
	if err != nil {
		return ack{}, err
	}
	if h.All == (h.AgentID != "") {
		return ack{}, fmt.Errorf("%w: halt: name an agentId, or all", errInvalid)
	}
	_, err = t.hub.Door.Halt(ctx, t.who, h.AgentID)
	return ack{}, err
}

// onSubscribe sends the journal from the place named, and goes on with what
// comes. While it catches up the hub only notes how far the journal has got;
// the tab goes live in the moment in which nothing is missing.
func (t *tab) onSubscribe(ctx context.Context, f frame) (ack, error) {
	s, err := decoded[subscribe](f)
	if err != nil {
		return ack{}, err
	}
	if err := t.hub.Door.InScope(ctx, t.who, s.Session); err != nil {
		return ack{}, err
	}
	h, at := t.hub, &follow{}
	h.mu.Lock()
	before := t.follows[s.Session]
	t.follows[s.Session] = at
	h.mu.Unlock()
	signal(h.Clients.changed)
	sent, err := t.catchUp(ctx, s, at)
	if err == nil {
		return ack{Seq: sent}, nil
	}
	h.mu.Lock()
	delete(t.follows, s.Session)
	h.mu.Unlock()
	if before != nil {
		// What it was following has gone on meanwhile.
		t.close(websocket.CloseTryAgainLater, "the journal could not be read: reconnect and resume")
	}
	return ack{}, err
}

// onUnsubscribe ends following: of the session only what changes its status comes from now on.
func (t *tab) onUnsubscribe(f frame) (ack, error) {
	u, err := decoded[unsubscribe](f)
	if err != nil {
		return ack{}, err
	}
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	delete(t.follows, u.Session)
	signal(t.hub.Clients.changed)
	return ack{}, nil
}

// journalPage is how many events are read at a time for a tab that catches up.
const journalPage = 500

// catchUp sends a session's events after the one named until the tab is live,
// and returns the number of the last.
func (t *tab) catchUp(ctx context.Context, s subscribe, at *follow) (sent int64, err error) {
	sent = max(s.After, 0)
	for {
		events, err := t.hub.Door.Events(ctx, s.Session, sent, journalPage)
		if err != nil {
			return sent, err
		}
		for _, e := range events {
			out, err := prepare(session.Events.Name(), "", e)
			if err != nil {
				return sent, err
			}
			if !t.offerPatiently(ctx, out) {
				return sent, errGone
			}
			sent = e.Seq
		}
		if len(events) == 0 && t.goLive(s.Session, at, sent) {
			return sent, nil
		}
	}
}

// onViewing notes what the tab shows. Others are told of it, so it has to be an
// approval's id, and not too often.
func (t *tab) onViewing(ctx context.Context, f frame) (ack, error) {
	v, err := decoded[viewing](f)
	if err != nil {
		return ack{}, err
	}
	if v.ApprovalID != "" && uuid.Validate(v.ApprovalID) != nil {
		return ack{}, fmt.Errorf("%w: approvalId: want the id of a request", errInvalid)
	}
	if err := t.hub.glances.Of(t.who.Root).Wait(ctx); err != nil {
		return ack{}, errGone
	}
	if len(t.who.Agents) == 0 { // the others would learn who looks at what is not for them
		t.hub.view(t, v.ApprovalID)
	}
	return ack{}, nil
}

func (t *tab) goLive(sessionID string, at *follow, sent int64) bool {
	h := t.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.top > sent {
		return false
	}
	at.live, at.sent = true, sent
	if p, writing := h.partials[sessionID]; writing {
		t.send(session.Deltas.Name(), "", session.Delta{
			SessionID: sessionID, MessageID: p.messageID, Text: string(p.text),
		})
	}
	return true
}

// send queues a frame for this tab alone.
func (t *tab) send(event, id string, data any) {
	out, err := prepare(event, id, data)
	if err != nil {
		t.hub.log.Error("a frame could not be written", zap.String("event", event), zap.Error(err))
		return
	}
	t.offer(out)
}
