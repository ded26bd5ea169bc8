package gate_test

import (
	"context"
	"sync"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// reshaped is a desk's tool with another schema.
type reshaped struct {
	*desk
	schema string
}

func (r *reshaped) Spec() tool.Spec {
	spec := r.desk.Spec()
	spec.Schema = tool.JSON(r.schema)
	return spec
}

// switching is a judge whose verdict can be changed.
type switching struct {
	mu      sync.Mutex
	verdict approval.Verdict
}

func (s *switching) set(v approval.Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdict = v
}

func (s *switching) Judge(context.Context, approval.Case) (approval.Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verdict, nil
}

type judgeFunc func() (approval.Verdict, error)

func (f judgeFunc) Judge(context.Context, approval.Case) (approval.Verdict, error) { return f() }
