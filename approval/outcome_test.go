package approval_test

import (
	"testing"
	"time"

	"github.com/lineclear/lineclear/approval"
)

func TestSilenceARuleAndAPersonsNoAreOutcomesOfTheirOwn(t *testing.T) {
	by := func(via approval.Via) approval.By { return approval.By{Subject: "ada", Via: via} }
	no := func(reason approval.Reason, via approval.Via) approval.Response {
		return approval.Response{Status: approval.Denied, Reason: reason, By: by(via)}
	}
	gone := func(reason approval.Reason) approval.Response {
		return approval.Response{Status: approval.Cancelled, Reason: reason, By: by(approval.ViaREST)}
	}
	yes := func(via approval.Via) approval.Response {
		return approval.Response{Status: approval.Approved, By: by(via)}
	}
	for name, c := range map[string]struct {
		answer approval.Response
		want   approval.Outcome
	}{
		"no answer":                          {approval.Response{}, approval.OutcomePending},
		"a person's yes":                     {yes(approval.ViaWebSocket), approval.OutcomeApproved},
		"a program's function's yes":         {yes(approval.ViaHandler), approval.OutcomeApproved},
		"a rule's yes":                       {yes(approval.ViaPolicy), approval.OutcomeAllowedByRule},
		"a grant's yes":                      {yes(approval.ViaGrant), approval.OutcomeAllowedByGrant},
		"observed":                           {approval.Response{Status: approval.Approved, Reason: approval.Observed, By: approval.BySystem()}, approval.OutcomeObserved},
		"a person's no":                      {no(approval.UserDenied, approval.ViaChat), approval.OutcomeDenied},
		"a person's no, without a reason":    {no("", approval.ViaREST), approval.OutcomeDenied},
		"a rule's no":                        {no(approval.PolicyDenied, approval.ViaPolicy), approval.OutcomeDeniedByRule},
		"a rule's no, without a reason":      {no("", approval.ViaPolicy), approval.OutcomeDeniedByRule},
		"a timeout":                          {no(approval.Timeout, approval.ViaSystem), approval.OutcomeTimedOut},
		"a halt":                             {no(approval.Halted, approval.ViaREST), approval.OutcomeHalted},
		"nobody to ask":                      {no(approval.NoHandler, approval.ViaSystem), approval.OutcomeNotAsked},
		"asking failed":                      {no(approval.HandlerFailed, approval.ViaSystem), approval.OutcomeNotAsked},
		"too many pending":                   {no(approval.TooManyPending, approval.ViaSystem), approval.OutcomeNotAsked},
		"a question with nobody to ask":      {gone(approval.NoHandler), approval.OutcomeNotAsked},
		"the gateway's no, without a reason": {no("", approval.ViaSystem), approval.OutcomeNotAsked},
		"arguments that don't fit":           {no(approval.ValidationFailed, approval.ViaSystem), approval.OutcomeInvalid},
		"withdrawn":                          {gone(approval.UserCancelled), approval.OutcomeCancelled},
		"the gateway stopped":                {gone(approval.SystemCancelled), approval.OutcomeCancelled},
		"asked again":                        {gone(approval.Superseded), approval.OutcomeCancelled},
		"its program is gone":                {gone(approval.AskerGone), approval.OutcomeCancelled},
		"cancelled, without a reason":        {gone(""), approval.OutcomeCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			a := approval.New(approval.Request{ApprovalID: "a", Type: approval.ToolConfirmation})
			if c.answer.Status != "" {
				var err error
				if a, err = a.Settle(c.answer, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if got := a.Outcome(); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
			var read approval.Outcome
			if err := read.UnmarshalText([]byte(c.want)); err != nil || read != c.want {
				t.Errorf("it is read as %s: %v", read, err)
			}
		})
	}
	a, err := approval.New(approval.Request{ApprovalID: "a", Type: approval.ToolConfirmation}).Settle(yes(approval.ViaREST), time.Now())
	if err == nil {
		a, err = a.Settle(gone(approval.UserCancelled), time.Now())
	}
	if err != nil || a.Outcome() != approval.OutcomeCancelled {
		t.Errorf("what was taken back is %s: %v", a.Outcome(), err)
	}
}
