package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/tool"
)

// errNoAnswer is returned for a proposal that answers nothing.
var errNoAnswer = errors.New("approval: the handler gave no answer")

// Race asks all handlers at once. The first that gives an answer wins: one
// that fails, panics, or returns what is no answer leaves it to the others.
// Then the others' ctx is cancelled, and Ask returns when all have returned.
// When all fail, so does Ask, with all their errors.
func Race(handlers ...Handler) Handler {
	return HandlerFunc(func(ctx context.Context, r Request) (Response, error) {
		if len(handlers) == 0 {
			return Response{}, ErrNobody
		}
		asking, release := context.WithCancel(ctx)
		var asked sync.WaitGroup
		defer asked.Wait()
		defer release()
		answers, faults := make(chan Response, len(handlers)), make(chan error, len(handlers))
		for _, h := range handlers {
			asked.Go(func() {
				answer, err := Guarded(h).Ask(asking, r)
				if err == nil {
					err = notAnAnswer(answer, r)
				}
				if err != nil {
					faults <- err
					return
				}
				answers <- answer
			})
		}
		var failures []error
		for range handlers {
			select {
			case answer := <-answers:
				return answer, nil
			case err := <-faults:
				failures = append(failures, err)
			}
		}
		return Response{}, errors.Join(failures...)
	})
}

// notAnAnswer says why a response can't be taken for an answer to r.
func notAnAnswer(answer Response, r Request) error {
	switch {
	case answer.ApprovalID != "" && answer.ApprovalID != r.ApprovalID:
		return fmt.Errorf("%w: it answered another request: %s", errNoAnswer, answer.ApprovalID)
	case !answer.Status.answers():
		return fmt.Errorf("%w: its status is %q", errNoAnswer, answer.Status)
	default:
		return nil
	}
}

// answers reports whether s is a status that settles a request.
func (s Status) answers() bool { return s == Approved || s == Denied || s == Cancelled }

// WithTimeout gives h no more than d; then the answer is no, with a message
// that says that nobody answered. Like every handler, h has to return when its
// ctx ends: WithTimeout waits for it. An approval that comes later than d is
// not taken; a person's no stands.
func WithTimeout(h Handler, d time.Duration) Handler {
	return HandlerFunc(func(ctx context.Context, r Request) (Response, error) {
		asking, stop := context.WithTimeout(ctx, d)
		defer stop()
		answer, err := h.Ask(asking, r)
		// If ctx has ended too, its owner ended it: no time ran out here.
		late := asking.Err() != nil && ctx.Err() == nil
		if !late || err == nil && (answer.Status == Denied || answer.Status == Cancelled) {
			return answer, err
		}
		return Response{
			ApprovalID: r.ApprovalID, Status: Denied,
			Message: fmt.Sprintf("nobody answered within %s; no person refused it", d),
		}, nil
	})
}

// ByType asks the handler that stands under the request's type. A type without
// one is an error, which denies.
func ByType(handlers map[Type]Handler) Handler {
	handlers = maps.Clone(handlers)
	return HandlerFunc(func(ctx context.Context, r Request) (Response, error) {
		h := handlers[r.Type]
		if h == nil {
			return Response{}, fmt.Errorf("approval: there is no handler for requests of type %q", r.Type)
		}
		return h.Ask(ctx, r)
	})
}

// LogAndDeny writes each request to w, as one line, and says no. It may be
// asked from several goroutines; w is written to by one at a time.
func LogAndDeny(w io.Writer) Handler {
	return logAnd(w, Denied, "every request is denied here")
}

// LogAndApproveForDevelopmentOnly writes each request to w, as one line, and
// says yes. What can't be written is not approved.
func LogAndApproveForDevelopmentOnly(w io.Writer) Handler {
	return logAnd(w, Approved, "")
}

func logAnd(w io.Writer, status Status, message string) Handler {
	var writing sync.Mutex
	return HandlerFunc(func(_ context.Context, r Request) (Response, error) {
		line := logLine(r, status)
		writing.Lock()
		defer writing.Unlock()
		if _, err := io.WriteString(w, line); err != nil {
			return Response{}, fmt.Errorf("approval: log the request: %w", err)
		}
		return Response{ApprovalID: r.ApprovalID, Status: status, Message: message}, nil
	})
}

// logLine writes the whole call in one line. What an agent wrote can't begin
// another: line breaks are written out like everything else that hides.
func logLine(r Request, status Status) string {
	who := r.AgentID
	if r.Origin.Parent != "" && r.Origin.Parent != r.AgentID {
		who += " (" + r.Origin.Parent + ")"
	}
	parts := []string{string(status) + ":", who, "asks for"}
	if r.ToolName == "" {
		parts = append(parts, string(r.Type))
	}
	for _, part := range []string{r.ToolName, compacted(r.Args), compacted(r.Schema)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if r.WorkingDirectory != "" {
		parts = append(parts, "in", r.WorkingDirectory)
	}
	if r.Message != "" {
		parts = append(parts, "saying", r.Message)
	}
	line := mask.Hidden(strings.Join(parts, " "))
	return strings.NewReplacer("\n", "⟨U+000A⟩", "\t", "⟨U+0009⟩").Replace(line) + "\n"
}

// compacted is v without spaces; what is no JSON stays as it is.
func compacted(v tool.JSON) string {
	short := jsontext.Value(v).Clone()
	if err := short.Compact(); err != nil {
		return string(v)
	}
	return string(short)
}
