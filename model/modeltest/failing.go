package modeltest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

// refusal is an error in a form that every provider reads. header are names and values.
func refusal(status int, code, words string, header ...string) response {
	r := response{status: status, header: http.Header{"Content-Type": {"application/json"}}}
	r.body = written(map[string]any{"type": "error", "error": map[string]string{"type": code, "message": words}})
	for pair := range slices.Chunk(header, 2) {
		r.header.Set(pair[0], pair[1])
	}
	return r
}

func failures(t *testing.T, p Provider) {
	for _, c := range []struct {
		status      int
		code, words string
		want        model.Kind
	}{
		{401, "authentication_error", "invalid x-api-key", model.Denied},
		{404, "not_found_error", "no such model", model.Rejected},
		{400, "invalid_request_error", "tools: wrong", model.Rejected},
		{400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", model.TooLong},
		{429, "rate_limit_error", "the prompt is too long for this minute", model.RateLimited},
		{400, "invalid_request_error", "Your credit balance is too low.", model.RateLimited},
		{529, "overloaded_error", "busy", model.Unavailable},
		{503, "", "", model.Unavailable},
	} {
		f := p.fixture(t, remote.Options{Retries: -1}, refusal(c.status, c.code, c.words).whole(0))
		if e := f.fail(t, c.want); !strings.Contains(e.Detail, c.words) {
			t.Errorf("%d: %q is not told: %q", c.status, c.words, e.Detail)
		}
	}
}

func details(t *testing.T, p Provider) {
	o := remote.Options{Key: key, Headers: map[string]string{"X-Depot": "another-secret"}}
	f := p.fixture(t, o)
	for shift := range 3 { // of where the words are cut, inside a character
		words := "your key " + key + " (another-secret) is\x1b[31m\x00 \u202ewrong\r\n" + strings.Repeat("x", shift) + strings.Repeat("線", 400)
		f.answer(refusal(http.StatusUnauthorized, "authentication_error", words).whole(0))
		e := f.fail(t, model.Denied)
		if len(e.Detail) > 500 || !strings.HasPrefix(e.Detail, "your key *** (***) is") || strings.ContainsFunc(e.Detail, unicode.IsControl) || strings.ContainsAny(e.Detail, "\u202e\ufffd") {
			t.Errorf("%d bytes: %q", len(e.Detail), e.Detail)
		}
	}
	for _, n := range []int{480, 490, 495} { // a key where the words are cut
		f.answer(refusal(http.StatusUnauthorized, "", strings.Repeat("x", n)+key).whole(0))
		if e := f.fail(t, model.Denied); strings.Contains(e.Detail, key[:4]) {
			t.Errorf("a part of the key: %q", e.Detail)
		}
	}
}

func refusedConnection(t *testing.T, p Provider) {
	f := p.fixture(t, remote.Options{Retries: -1}, end)
	if e := f.fail(t, model.Unavailable); e.Detail != errNobody.Error() {
		t.Errorf("told as %q", e.Detail)
	}
}

func retries(t *testing.T, p Provider) {
	times := func(want int, r response) {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			f.answer(r.whole(0))
			got, _, err := ask(t.Context(), f.model, said("Go on."))
			if n := len(f.sent()); got.Error == "" || n != want {
				t.Errorf("%d: asked %d times, want %d: %+v, %v", r.status, n, want, got, err)
			}
		})
	}
	for status, want := range map[int]int{400: 1, 401: 1, 403: 1, 404: 1, 413: 1, 422: 1, 408: 4, 409: 4, 429: 4, 500: 4, 502: 4, 503: 4, 529: 4} {
		times(want, refusal(status, "", ""))
	}
	times(1, refusal(http.StatusInternalServerError, "", "", "X-Should-Retry", "false"))
	times(4, refusal(http.StatusBadRequest, "", "", "X-Should-Retry", "true"))
	p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
		down := refusal(http.StatusInternalServerError, "", "").whole(0)
		f.answer(down, refusal(529, "", "").whole(0), down, f.good.whole(0))
		f.succeed(t)
	})
	p.bubble(t, remote.Options{Retries: -1}, func(t *testing.T, f fixture) {
		f.answer(refusal(http.StatusInternalServerError, "", "").whole(0))
		f.fail(t, model.Unavailable)
		if n := len(f.sent()); n != 1 {
			t.Errorf("without retries: asked %d times", n)
		}
	})
}

// pauseForms are the ways to name a pause from now on.
const pauseForms = 3

func pauseHeader(form int, pause time.Duration) []string {
	return [pauseForms][]string{
		{"Retry-After", written(pause.Seconds())},
		{"Retry-After", time.Now().Add(pause).UTC().Format(http.TimeFormat)},
		{"Retry-After-Ms", written(pause.Milliseconds())},
	}[form]
}

func namedPause(t *testing.T, p Provider) {
	for form := range pauseForms {
		p.bubble(t, remote.Options{Timeout: 3 * time.Second}, func(t *testing.T, f fixture) {
			begun := time.Now()
			f.answer(refusal(http.StatusTooManyRequests, "", "", pauseHeader(form, 7*time.Second)...).whole(0), f.good.whole(0))
			f.succeed(t)
			if waited := time.Since(begun); waited < 6*time.Second || waited > 8*time.Second {
				t.Errorf("after %s", waited)
			}
		})
	}
}

func longPause(t *testing.T, p Provider) {
	for form := range pauseForms {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			begun := time.Now()
			f.answer(refusal(http.StatusTooManyRequests, "insufficient_quota", "used up", pauseHeader(form, 2*time.Hour)...).whole(0))
			e := f.fail(t, model.RateLimited)
			if n := len(f.sent()); n != 1 || e.After.Round(time.Minute) != 2*time.Hour || time.Since(begun) > time.Second {
				t.Errorf("asked %d times for %s, told %s", n, time.Since(begun), e.After)
			}
		})
	}
	for after, want := range map[string]time.Duration{"20": 20 * time.Second, "-5": 0, "NaN": 0, "soon": 0} {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			f.answer(refusal(http.StatusTooManyRequests, "", "", "Retry-After", after).whole(0))
			if e := f.fail(t, model.RateLimited); e.After != want || len(f.sent()) != 4 {
				t.Errorf("%s: asked %d times, told %s", after, len(f.sent()), e.After)
			}
		})
	}
}

// brokenAnswers cuts the good answer in many places. The outcome is a broken answer, or
// a reply that lacks only the usage: never half of a reply.
func brokenAnswers(t *testing.T, p Provider) {
	f := p.fixture(t, remote.Options{})
	good, want := f.good, f.recorded.want
	broken := 0
	try := func(what string, a answer) {
		f.answer(a, good.whole(0))
		got, _, err := ask(t.Context(), f.model, f.recorded.prompts...)
		if n := len(f.sent()); err != nil || n != 1 {
			t.Fatalf("%s: %v, asked %d times", what, err, n)
		}
		if got.Error == model.Broken {
			broken++
			return
		}
		got.Usage = want.Usage
		diff(t, what, want, got)
	}
	const step = 13 // so that cuts lie anywhere in events
	for n := 0; n < len(good.body); n += step {
		try("a body that ends", response{status: good.status, header: good.header, body: good.body[:n]}.whole(0))
	}
	for n := range good.events() {
		try("a body that ends with an event", good.first(n, end))
		try("a connection that ends", good.first(n, (*line).drop))
	}
	if broken < len(good.body)/step {
		t.Errorf("only %d of the answers that broke off are broken", broken)
	}
	f.answer(good.first(f.half, func(l *line) { l.say("data: {\"broken\":[}\n\n" + strings.Join(good.events()[f.half:], "")) }))
	f.fail(t, model.Broken)
}

// trickle sends pieces of an event that does not end.
func trickle(every time.Duration, piece string) answer {
	return func(l *line) {
		for l.say("data: "); l.pause(every); {
			l.say(piece)
		}
	}
}

func silence(t *testing.T, p Provider) {
	for _, rest := range []answer{(*line).hold, trickle(time.Second, "x"), trickle(time.Second, "\ndata: ")} {
		for _, half := range []bool{false, true} {
			p.bubble(t, remote.Options{Timeout: 10 * time.Second}, func(t *testing.T, f fixture) {
				n, want := 0, model.Unavailable
				if half {
					n, want = f.half, model.Broken
				}
				begun := time.Now()
				f.answer(f.good.first(n, rest))
				f.fail(t, want)
				if waited := time.Since(begun); waited != 10*time.Second || len(f.sent()) != 1 {
					t.Errorf("given up after %s, asked %d times", waited, len(f.sent()))
				}
			})
		}
	}
}

func keptAlive(t *testing.T, p Provider) {
	for _, half := range []bool{false, true} {
		p.bubble(t, remote.Options{Timeout: 10 * time.Second}, func(t *testing.T, f fixture) {
			n, good := 0, f.good
			if half {
				n = f.half
			}
			f.answer(good.first(n, func(l *line) {
				for range 4 {
					l.pause(9 * time.Second)
					l.say(": still there\n\n")
				}
				for _, event := range good.events()[n:] {
					l.pause(9 * time.Second)
					l.say(event)
				}
			}))
			f.succeed(t)
		})
	}
}

// ended ends the context at each stage of a call.
func ended(t *testing.T, p Provider) {
	cause := errors.New("the session has been closed")
	for _, stage := range []struct {
		name   string
		at     time.Duration
		answer func(fixture) answer
	}{
		{"before the call", 0, func(fixture) answer { return end }},
		{"before the answer", time.Second, func(f fixture) answer { return f.good.first(0, (*line).hold) }},
		{"in the answer", time.Second, func(f fixture) answer { return f.good.first(f.half, (*line).hold) }},
		{"between two bytes", time.Second, func(f fixture) answer { return f.good.first(f.half, trickle(time.Minute, "x")) }},
		{"between attempts", time.Second, func(fixture) answer {
			return refusal(http.StatusTooManyRequests, "", "", "Retry-After", "30").whole(0)
		}},
	} {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			f.answer(stage.answer(f))
			ctx, cancel := context.WithCancelCause(t.Context())
			if stage.at == 0 {
				cancel(cause)
			}
			defer time.AfterFunc(stage.at, func() { cancel(cause) }).Stop()
			begun := time.Now()
			got, _, err := ask(ctx, f.model, said("Go on."))
			if !errors.Is(err, cause) || got.Error != "" || time.Since(begun) != stage.at {
				t.Errorf("%s: %+v, %v after %s", stage.name, got, err, time.Since(begun))
			}
		})
	}
	p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
		f.answer((*line).hold)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := ask(ctx, f.model, said("Go on.")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline: %v", err)
		}
	})
}
