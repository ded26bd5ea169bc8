package gate_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/gate"
)

// narrowed judges as a rule that asks each time.
type narrowed struct{}

func (narrowed) Judge(context.Context, approval.Case) (approval.Verdict, error) {
	return approval.Verdict{Effect: approval.AskPerson, Scopes: []approval.Scope{approval.Once}}, nil
}

func TestARequestOffersTheWordsOfItsToolAndAlwaysANo(t *testing.T) {
	cancel := approval.Option{Word: "Cancel", Status: approval.Cancelled}
	once := approval.Option{Word: "Once", Status: approval.Approved, Scope: approval.Once}
	always := approval.Option{Word: "Always", Status: approval.Approved, Scope: approval.Session}
	for name, c := range map[string]struct {
		terms approval.Terms
		judge approval.Judge
		want  []approval.Option
	}{
		"nothing said":                         {},
		"all of them":                          {terms: approval.Terms{Options: []approval.Option{cancel, once, always}}, want: []approval.Option{cancel, once, always}},
		"none that says no":                    {terms: approval.Terms{Options: []approval.Option{once}}, want: []approval.Option{once, {Word: "Deny", Status: approval.Denied}}},
		"one that a rule does not allow":       {terms: approval.Terms{Options: []approval.Option{cancel, once, always}}, judge: narrowed{}, want: []approval.Option{cancel, once}},
		"none that approves under such a rule": {terms: approval.Terms{Options: []approval.Option{cancel, always}}, judge: narrowed{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []approval.Option
			d := newDesk(t, deskOptions{terms: c.terms, judge: c.judge, AgentOptions: gate.AgentOptions{
				Handler: approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
					got = r.Options
					return approval.Response{ApprovalID: r.ApprovalID, Status: approval.Denied}, nil
				}),
			}})
			if _, err := d.tool.Run(t.Context(), d.call("c")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
