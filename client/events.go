package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
)

const (
	silence      = time.Minute // without a sign of life, after which a stream is taken as dead; the gateway gives one every 15 s
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
	maxLine      = 16 << 20
)

// ErrReconnecting is what Events yields when the stream has broken and will be
// opened again.
var ErrReconnecting = errors.New("client: the connection to the gateway broke off; reconnecting")

// Event is one that the gateway streams; docs/protocol.md lists them by name.
type Event struct {
	Name string    `json:"event"`
	Data tool.JSON `json:"data"`
	ID   string    `json:"id,omitempty"` // of a session's journal: SESSION:NUMBER
}

// Decode reads the event's data into v.
func (e Event) Decode(v any) error {
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("client: event %s: %w", e.Name, err)
	}
	return nil
}

// Snapshot is the data of the event of that name, which every stream without a
// session begins with, also after it broke: it replaces what was known before.
type Snapshot struct {
	Pending  []approval.Request `json:"pending"`
	Sessions []session.Session  `json:"sessions"`
	More     bool               `json:"more"` // of a page on the wire; false here: pages are put together
}

// Events streams what happens until ctx ends: what concerns everyone, or, with
// a session, its journal from the event after on and the deltas.
//
// A stream that breaks is opened again, after pauses that grow; a session's goes
// on where it was, the other begins with a snapshot again. Each break is told by
// an error that is ErrReconnecting: to go on, just take the next. Any other
// error is the last thing that comes.
func (c *Client) Events(ctx context.Context, sessionID string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		last, pause := "", firstPause
		if sessionID != "" {
			last = sessionID + ":" + strconv.FormatInt(after, 10)
		}
		for ctx.Err() == nil {
			var pages snapshotPages
			err := c.stream(ctx, sessionID, last, func(e Event) bool {
				pause = firstPause
				if e.ID != "" {
					last = e.ID
				}
				e, whole, err := pages.add(e)
				return err == nil && !whole || yield(e, err)
			})
			switch {
			case errors.Is(err, errEnough), ctx.Err() != nil:
				return
			case !passing(err):
				yield(Event{}, err)
				return
			case !yield(Event{}, fmt.Errorf("%w: %w", ErrReconnecting, err)):
				return
			}
			wait(ctx, pause/2+rand.N(pause))
			pause = min(2*pause, longestPause)
		}
	}
}

// snapshotPages puts the pages of a snapshot together.
type snapshotPages struct{ so Snapshot }

// add takes an event in, and returns it once it is whole.
func (p *snapshotPages) add(e Event) (_ Event, whole bool, err error) {
	if e.Name != "snapshot" {
		return e, true, nil
	}
	var page Snapshot
	if err := e.Decode(&page); err != nil {
		return e, false, err
	}
	p.so.Pending, p.so.Sessions = append(p.so.Pending, page.Pending...), append(p.so.Sessions, page.Sessions...)
	if page.More {
		return e, false, nil
	}
	e.Data, err = json.Marshal(p.so)
	p.so = Snapshot{}
	return e, true, err
}

// errEnough ends a stream whose reader has enough.
var errEnough = errors.New("client: enough")

// passing reports whether an error of a stream may go away by itself.
func passing(err error) bool {
	var p *Problem
	if errors.As(err, &p) {
		return p.Status >= http.StatusInternalServerError || p.Status == http.StatusTooManyRequests
	}
	return true
}

func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// stream reads one connection's events until it breaks.
func (c *Client) stream(ctx context.Context, sessionID, last string, take func(Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()

	r, err := c.request(ctx, http.MethodGet, "/api/events?"+query("sessionId", sessionID).Encode(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		raw, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
		if err != nil {
			return err
		}
		return problemOf(response.StatusCode, raw)
	}
	return read(response.Body, func() { alive.Reset(silence) }, take)
}

// read takes server-sent events (WHATWG HTML, section 9.2) from a stream; line
// is called for each of its lines.
func read(from io.Reader, line func(), take func(Event) bool) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	var e Event
	var data []string
	for lines.Scan() {
		line()
		field, value, comment := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			e.Name = value
		case "id":
			e.ID = value
		case "data":
			data = append(data, value)
		case "":
			if comment || len(data) == 0 {
				continue
			}
			e.Data = tool.JSON(strings.Join(data, "\n"))
			if !take(e) {
				return errEnough
			}
			e, data = Event{}, nil
		}
	}
	return errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}
