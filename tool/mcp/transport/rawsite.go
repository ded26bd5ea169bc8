package transport

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/tool"
)

const (
	maxPosts    = 64               // open at a time, of requests
	longestWait = 30 * time.Second // that a server may want before its stream is opened again
	noticeTime  = 30 * time.Second // for a server to take a message that it does not answer
	endTime     = 2 * time.Second  // for telling a server that its session ends
)

var errNoStream = errors.New("the server has no such stream")

// rawSite is the connection to a site whose messages pass as they were written.
type rawSite struct {
	w       *streamable
	client  *http.Client
	texts   chan []byte
	posts   chan struct{}
	running sync.WaitGroup

	mu      sync.Mutex
	session string
	version string // that the server has chosen
	listens bool   // its stream for what belongs to no request was opened
	ended   bool
	open    map[string]*rawRequest // by id
}

func newRawSite(w *streamable) *rawSite {
	w.raw = &rawSite{w: w, client: &http.Client{Transport: w}, texts: make(chan []byte), posts: make(chan struct{}, maxPosts), open: map[string]*rawRequest{}}
	return w.raw
}

func (s *rawSite) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

// Read implements Raw.
func (s *rawSite) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-s.texts:
		return text, nil
	case <-s.w.done:
		return nil, cmp.Or(s.w.Lost(), io.EOF)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write implements Raw. A request is sent, and its answer read, in the background.
func (s *rawSite) Write(ctx context.Context, message []byte) error {
	e := envelopeOf(message)
	if len(e.ID) == 0 || e.Method == "" {
		return s.notify(ctx, e, message)
	}
	if !s.begin(e, message) {
		return io.ErrClosedPipe
	}
	return nil
}

// notify sends what is not answered. A server that does not take it is said to the log: that
// is no reason to end the connection.
func (s *rawSite) notify(ctx context.Context, e envelope, message []byte) error {
	limited, stop := context.WithTimeout(ctx, noticeTime)
	defer stop()
	what := cmp.Or(e.Method, "an answer")
	if e.Method == "notifications/cancelled" {
		defer s.takeBack(e.Cancels)()
	}
	resp, err := s.post(limited, e, message)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		s.w.log("warning", fmt.Sprintf("mcp: the server did not take %q within %s", what, noticeTime))
		return nil
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		s.w.log("warning", fmt.Sprintf("mcp: the server answered %q with %d", what, resp.StatusCode))
	}
	if errors.Is(s.w.Lost(), ErrForgotten) {
		return ErrForgotten
	}
	if e.Method == "notifications/initialized" {
		s.listen()
	}
	return nil
}

// start runs f until the connection is cut.
func (s *rawSite) start(f func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.running.Go(func() {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		go func() {
			<-s.w.done
			stop()
		}()
		f(ctx)
	})
	return true
}

func (s *rawSite) post(ctx context.Context, e envelope, message []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.w.target.String(), bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if e.Version != "" {
		r.Header.Set("Mcp-Protocol-Version", e.Version)
		r.Header.Set("Mcp-Method", e.Method)
		if e.Name != "" {
			r.Header.Set("Mcp-Name", e.Name)
		}
	}
	s.headers(r)
	return s.do(r)
}

// do sends a request with the site's token, where it wants one, and once more with a new one if
// that is refused.
func (s *rawSite) do(r *http.Request) (*http.Response, error) {
	tokens := s.w.tokens
	if tokens == nil {
		return s.client.Do(r)
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		again.Body, _ = r.GetBody() // of bytes, which doesn't fail
	}
	if err := tokens.put(r); err != nil {
		return nil, err
	}
	resp, err := s.client.Do(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if err := tokens.Authorize(r.Context(), r, resp); err != nil {
		return nil, err
	}
	if err := tokens.put(again); err != nil {
		return nil, err
	}
	return s.client.Do(again)
}

func (s *rawSite) headers(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != "" {
		r.Header.Set("Mcp-Session-Id", s.session)
	}
	if s.version != "" && r.Header.Get("Mcp-Protocol-Version") == "" {
		r.Header.Set("Mcp-Protocol-Version", s.version)
	}
}

// request sends a request, and hands on what the server answers.
func (s *rawSite) request(ctx context.Context, e envelope, message []byte) error {
	resp, err := s.post(ctx, e, message)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 && e.Method == "initialize" {
		s.mu.Lock()
		s.session = resp.Header.Get("Mcp-Session-Id")
		s.mu.Unlock()
	}
	if kindOf(resp) == "text/event-stream" && resp.StatusCode/100 == 2 {
		return s.follow(ctx, e, resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxMessage:
		return errMessageSize
	case !s.isAnswer(e, text):
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	s.take(ctx, e, text)
	return nil
}

func (s *rawSite) isAnswer(e envelope, text []byte) bool {
	a := envelopeOf(text)
	return a.Method == "" && len(a.ID) > 0 && jsonrpc.Key(tool.JSON(a.ID)) == jsonrpc.Key(tool.JSON(e.ID))
}

// take hands on a message, and learns from the answer to initialize.
func (s *rawSite) take(ctx context.Context, e envelope, text []byte) {
	if e.Method == "initialize" && s.isAnswer(e, text) {
		s.mu.Lock()
		s.version = envelopeOf(text).Chosen
		s.mu.Unlock()
	}
	select {
	case s.texts <- text:
	case <-ctx.Done():
	}
}

// follow reads a stream up to the answer to a request. One that breaks off is opened again
// where it was.
func (s *rawSite) follow(ctx context.Context, e envelope, resp *http.Response) error {
	for again := 0; ; again++ {
		last, wait, answered := s.read(ctx, e, resp.Body)
		_ = resp.Body.Close()
		if answered || ctx.Err() != nil {
			return nil
		}
		if last == "" || again == maxReconnects {
			return errors.New("the server ended the stream before it answered")
		}
		next, err := s.get(ctx, last, wait)
		if err != nil {
			return err
		}
		resp = next
	}
}

// read reads one stream. last is by what it can be opened again.
func (s *rawSite) read(ctx context.Context, e envelope, stream io.Reader) (last string, wait time.Duration, answered bool) {
	lines := bufio.NewReader(stream)
	var data []byte
	name := ""
	for {
		line, err := readLine(lines, maxMessage)
		if err != nil {
			return last, wait, false
		}
		field, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(append(data, value...), '\n')
		case "id":
			last = value
		case "event":
			name = value
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil {
				wait = min(time.Duration(ms)*time.Millisecond, longestWait)
			}
		case "":
			if text := bytes.TrimSpace(data); len(text) > 0 && (name == "" || name == "message") {
				s.take(ctx, e, text)
				if len(e.ID) > 0 && s.isAnswer(e, text) {
					return last, wait, true
				}
			}
			data, name = nil, ""
		}
		if len(data) > maxMessage {
			return "", 0, false
		}
	}
}

// get opens a stream: the one that broke off after an event, or that for what belongs to no
// request.
func (s *rawSite) get(ctx context.Context, last string, wait time.Duration) (*http.Response, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.w.target.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	if last != "" {
		r.Header.Set("Last-Event-Id", last)
	}
	s.headers(r)
	resp, err := s.do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 || kindOf(resp) != "text/event-stream" {
		_ = resp.Body.Close()
		if resp.StatusCode/100 == 4 {
			return nil, errNoStream
		}
		return nil, fmt.Errorf("the server answered %s", resp.Status)
	}
	return resp, nil
}

// listen opens the stream for what belongs to no request, if the server has one.
func (s *rawSite) listen() {
	s.mu.Lock()
	first := !s.listens
	s.listens = true
	s.mu.Unlock()
	if !first {
		return
	}
	s.start(func(ctx context.Context) {
		last, wait := "", time.Duration(0)
		for failed := 0; failed <= maxReconnects && ctx.Err() == nil; {
			resp, err := s.get(ctx, last, max(wait, time.Duration(failed)*time.Second))
			if errors.Is(err, errNoStream) {
				return
			}
			if err != nil {
				failed++
				continue
			}
			failed = 0
			last, wait, _ = s.read(ctx, envelope{}, resp.Body)
			wait = max(wait, time.Second)
			_ = resp.Body.Close()
		}
	})
}

// fail answers a request that the server did not answer.
func (s *rawSite) fail(e envelope, err error) {
	words, _ := json.Marshal("mcp: " + s.w.ErrorText(err))
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, e.ID, words)
	select {
	case s.texts <- text:
	case <-s.w.done:
	}
	if errors.Is(s.w.Lost(), ErrForgotten) {
		s.w.Cut()
	}
}

// end tells the server that its session is over.
func (s *rawSite) end() {
	s.mu.Lock()
	session, first := s.session, !s.ended
	s.ended = true
	s.mu.Unlock()
	if first && session != "" {
		ctx, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		if r, err := http.NewRequestWithContext(ctx, http.MethodDelete, s.w.target.String(), nil); err == nil {
			s.headers(r)
			if resp, err := s.do(r); err == nil { // otherwise it learns in time
				_ = resp.Body.Close()
			}
		}
	}
	s.w.Cut()
	s.running.Wait()
}
