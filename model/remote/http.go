package remote

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"time"
)

// The pauses between attempts where the server names none. Each is twice the one
// before, up to the longest.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 8 * time.Second
)

// send sends a request, with retries. A response of any status is no error.
func (s *Server) send(ctx context.Context, w *watch, method, path string, body []byte) (*http.Response, error) {
	pause := firstPause
	for left := s.Options.Retries; ; left-- {
		r, err := s.request(ctx, method, path, body)
		if err != nil {
			return nil, err
		}
		res, err := w.do(s.client, r)
		delay, again := shouldRetry(res, err)
		if left == 0 || ctx.Err() != nil || !again {
			return res, err
		}
		if res != nil {
			_ = res.Body.Close()
		}
		wait := delay
		if wait == 0 {
			wait = pause - rand.N(pause/4)
			pause = min(2*pause, longestPause)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
}

// shouldRetry reports whether to try again: where the server was not reached, or answered
// 408, 409, 429 or 5xx. delay is the one that the server names; 0: none.
func shouldRetry(res *http.Response, err error) (delay time.Duration, again bool) {
	if err != nil {
		return 0, true
	}
	delay = retryAfter(res.Header)
	switch should := res.Header.Get("X-Should-Retry"); {
	case delay > MaxPause:
		return 0, false
	case should != "":
		return delay, should == "true"
	}
	switch res.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return delay, true
	}
	return delay, res.StatusCode >= http.StatusInternalServerError
}

func (s *Server) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.Base.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "lineclear")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.Options.Key != "" {
		if s.provider.KeyHeader == "" {
			r.Header.Set("Authorization", "Bearer "+s.Options.Key)
		} else {
			r.Header.Set(s.provider.KeyHeader, s.Options.Key)
		}
	}
	for _, headers := range []map[string]string{s.provider.Headers, s.Options.Headers} {
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	}
	return r, nil
}

// events yields the data of server-sent events (HTML Living Standard, section 9.2), up
// to the first error.
func events(stream io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(stream)
		lines.Buffer(nil, maxAnswer)
		var data []byte
		for lines.Scan() {
			line := lines.Bytes()
			if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
				continue
			}
			if len(line) == 0 && len(data) > 0 {
				if !yield(data, nil) {
					return
				}
				data = nil
			}
		}
		if err := lines.Err(); err != nil || len(data) > 0 {
			yield(data, err)
		}
	}
}
