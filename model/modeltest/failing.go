package modeltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/remote"
)

func failures(t *testing.T, p Provider) {
	for _, c := range []struct {
		status      int
		code, words string
		want        model.Kind
	}{
		{401, "authentication_error", "invalid x-api-key", model.Denied},
		{403, "permission_error", "not for this model", model.Denied},
		{400, "invalid_request_error", "tools: wrong", model.Rejected},
		{404, "not_found_error", "no such model", model.Rejected},
		{422, "invalid_request_error", "wrong", model.Rejected},
		{400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", model.TooLong},
		{400, "invalid_request_error", "This exceeds the model's Context Window.", model.TooLong},
		{413, "request_too_large", "too large", model.TooLong},
		{402, "billing_error", "no funds", model.RateLimited},
		{400, "invalid_request_error", "Your credit balance is too low.", model.RateLimited},
		{429, "rate_limit_error", "the prompt is too long for this minute", model.RateLimited},
		{500, "api_error", "oops", model.Unavailable},
		{503, "", "", model.Unavailable},
		{529, "overloaded_error", "busy", model.Unavailable},
		{408, "timeout_error", "late", model.Unavailable},
	} {
		p.bubble(t, remote.Options{Retries: 1}, func(t *testing.T, f fixture) {
			f.Always = Answer{Status: c.status, Code: c.code, Words: c.words}
			if e := f.fail(t, p, c.want); c.words != "" && !strings.Contains(e.Detail, c.words) {
				t.Errorf("%d: %q is not told: %q", c.status, c.words, e.Detail)
			}
		})
	}
}

func details(t *testing.T, p Provider) {
	words := "your key " + key + " is\x1b[31m\x00 \u202ewrong\r\n" + strings.Repeat("線", 400)
	f := p.loopback(t, remote.Options{}, Answer{Status: http.StatusUnauthorized, Code: "authentication_error", Words: words})
	e := f.fail(t, p, model.Denied)
	if len(e.Detail) > 500 || !strings.HasPrefix(e.Detail, "your key *** is") || strings.ContainsFunc(e.Detail, unicode.IsControl) || strings.ContainsAny(e.Detail, "\u202e\ufffd") {
		t.Errorf("%d bytes: %q", len(e.Detail), e.Detail)
	}
	for _, n := range []int{480, 490, 495} { // a key where the words are cut
		f := p.loopback(t, remote.Options{}, Answer{Status: http.StatusUnauthorized, Words: strings.Repeat("x", n) + key})
		if e := f.fail(t, p, model.Denied); strings.Contains(e.Detail, key[:4]) {
			t.Errorf("a part of the key: %q", e.Detail)
		}
	}
}

func refusedConnection(t *testing.T, p Provider) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	m := p.make(t, remote.Options{BaseURL: "http://" + l.Addr().String(), Key: key, Retries: -1, HTTPClient: &http.Client{Transport: &http.Transport{}}})
	fixture{Server: NewServer(p.Wire), model: m}.fail(t, p, model.Unavailable)
}

func retries(t *testing.T, p Provider) {
	for status, want := range map[int]int{400: 1, 401: 1, 403: 1, 404: 1, 413: 1, 422: 1, 408: 4, 409: 4, 429: 4, 500: 4, 502: 4, 503: 4, 529: 4} {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			f.Always = Answer{Status: status}
			if reply, err := f.model.Generate(t.Context(), said("Go on."), nil); model.KindOf(err) == "" {
				t.Errorf("%d: %+v, %v", status, reply, err)
			}
			if n := len(f.Requests()); n != want {
				t.Errorf("%d: asked %d times, want %d", status, n, want)
			}
		})
	}
	p.bubble(t, remote.Options{Retries: -1}, func(t *testing.T, f fixture) {
		f.Always = Answer{Status: 500}
		f.fail(t, p, model.Unavailable)
		if n := len(f.Requests()); n != 1 {
			t.Errorf("without retries: asked %d times", n)
		}
	})
	down := Answer{Status: 500}
	p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
		if reply, _ := f.generate(t, said("Go on.")); reply.Text != "At last." {
			t.Errorf("%+v", reply)
		}
	}, down, Answer{Status: 529}, down, Answer{Text: []string{"At last."}})
}

func namedPause(t *testing.T, p Provider) {
	for _, date := range []bool{false, true} {
		p.bubble(t, remote.Options{Timeout: 3 * time.Second}, func(t *testing.T, f fixture) {
			begun := time.Now()
			after := "7"
			if date {
				after = begun.Add(7 * time.Second).UTC().Format(http.TimeFormat)
			}
			f.script = []Answer{{Status: 429, Header: map[string]string{"Retry-After": after}}, {Text: []string{"At last."}}}
			reply, _ := f.generate(t, said("Go on."))
			if waited := time.Since(begun); reply.Text != "At last." || waited < 6*time.Second || waited > 8*time.Second {
				t.Errorf("after %s: %+v", waited, reply)
			}
		})
	}
}

func longPause(t *testing.T, p Provider) {
	for _, date := range []bool{false, true} {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			begun := time.Now()
			after := "7200"
			if date {
				after = begun.Add(2 * time.Hour).UTC().Format(http.TimeFormat)
			}
			f.Always = Answer{Status: 429, Code: "insufficient_quota", Words: "used up", Header: map[string]string{"Retry-After": after}}
			e := f.fail(t, p, model.RateLimited)
			if n := len(f.Requests()); n != 1 || e.After.Round(time.Minute) != 2*time.Hour || time.Since(begun) > time.Second {
				t.Errorf("asked %d times for %s, told %s", n, time.Since(begun), e.After)
			}
		})
	}
	p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
		f.Always = Answer{Status: 429, Header: map[string]string{"Retry-After": "20"}}
		if e := f.fail(t, p, model.RateLimited); e.After != 20*time.Second || len(f.Requests()) != 4 {
			t.Errorf("asked %d times, told %s", len(f.Requests()), e.After)
		}
	})
}

func brokenAnswers(t *testing.T, p Provider) {
	call := []Call{{ID: "a", Name: "shell", Args: []string{`{"command":`, `"make-deploy`, ` now"}`}}}
	for name, a := range map[string]Answer{
		"before anything":           {End: CutOff, Text: []string{"x"}},
		"in the text":               {End: CutOff, Text: []string{"One", "two"}, After: "One"},
		"in a call's arguments":     {End: CutOff, Calls: call, After: "make-deploy"},
		"after a call's arguments":  {End: CutOff, Calls: call, After: " now"},
		"by its connection":         {End: Dropped, Text: []string{"One", "two"}, After: "One"},
		"by its connection at once": {End: Dropped},
		"by what is no JSON":        {End: Garbage, Text: []string{"One", "two"}, After: "One"},
		"by nothing in it":          {End: Empty},
		"by nothing in one body":    {End: Empty, Whole: true},
	} {
		f := p.loopback(t, remote.Options{}, a)
		f.Always = Answer{Text: []string{"again"}}
		f.fail(t, p, model.Broken)
		if n := len(f.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

func errorEvents(t *testing.T, p Provider) {
	for code, want := range map[string]model.Kind{
		"overloaded_error": model.Unavailable, "api_error": model.Unavailable, "rate_limit_error": model.RateLimited,
		"authentication_error": model.Denied, "invalid_request_error": model.Rejected, "who_knows": model.Broken,
	} {
		for _, after := range []string{"", "One"} {
			f := p.loopback(t, remote.Options{}, Answer{Text: []string{"One", "two"}, End: ErrorEvent, After: after, Code: code, Words: "it is so"})
			if e := f.fail(t, p, want); !strings.Contains(e.Detail, "it is so") {
				t.Errorf("%s: %q", code, e.Detail)
			}
		}
	}
	f := p.loopback(t, remote.Options{}, Answer{End: ErrorEvent, Code: "invalid_request_error", Words: "prompt is too long: 3 tokens > 2 maximum"})
	f.fail(t, p, model.TooLong)
}

func silence(t *testing.T, p Provider) {
	for name, c := range map[string]struct {
		answer Answer
		want   model.Kind
	}{
		"nothing":            {Answer{End: Silent}, model.Unavailable},
		"nothing more":       {Answer{End: Silent, Text: []string{"One", "two"}, After: "One"}, model.Broken},
		"single bytes":       {Answer{End: Trickle, Every: time.Second}, model.Unavailable},
		"single bytes later": {Answer{End: Trickle, Every: time.Second, Text: []string{"One"}, After: "One"}, model.Broken},
	} {
		p.bubble(t, remote.Options{Timeout: 10 * time.Second}, func(t *testing.T, f fixture) {
			begun := time.Now()
			f.fail(t, p, c.want)
			if waited := time.Since(begun); waited != 10*time.Second || len(f.Requests()) != 1 {
				t.Errorf("%s: given up after %s, asked %d times", name, waited, len(f.Requests()))
			}
		}, c.answer)
	}
}

func keptAlive(t *testing.T, p Provider) {
	for _, after := range []string{"", "One"} {
		p.bubble(t, remote.Options{Timeout: 10 * time.Second}, func(t *testing.T, f fixture) {
			if reply, _ := f.generate(t, said("Go on.")); reply.Text != "Onetwo" {
				t.Errorf("%+v", reply)
			}
		}, Answer{Text: []string{"One", "two"}, End: KeptAlive, After: after, Every: 9 * time.Second})
	}
}

// ended ends the context at each stage of a call.
func ended(t *testing.T, p Provider) {
	cause := errors.New("the session has been closed")
	for name, c := range map[string]struct {
		answer Answer
		at     time.Duration
	}{
		"before the call":   {Answer{}, 0},
		"before the answer": {Answer{End: Silent}, time.Second},
		"in the answer":     {Answer{End: Silent, Text: []string{"One"}, After: "One"}, time.Second},
		"between two bytes": {Answer{End: Trickle, Every: time.Minute, Text: []string{"One"}, After: "One"}, time.Second},
		"between attempts":  {Answer{Status: 429, Header: map[string]string{"Retry-After": "30"}}, time.Second},
	} {
		p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
			ctx, end := context.WithCancelCause(t.Context())
			if c.at == 0 {
				end(cause)
			}
			timer := time.AfterFunc(c.at, func() { end(cause) })
			defer timer.Stop()
			begun := time.Now()
			reply, err := f.model.Generate(ctx, said("Go on."), nil)
			if !errors.Is(err, cause) || model.KindOf(err) != "" || time.Since(begun) != c.at {
				t.Errorf("%s: %+v, %v after %s", name, reply, err, time.Since(begun))
			}
		}, c.answer)
	}
	p.bubble(t, remote.Options{}, func(t *testing.T, f fixture) {
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if _, err := f.model.Generate(ctx, said("Go on."), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(fmt.Errorf("a deadline: %w", err))
		}
	}, Answer{End: Silent})
}
