package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/bus"
	"github.com/lineclear/lineclear/door"
	"github.com/lineclear/lineclear/session"
)

const (
	streamQueue = 1024             // events that may wait for a reader
	heartbeat   = 15 * time.Second // between signs of life, which keep proxies from hanging up
	patience    = 10 * time.Second // for a reader to take what is written
)

// alias is a second name of approvalRequest, for clients that know that one.
const alias = "approval-required"

// stream sends what the WebSocket tells every tab, or, for a session, its
// journal and what is asked in it and below it. A reader that is too slow is cut off; a browser then comes back, and
// goes on in a session's journal where it was.
func (s *Server) stream(c *call) error {
	sessionID, after, err := c.resumeFrom()
	if err != nil {
		return err
	}
	if sessionID != "" { // which the header may name as well
		if err := s.Door.InScope(c.r.Context(), c.who, sessionID); err != nil {
			return err
		}
	}
	spread := func(ctx context.Context) { s.Places.Spread(ctx.Done(), c.who) }
	out := &sse{w: c.w, control: http.NewResponseController(c.w), spread: spread}
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(s.Closing, cancel)()
	// Heard before read, so that nothing falls between.
	sub := s.Door.Subscribe(streamQueue, door.TopicsOf(sessionID)...)
	defer sub.Close()
	if c.who.May(auth.Answer) && sessionID == "" {
		defer s.watch(c)()
	}
	if sessionID != "" {
		return s.streamSession(ctx, c, out, sub, sessionID, after)
	}
	return s.streamAll(ctx, c, out, sub)
}

// Attended reports whether somebody watches the stream who may answer an agent's
// requests.
func (s *Server) Attended(agentID string) bool {
	s.watching.Lock()
	defer s.watching.Unlock()
	for c := range s.watchers {
		if c.who.Covers(agentID) {
			return true
		}
	}
	return false
}

// Answers is, of each of them, the agents that they are for; none: all. Such a one stands for all others.
func (s *Server) Answers() (agents [][]string) {
	s.watching.Lock()
	defer s.watching.Unlock()
	for c := range s.watchers {
		if len(c.who.Agents) == 0 {
			return [][]string{nil}
		}
		agents = append(agents, c.who.Agents)
	}
	return agents
}

// watch counts a stream as somebody who may answer, until it is over.
func (s *Server) watch(c *call) (over func()) {
	change := func(what func()) {
		s.watching.Lock()
		what()
		s.watching.Unlock()
		if s.Watched != nil {
			s.Watched(c.r.Context())
		}
	}
	change(func() { s.watchers[c] = struct{}{} })
	return func() { change(func() { delete(s.watchers, c) }) }
}

// resumeFrom reads which journal is wanted, and from where on.
func (c *call) resumeFrom() (sessionID string, after int64, err error) {
	sessionID = c.query("sessionId")
	if after, err = c.number("after", 0, 0, 1<<53); err != nil {
		return "", 0, err
	}
	id, seq, resumes := strings.Cut(c.r.Header.Get("Last-Event-ID"), ":")
	if !resumes {
		return sessionID, after, nil
	}
	n, err := strconv.ParseInt(seq, 10, 64)
	if err != nil || id != sessionID && sessionID != "" {
		return "", 0, invalid("Last-Event-ID: want SESSION:NUMBER of the session that is streamed")
	}
	return id, max(after, n), nil
}

func (s *Server) streamAll(ctx context.Context, c *call, out *sse, sub *bus.Subscription) error {
	pages, err := s.Door.Snapshot(ctx, c.who)
	if err != nil {
		return err
	}
	out.begin(c)
	for _, page := range pages {
		out.send("", "snapshot", page)
	}
	out.follow(ctx, sub, func(e bus.Event) {
		if news := s.Door.View(e); s.concerns(ctx, c, news) {
			out.news("", news)
		}
	})
	return nil
}

// concerns reports whether an identity may know of some news.
func (s *Server) concerns(ctx context.Context, c *call, news *door.News) bool {
	if news.Everyone {
		return true
	}
	if news.AgentID != "" {
		return c.who.Covers(news.AgentID)
	}
	return s.Door.InScope(ctx, c.who, news.SessionID) == nil
}

func (s *Server) streamSession(ctx context.Context, c *call, out *sse, sub *bus.Subscription, sessionID string, after int64) error {
	over, err := s.read(c)
	if err != nil {
		return err
	}
	defer over()
	events, err := s.Door.Events(ctx, sessionID, after, pageSize)
	if err != nil {
		return err
	}
	out.begin(c)
	for len(events) > 0 && out.broken == nil {
		for _, e := range events {
			after = e.Seq
			out.send(eventID(sessionID, e.Seq), session.Events.Name(), e)
		}
		events, err = s.Door.Events(ctx, sessionID, after, pageSize)
		out.breaks(err)
	}
	waiting, err := s.Door.Find(ctx, c.who, approval.Query{SessionID: sessionID, Below: true, Status: approval.Pending})
	out.breaks(err) // the client reconnects and resumes
	told := map[string]bool{}
	for _, row := range waiting {
		told[row.ApprovalID] = true
		out.send("", approval.Requests.Name(), row.Request)
	}
	events, waiting = nil, nil // not held in memory for as long as the stream lasts
	over()
	out.follow(ctx, sub, func(e bus.Event) {
		switch news := s.Door.View(e); {
		case news.Topic == approval.Requests.Name():
			in := news.SessionID == sessionID || slices.Contains(news.Above, sessionID)
			if in && c.who.Covers(news.AgentID) && !told[news.ApprovalID] {
				told[news.ApprovalID] = true
				out.news("", news)
			}
		case news.Topic == approval.Responses.Name():
			if told[news.ApprovalID] {
				delete(told, news.ApprovalID)
				out.news("", news)
			}
		case news.Seq > after:
			after = news.Seq
			out.news(eventID(sessionID, news.Seq), news)
		case news.Passing:
			out.news("", news)
		}
	})
	return nil
}

// eventID is the id by which a stream is resumed; see resumeFrom.
func eventID(sessionID string, seq int64) string { return fmt.Sprintf("%s:%d", sessionID, seq) }

// sse writes server-sent events (WHATWG HTML, section 9.2) until one can't be
// written.
type sse struct {
	w       http.ResponseWriter
	control *http.ResponseController
	spread  func(context.Context) // waits before events are sent to one of many streams
	broken  error
}

func (o *sse) begin(c *call) {
	o.w.Header().Set("Content-Type", "text/event-stream")
	o.w.Header().Set("Cache-Control", "no-store")
	o.w.Header().Set("X-Accel-Buffering", "no") // or nginx keeps it back
	// Beside the writes, which have deadlines of their own, there is none.
	_ = o.control.SetReadDeadline(time.Time{})
	o.w.WriteHeader(http.StatusOK)
	o.write(": %s\n\n", c.r.URL.Path)
}

// news sends an event of the bus.
func (o *sse) news(id string, news *door.News) {
	raw, err := news.Data()
	o.sendRaw(id, news.Topic, raw, err)
}

func (o *sse) send(id, event string, data any) {
	raw, err := json.Marshal(data, json.Deterministic(true))
	o.sendRaw(id, event, raw, err)
}

// sendRaw sends JSON without line breaks; a request is sent under both of its names.
func (o *sse) sendRaw(id, event string, raw []byte, err error) {
	if err != nil {
		o.broken = err
		return
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	o.write("%sevent: %s\ndata: %s\n\n", id, event, raw)
	if event == approval.Requests.Name() {
		o.write("%sevent: %s\ndata: %s\n\n", id, alias, raw)
	}
}

func (o *sse) write(format string, args ...any) {
	if o.broken != nil {
		return
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(patience))
	_, o.broken = fmt.Fprintf(o.w, format, args...)
}

// breaks ends the stream because of an error.
func (o *sse) breaks(err error) {
	if o.broken == nil {
		o.broken = err
	}
}

func (o *sse) flush() {
	if o.broken == nil {
		o.broken = o.control.Flush()
	}
}

// follow passes events on until ctx ends, the reader is gone, or it is too slow.
func (o *sse) follow(ctx context.Context, sub *bus.Subscription, pass func(bus.Event)) {
	for o.broken == nil {
		if !sub.Waiting() { // send events that arrive together in one write
			o.flush()
			o.spread(ctx)
		}
		idle := !sub.Waiting()
		next, cancel := context.WithTimeout(ctx, heartbeat)
		e, err := sub.Next(next)
		cancel()
		switch {
		case err == nil:
			if idle {
				o.spread(ctx)
			}
			pass(e)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			o.write(": alive\n\n")
		default:
			return
		}
	}
}

// extend lets an answer take longer than the server's own limit.
func (c *call) extend(by time.Duration) error {
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Now().Add(by + patience)) // past it, the client would count as gone
	err := control.SetWriteDeadline(time.Now().Add(by + patience))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // then there is no limit either
	}
	return err
}
