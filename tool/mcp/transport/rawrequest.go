package transport

import (
	"context"

	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/tool"
)

// rawRequest is a request that is not answered yet.
type rawRequest struct {
	unsent context.Context // ends once it is not to be sent any more
	leave  context.CancelFunc
	cut    context.CancelFunc // ends it, also where it was sent
}

// begin sends a request in the background, once there is room for it, and reports whether it will.
func (s *rawSite) begin(e envelope, message []byte) bool {
	id := jsonrpc.Key(tool.JSON(e.ID))
	cut, end := context.WithCancel(context.Background())
	one := &rawRequest{cut: end}
	one.unsent, one.leave = context.WithCancel(cut)
	s.mu.Lock()
	s.open[id] = one
	s.mu.Unlock()
	over := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[id] == one {
			delete(s.open, id)
		}
		one.leave()
		one.cut()
	}
	begun := s.start(func(ctx context.Context) {
		defer over()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(cut, stop)()
		if err := s.send(ctx, one, e, message); err != nil && cut.Err() == nil {
			s.fail(e, err)
		}
	})
	if !begun {
		over()
	}
	return begun
}

// send sends a request unless it was taken back before there was room for it.
func (s *rawSite) send(ctx context.Context, one *rawRequest, e envelope, message []byte) error {
	select {
	case s.posts <- struct{}{}:
	case <-one.unsent.Done():
		return nil
	case <-ctx.Done():
		return nil
	}
	defer func() { <-s.posts }()
	if one.unsent.Err() != nil {
		return nil
	}
	return s.request(ctx, e, message)
}

// takeBack has a request not sent any more that the server is now told to leave. cut ends one that
// was sent: nobody waits for its answer.
func (s *rawSite) takeBack(id []byte) (cut func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[jsonrpc.Key(tool.JSON(id))]
	if one == nil {
		return func() {}
	}
	one.leave()
	return one.cut
}
