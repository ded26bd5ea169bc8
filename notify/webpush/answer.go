package webpush

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/lineclear/lineclear/notify"
)

// judged says what a push service's answer means. It names the host alone: who has the rest of
// an endpoint can send to it.
func judged(answer *http.Response, host string) error {
	status := answer.StatusCode
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		return notify.ErrGone
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		err := fmt.Errorf("webpush: %s answers %d", host, status)
		if after := laterOf(answer.Header.Get("Retry-After"), time.Now()); after > 0 {
			return fmt.Errorf("%w: %w", err, &notify.Later{After: after})
		}
		return err
	default:
		return fmt.Errorf("%w: %s answers %d", notify.ErrRefused, host, status)
	}
}

// laterOf reads a Retry-After (RFC 9110, section 10.2.3).
func laterOf(text string, now time.Time) time.Duration {
	var after time.Duration
	if seconds, err := strconv.Atoi(text); err == nil {
		after = time.Duration(min(seconds, int(maxLater.Seconds()))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), maxLater)
}

// failed is an error of the connection, without the endpoint that it has in its text.
func (s *Sender) failed(r *http.Request, err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, errAddress) {
		return fmt.Errorf("%w: %s: %w", notify.ErrRefused, r.URL.Host, errAddress)
	}
	return fmt.Errorf("webpush: %s: %w", r.URL.Host, err)
}
