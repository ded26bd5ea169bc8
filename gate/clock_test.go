package gate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

func TestDeadlinesAreCountedByTheClockThatIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ahead, wait = 5 * time.Minute, time.Minute
		d := newDesk(t, deskOptions{
			now: func() time.Time { return time.Now().Add(ahead) },
			AgentOptions: gate.AgentOptions{Timeout: wait, Handler: approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
				<-ctx.Done() // nobody answers
				return approval.Response{}, context.Cause(ctx)
			})},
		})
		began := time.Now()
		d.run(t, "call")
		if waited := time.Since(began); waited != wait {
			t.Errorf("it waited for %s", waited)
		}
		a := d.row(t, "call")
		if a.Response.Reason != approval.Timeout || !a.ExpiresAt.Equal(began.Add(ahead+wait)) {
			t.Errorf("it ended with reason %q, and its deadline is %s after the beginning", a.Response.Reason, a.ExpiresAt.Sub(began))
		}
	})
}
