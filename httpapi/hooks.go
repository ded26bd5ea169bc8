package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/tool"
)

// hookPath is for the http hook of Claude Code, which runs the call after every answer but a
// denial in JSON with 200. So it stands in front of everything else, and asks the API as the
// agent would that has the token: whatever comes of that, the answer is one that is understood.
const hookPath = "/hooks/claude-code"

// hookWait is how long a hook waits at most.
const hookWait = 10 * time.Minute

// hookFailed is the answer where none can be made.
const hookFailed = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked: the gateway failed"}}`

// hooked answers the hook, and passes on everything else.
func (s *Server) hooked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != hookPath {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Cache-Control", "no-store")
		defer func() {
			if fault := recover(); fault != nil {
				s.log.Error("a hook failed", append(s.about(r), zap.Any("fault", fault))...)
				_, _ = w.Write([]byte(hookFailed))
			}
		}()
		_, _ = w.Write(s.hookAnswer(w, r, next)) // who has gone away runs nothing
	})
}

// hookAnswer asks the API about the call in a request, and is a decision in any case.
func (s *Server) hookAnswer(w http.ResponseWriter, r *http.Request, api http.Handler) []byte {
	agent, _ := hook.Of("claude-code")
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	defer context.AfterFunc(s.Closing, func() { stop(errors.New("the gateway is stopping")) })()
	inside := client.New("http://"+r.Host, "").Using(&http.Client{Transport: inner{s, api, r}})
	raw, err := s.hookBody(ctx, w, r, inside)
	answer, call := []byte(nil), hook.Call{}
	if err == nil {
		q := client.Question{AgentID: r.URL.Query().Get("agent"), ExpiresIn: hookWait.String()}
		answer, call, err = agent.Respond(ctx, inside, q, raw)
	}
	if err != nil {
		s.log.Warn("a hook's call was blocked", append(s.about(r), zap.Error(err))...)
	}
	switch {
	case call.After:
		return []byte("{}")
	case err == nil:
		return answer
	}
	call.Event = cmp.Or(call.Event, "PreToolUse") // a denial without the event's name is none
	if answer, err = agent.Answer(call, hook.Outcome{Reason: "Blocked: " + tool.Words(err)}); err != nil {
		return []byte(hookFailed)
	}
	return answer
}

// hookBody is what the agent has sent, once it has shown who it is.
func (s *Server) hookBody(ctx context.Context, w http.ResponseWriter, r *http.Request, inside *client.Client) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, errors.New("a hook is sent by POST")
	}
	if _, err := inside.Me(ctx); err != nil {
		return nil, err
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hook.MaxInput))
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Now().Add(hookWait + 2*patience))
	return raw, err
}

// inner is a way to the API without a network, with the credentials of a request.
type inner struct {
	s   *Server
	api http.Handler
	of  *http.Request
}

// RoundTrip implements http.RoundTripper.
func (i inner) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the gateway failed: %v", fault)
		}
	}()
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	asked := i.of.Clone(r.Context())
	asked.Method, asked.URL, asked.RequestURI, asked.Body, asked.ContentLength = r.Method, r.URL, r.URL.RequestURI(), r.Body, r.ContentLength
	asked.Header.Del("Idempotency-Key")
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		asked.Header.Set("Idempotency-Key", key)
	}
	w := &kept{header: http.Header{}, status: http.StatusOK}
	i.api.ServeHTTP(w, asked)
	if w.status == http.StatusTooManyRequests {
		i.s.pause(i.of)
	}
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r}, nil
}

// kept is an answer that is kept in memory.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) { k.status = status }

// Write implements http.ResponseWriter.
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }
