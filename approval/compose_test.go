package approval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/approval/approvaltest"
	"github.com/lineclear/lineclear/tool"
)

// later waits before it answers, whether or not somebody still wants to know.
func later(d time.Duration, status approval.Status) approval.Handler {
	return approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		<-time.After(d)
		return approval.Response{Status: status}, nil
	})
}

func TestARaceIsWonByTheFirstAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		handlers []approval.Handler
		want     approval.Status
		failure  string
	}{
		"one that waits is told to stop":       {[]approval.Handler{approvaltest.Silent(), approvaltest.Says(approval.Approved)}, approval.Approved, ""},
		"a no wins as well":                    {[]approval.Handler{later(time.Second, approval.Approved), approvaltest.Says(approval.Denied)}, approval.Denied, ""},
		"the faster of two":                    {[]approval.Handler{later(2*time.Second, approval.Denied), later(time.Second, approval.Approved)}, approval.Approved, ""},
		"a failure is no answer":               {[]approval.Handler{approvaltest.Fails(errors.New("broken")), later(time.Second, approval.Denied)}, approval.Denied, ""},
		"a panic is no answer":                 {[]approval.Handler{approvaltest.Panics(), later(time.Second, approval.Approved)}, approval.Approved, ""},
		"a missing handler is no answer":       {[]approval.Handler{nil, later(time.Second, approval.Denied)}, approval.Denied, ""},
		"the zero status is no answer":         {[]approval.Handler{approvaltest.Says(""), later(time.Second, approval.Denied)}, approval.Denied, ""},
		"pending is no answer":                 {[]approval.Handler{approvaltest.Says(approval.Pending), later(time.Second, approval.Denied)}, approval.Denied, ""},
		"a misspelt status is no answer":       {[]approval.Handler{approvaltest.Says("aproved"), later(time.Second, approval.Denied)}, approval.Denied, ""},
		"what answers another call is none":    {[]approval.Handler{approvaltest.AnswersAnother(), later(time.Second, approval.Denied)}, approval.Denied, ""},
		"all that failed are named":            {[]approval.Handler{approvaltest.Fails(errors.New("first")), approvaltest.Fails(errors.New("second"))}, "", "first\nsecond"},
		"a panic of the last one is a failure": {[]approval.Handler{approvaltest.Panics()}, "", "handler panicked: boom"},
		"nobody to ask is a failure":           {nil, "", "approval: nobody could be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := approval.Race(c.handlers...).Ask(t.Context(), approval.Request{ApprovalID: "a"})
				if got.Status != c.want || (err == nil) != (c.failure == "") {
					t.Fatalf("it is %+v, %v", got, err)
				}
				if err != nil && !sameLines(err.Error(), c.failure) {
					t.Errorf("it failed with %q, want %q", err, c.failure)
				}
			})
		})
	}
}

// sameLines compares lines whose order is chance.
func sameLines(a, b string) bool {
	for line := range strings.Lines(b) {
		if !strings.Contains(a, strings.TrimSpace(line)) {
			return false
		}
	}
	return strings.Count(a, "\n") == strings.Count(b, "\n")
}

func TestARaceReturnsWhenEveryRunnerHas(t *testing.T) {
	defer goleak.VerifyNone(t)
	returned := false
	slow := approval.HandlerFunc(func(ctx context.Context, _ approval.Request) (approval.Response, error) {
		<-ctx.Done()
		returned = true
		return approval.Response{}, ctx.Err()
	})
	if _, err := approval.Race(slow, approvaltest.Says(approval.Approved)).Ask(t.Context(), approval.Request{}); err != nil || !returned {
		t.Errorf("the slow one has returned: %v, %v", returned, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := approval.Race(approvaltest.Silent(), approvaltest.Silent()).Ask(ctx, approval.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a race that nobody wants to know of any more gave %v", err)
	}
}

func TestATimeoutIsANoThatSaysThatNobodyAnswered(t *testing.T) {
	const nobody = "nobody answered within 1m0s; no person refused it"
	for name, c := range map[string]struct {
		handler approval.Handler
		status  approval.Status
		message string
	}{
		"in time":              {later(59*time.Second, approval.Approved), approval.Approved, ""},
		"never":                {approvaltest.Silent(), approval.Denied, nobody},
		"a yes at the end":     {later(time.Minute+1, approval.Approved), approval.Denied, nobody},
		"a yes too late":       {later(time.Hour, approval.Approved), approval.Denied, nobody},
		"a no stays a no":      {later(time.Hour, approval.Denied), approval.Denied, ""},
		"a late word of none":  {later(time.Hour, "aproved"), approval.Denied, nobody},
		"a cancel stays a one": {later(time.Hour, approval.Cancelled), approval.Cancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := approval.WithTimeout(c.handler, time.Minute).Ask(t.Context(), approval.Request{})
				if err != nil || got.Status != c.status || got.Message != c.message {
					t.Errorf("it is %+v, %v", got, err)
				}
			})
		})
	}
}

func TestATimeoutLeavesFailuresAndTheCallersEndAsTheyAre(t *testing.T) {
	if _, err := approval.WithTimeout(approvaltest.Fails(errors.New("broken")), time.Minute).Ask(t.Context(), approval.Request{}); err == nil || err.Error() != "broken" {
		t.Errorf("a failure became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := approval.WithTimeout(approvaltest.Silent(), time.Minute).Ask(ctx, approval.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller's end became %+v, %v", got, err)
	}
	if got, err := approval.WithTimeout(approvaltest.Silent(), 0).Ask(t.Context(), approval.Request{}); err != nil || got.Status != approval.Denied {
		t.Errorf("no time at all became %+v, %v", got, err)
	}
}

func TestARequestGoesToTheHandlerOfItsType(t *testing.T) {
	handlers := map[approval.Type]approval.Handler{
		approval.ToolConfirmation: approvaltest.Says(approval.Approved), approval.Elicitation: approvaltest.Says(approval.Cancelled),
	}
	h := approval.ByType(handlers)
	handlers[approval.Custom] = approvaltest.Says(approval.Approved) // too late to count
	for kind, want := range map[approval.Type]approval.Status{
		approval.ToolConfirmation: approval.Approved, approval.Elicitation: approval.Cancelled,
	} {
		if got, err := h.Ask(t.Context(), approval.Request{Type: kind}); err != nil || got.Status != want {
			t.Errorf("%s got %+v, %v", kind, got, err)
		}
	}
	if got, err := h.Ask(t.Context(), approval.Request{Type: approval.Custom}); err == nil || !strings.Contains(err.Error(), `"custom"`) {
		t.Errorf("a type without a handler got %+v, %v", got, err)
	}
}

func TestALoggedRequestIsOneLineInWhichNothingHides(t *testing.T) {
	r := approval.Request{
		ApprovalID: "a", AgentID: "demo\napproved: x", ToolName: "shell", Type: approval.ToolConfirmation,
		Args:    tool.JSON("{ \"command\":\n \"ls \u202E\\n\\u001b[2J\" }"),
		Message: "run\tit", WorkingDirectory: "/srv",
		Origin: approval.Origin{Parent: "demo › researcher"},
	}
	var log strings.Builder
	got, err := approval.LogAndDeny(&log).Ask(t.Context(), r)
	if err != nil || got.Status != approval.Denied || got.ApprovalID != "a" {
		t.Errorf("it is %+v, %v", got, err)
	}
	const want = "denied: demo⟨U+000A⟩approved: x (demo › researcher) asks for shell " +
		`{"command":"ls ⟨U+202E⟩\n\u001b[2J"} in /srv saying run⟨U+0009⟩it` + "\n"
	if log.String() != want {
		t.Errorf("it logged %q\nwant      %q", log.String(), want)
	}
}

// unwritable is a log that is full.
type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWhatCanNotBeLoggedIsNotApproved(t *testing.T) {
	got, err := approval.LogAndApproveForDevelopmentOnly(unwritable{}).Ask(t.Context(), approval.Request{})
	if err == nil || got.Status == approval.Approved {
		t.Errorf("it is %+v, %v", got, err)
	}
}

// A person has a minute; a bot that is asked at the same time may be faster.
func ExampleRace() {
	person := approval.WithTimeout(approval.HandlerFunc(
		func(ctx context.Context, _ approval.Request) (approval.Response, error) {
			<-ctx.Done() // is at lunch
			return approval.Response{}, ctx.Err()
		}), time.Minute)
	bot := approval.HandlerFunc(func(_ context.Context, r approval.Request) (approval.Response, error) {
		return approval.Response{Status: approval.Approved, Message: "reads only"}, nil
	})
	answer, err := approval.Race(person, bot).Ask(context.Background(), approval.Request{ToolName: "read_file"})
	fmt.Println(answer.Status, answer.Message, err)
	// Output: approved reads only <nil>
}

// Questions go to a form of the program's own, calls to nobody.
func ExampleByType() {
	form := approval.HandlerFunc(func(context.Context, approval.Request) (approval.Response, error) {
		return approval.Response{Status: approval.Approved, FormData: tool.JSON(`{"name":"ada"}`)}, nil
	})
	h := approval.ByType(map[approval.Type]approval.Handler{
		approval.Elicitation:      form,
		approval.ToolConfirmation: approval.LogAndDeny(os.Stdout),
	})
	ctx := context.Background()
	answer, err := h.Ask(ctx, approval.Request{Type: approval.Elicitation})
	fmt.Println(answer.Status, string(answer.FormData), err)
	answer, err = h.Ask(ctx, approval.Request{
		Type: approval.ToolConfirmation, AgentID: "demo", ToolName: "shell", Args: tool.JSON(`{"command":"ls"}`),
	})
	fmt.Println(answer.Status, err)
	// Output:
	// approved {"name":"ada"} <nil>
	// denied: demo asks for shell {"command":"ls"}
	// denied <nil>
}

// Nobody has an hour: after a minute the answer is no.
func ExampleWithTimeout() {
	h := approval.WithTimeout(approval.HandlerFunc(
		func(ctx context.Context, _ approval.Request) (approval.Response, error) {
			<-ctx.Done()
			return approval.Response{}, ctx.Err()
		}), time.Millisecond)
	answer, err := h.Ask(context.Background(), approval.Request{})
	fmt.Println(answer.Status, answer.Message, err)
	// Output: denied nobody answered within 1ms; no person refused it <nil>
}
