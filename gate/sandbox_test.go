package gate_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/tool"
)

// boxed is a desk's tool that runs commands in a sandbox, or in none.
type boxed struct {
	*desk
	sandbox tool.Sandbox
}

func (b boxed) Spec() tool.Spec {
	spec := b.desk.Spec()
	spec.Sandbox = b.sandbox
	return spec
}

func TestACallThatWasAskedWithOneSandboxIsAskedAnewBeforeItRunsWithAnother(t *testing.T) {
	in := boxed{sandbox: tool.Sandbox{Kind: tool.Bubblewrap, Write: []string{"/work"}}}
	for name, now := range map[string]tool.Sandbox{
		"with none":            {Kind: tool.Unconfined, Network: true},
		"with the network":     {Kind: tool.Bubblewrap, Network: true, Write: []string{"/work"}},
		"with a folder more":   {Kind: tool.Bubblewrap, Write: []string{"/work", "/home"}},
		"with the same one":    in.sandbox,
		"of which nobody knew": {},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, deskOptions{})
			was := in
			was.desk = d
			process, die := context.WithCancel(t.Context())
			d.gate.SetHandler(approval.HandlerFunc(func(ctx context.Context, r approval.Request) (approval.Response, error) {
				if diff := cmp.Diff(in.sandbox, r.Sandbox); diff != "" {
					t.Errorf("shown is (-want +got):\n%s", diff)
				}
				die() // the gateway stops while the request waits
				<-ctx.Done()
				return approval.Response{}, ctx.Err()
			}))
			gated, err := d.gate.Guard(was, approval.Terms{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := gated.Run(process, d.call("run")); err == nil {
				t.Fatal("the first process came to a result")
			}

			var shown []tool.Sandbox
			d.gate.SetHandler(approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
				shown = append(shown, r.Sandbox)
				return approval.Response{Status: approval.Approved}, nil
			}))
			if gated, err = d.gate.Guard(boxed{d, now}, approval.Terms{}); err != nil {
				t.Fatal(err)
			}
			if _, err := gated.Run(t.Context(), d.call("run")); err != nil {
				t.Fatal(err)
			}
			want := []tool.Sandbox{in.sandbox, now}
			if name == "with the same one" {
				want = want[:1]
			}
			if diff := cmp.Diff(want, shown); diff != "" || d.ran.Load() != 1 {
				t.Errorf("it ran %d times; shown were (-want +got):\n%s", d.ran.Load(), diff)
			}
		})
	}
}
