package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/client"
)

// pendingList keeps, from the stream of what concerns everyone, which requests wait.
type pendingList struct {
	gateway *client.Client
	open    map[string]approval.Request
}

// reply is an answer beside its request.
type reply struct {
	request  approval.Request
	response approval.Response
}

func newBoard(gateway *client.Client) *pendingList {
	return &pendingList{gateway: gateway, open: map[string]approval.Request{}}
}

// take returns the requests and the answers that an event brings. A snapshot
// also brings what was missed before it.
func (b *pendingList) take(ctx context.Context, e client.Event) (asked []approval.Request, replies []reply, err error) {
	switch e.Name {
	case "snapshot":
		var s client.Snapshot
		if err := e.Decode(&s); err != nil {
			return nil, nil, err
		}
		return b.replace(ctx, s.Pending)
	case approval.Requests.Name():
		var r approval.Request
		if err := e.Decode(&r); err != nil {
			return nil, nil, err
		}
		return b.add(r), nil, nil
	case approval.Responses.Name():
		var r approval.Response
		if err := e.Decode(&r); err != nil {
			return nil, nil, err
		}
		request, known := b.open[r.ApprovalID]
		if !known { // an approved one that was taken back
			a, err := b.gateway.Approval(ctx, r.ApprovalID, 0)
			if err != nil {
				return nil, nil, err
			}
			request = a.Request
		}
		delete(b.open, r.ApprovalID)
		return nil, []reply{{request, r}}, nil
	default:
		return nil, nil, nil
	}
}

func (b *pendingList) add(r approval.Request) []approval.Request {
	if _, known := b.open[r.ApprovalID]; known {
		return nil
	}
	b.open[r.ApprovalID] = r
	return []approval.Request{r}
}

func (b *pendingList) replace(ctx context.Context, pending []approval.Request) (asked []approval.Request, replies []reply, err error) {
	for id, r := range b.open {
		if slices.ContainsFunc(pending, func(p approval.Request) bool { return p.ApprovalID == id }) {
			continue
		}
		a, err := b.gateway.Approval(ctx, id, 0)
		if err != nil {
			return nil, nil, err
		}
		if a.Response != nil {
			delete(b.open, id)
			replies = append(replies, reply{r, *a.Response})
		}
	}
	for _, r := range pending {
		asked = append(asked, b.add(r)...)
	}
	return asked, replies, nil
}

// screen is a terminal on which questions are asked: what is written while one
// is open comes when it is over.
type screen struct {
	mu     sync.Mutex
	out    io.Writer
	asking bool
	held   strings.Builder
}

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking {
		return s.held.Write(p)
	}
	return s.out.Write(p)
}

// urgent writes at once.
func (s *screen) urgent(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format, args...)
}

func (s *screen) ask() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = true
}

func (s *screen) asked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = false
	_, _ = io.WriteString(s.out, s.held.String())
	s.held.Reset()
}
