package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/terminal"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// screen is what the person sees; await reads on to a text.
type screen struct {
	mu     sync.Mutex
	more   *sync.Cond
	all    bytes.Buffer
	looked int
}

func newScreen() *screen {
	s := &screen{}
	s.more = sync.NewCond(&s.mu)
	return s
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.more.Broadcast()
	return s.all.Write(b)
}

func (s *screen) await(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if i := strings.Index(s.all.String()[s.looked:], text); i >= 0 {
			s.looked += i + len(text)
			return
		}
		s.more.Wait()
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// outcome is what came of a question.
type outcome struct {
	answer approval.Response
	err    error
}

// seat is a person at a terminal made of pipes.
type seat struct {
	*screen
	prompt *terminal.Prompt
	keys   *io.PipeWriter
}

func newSeat(t *testing.T, o terminal.Options) *seat {
	t.Helper()
	in, keys := io.Pipe()
	s := &seat{screen: newScreen(), keys: keys}
	s.prompt = terminal.New(in, s.screen, o)
	t.Cleanup(func() {
		if err := s.prompt.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *seat) ask(ctx context.Context, r approval.Request) <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		answer, err := s.prompt.Ask(ctx, r)
		out <- outcome{answer, err}
	}()
	return out
}

// types waits for the end of a question, and types a line; "^D" ends the input.
func (s *seat) types(t *testing.T, lines ...string) {
	t.Helper()
	for _, l := range lines {
		s.await(" > ")
		if l == "^D" {
			_ = s.keys.Close()
			continue
		}
		if _, err := io.WriteString(s.keys, l+"\n"); err != nil {
			t.Error(err)
		}
	}
}

func TestKeysAnswerAndNothingElseDoes(t *testing.T) {
	yes := approval.Response{Status: approval.Approved, Scope: approval.Once}
	session := func(kind approval.CoverageKind) approval.Response {
		return approval.Response{Status: approval.Approved, Scope: approval.Session, Grant: approval.GrantTerms{Covers: kind}}
	}
	edited := func(a approval.Response, patch string) approval.Response {
		a.Edit = tool.JSON(patch)
		return a
	}
	no := func(why string) approval.Response { return approval.Response{Status: approval.Denied, Message: why} }
	for name, c := range map[string]struct {
		request approval.Request
		lines   []string
		want    approval.Response
		says    string
	}{
		"y is a yes, once":                            {plain(), []string{"y"}, yes, ""},
		"case and spaces don't count":                 {plain(), []string{" Y \r"}, yes, ""},
		"an empty line asks again":                    {plain(), []string{"", "", "y"}, yes, "That is no answer here. Type one of y/s/n/e/? and Enter."},
		"a word asks again":                           {plain(), []string{"yes", "yy", "approve", "y"}, yes, "That is no answer here"},
		"help asks again":                             {plain(), []string{"?", "y"}, yes, "don't ask again in this session"},
		"n is a no, with a reason":                    {plain(), []string{"n", "  use the API "}, no("use the API"), ""},
		"a reason can be left out":                    {plain(), []string{"n", ""}, no(""), ""},
		"s takes the narrowest":                       {plain(), []string{"s", ""}, session(approval.CoverExact), "1 exactly this call"},
		"s takes what is chosen":                      {plain(), []string{"s", "4", "x", "0", "2"}, session(approval.CoverCommand), "There is no such number."},
		"s can be taken back":                         {plain(), []string{"s", "b", "n", ""}, no(""), ""},
		"s is no answer where only once is offered":   {risky(), []string{"s", "y"}, yes, "Type one of y/n/e/? and Enter."},
		"s covers exactly where nothing is listed":    {write(), []string{"s", "1"}, session(approval.CoverExact), ""},
		"e is no answer where nothing can be changed": {fixed(), []string{"e", "y"}, yes, "Type one of y/s/n/? and Enter."},
		"an edit is shown before it runs":             {plain(), []string{"e", `{"timeout":60}`, "y"}, edited(yes, `{"timeout":60}`), "timeout: 60"},
		"an edit is remembered exactly":               {plain(), []string{"e", `{"timeout":null}`, "s", "2", "1"}, edited(session(approval.CoverExact), `{"timeout":null}`), ""},
		"an edit with a mark is refused":              {plain(), []string{"e", `{"a":"` + mask.Mark + `"}`, "y"}, yes, "Nothing was changed"},
		"an edit that is no object is refused":        {plain(), []string{"e", `[1]`, "e", `{"a":1,"a":2}`, "e", "", "y"}, yes, "Nothing was changed"},
		"an edit of nothing is none":                  {plain(), []string{"e", `{"a":1}`, "e", "{}", "y"}, yes, "as they were asked for"},
		"an edit that fails leaves the one before":    {plain(), []string{"e", `{"a":1}`, "e", "{", "y"}, edited(yes, `{"a":1}`), ""},
		"an edit can still be refused":                {plain(), []string{"e", `{"a":1}`, "n", "no"}, no("no"), ""},
		"words of the tool's own stand at their keys": {worded("Cancel", "Once", "Always"), []string{"?", "y"}, yes, "Approve? y Once/s Always/n Cancel/e/? >"},
		"a word answers like its key":                 {worded("Cancel", "Once", "Always"), []string{"once"}, yes, ""},
		"a word that remembers asks what":             {worded("Cancel", "Once", "Always"), []string{"Always", ""}, session(approval.CoverExact), ""},
		"a word for cancelling cancels":               {worded("Cancel", "Once", "Always"), []string{"?", "n"}, approval.Response{Status: approval.Cancelled}, "it is withdrawn: Cancel"},
		"a word that is not offered is no answer":     {worded("Cancel", "Once"), []string{"Always", "deny", "s", "Cancel"}, approval.Response{Status: approval.Cancelled}, "Type one of y Once/n Cancel/e/? and Enter."},
		"cancelling has a key of its own beside a no": {worded("No", "Once", "Cancel"), []string{"c"}, approval.Response{Status: approval.Cancelled}, "y Once/n No/c Cancel/e/?"},
		"a custom request has nothing to edit":        {subAgent(), []string{"e", "y"}, yes, "Type one of y/s/n/? and Enter."},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeat(t, terminal.Options{Subject: "ada"})
			out := s.ask(t.Context(), c.request)
			s.types(t, c.lines...)
			got := <-out
			c.want.ApprovalID, c.want.ArgsDigest, c.want.By.Subject = c.request.ApprovalID, c.request.ArgsDigest, "ada"
			if diff := cmp.Diff(c.want, got.answer); diff != "" || got.err != nil {
				t.Errorf("%v: %s", got.err, diff)
			}
			if !strings.Contains(s.String(), c.says) {
				t.Errorf("it does not say %q in\n%s", c.says, s)
			}
		})
	}
}

func TestAFormIsFilledInFieldByField(t *testing.T) {
	accept := func(data string) approval.Response {
		return approval.Response{Status: approval.Approved, FormData: tool.JSON(data)}
	}
	for name, c := range map[string]struct {
		schema string // of the question, if another
		lines  []string
		want   approval.Response
		says   string
	}{
		"all of it": {
			"", []string{"a", "db-1", "5432", "0.5", "y", "2", "y"},
			accept(`{"host":"db-1","port":5432,"load":0.5,"fast":true,"size":"l"}`), "Host (host)",
		},
		"defaults, and what may be left out": {
			"", []string{"a", "db", "", "", "", "s", "y"}, accept(`{"host":"db","port":22,"fast":false,"size":"s"}`), "whole number; Enter: 22 >",
		},
		"what does not fit is asked again": {
			"", []string{"a", "", "x", "muchtoolong", "db", "no", "0", "65536", "1.5", "22", "1,5", "-1e3", "2", "n", "", "3", "medium", "l", "y"},
			accept(`{"host":"db","port":22,"load":-1e3,"fast":false,"size":"l"}`), "This field is needed.",
		},
		"it can be filled in again": {
			"", []string{"a", "db", "", "", "", "1", "", "n", "a", "web", "", "", "", "1", "y"}, accept(`{"host":"web","port":22,"fast":false,"size":"s"}`), "",
		},
		"decline is a no":         {"", []string{"d"}, approval.Response{Status: approval.Denied}, ""},
		"cancel is no answer":     {"", []string{"c"}, approval.Response{Status: approval.Cancelled}, ""},
		"nothing else answers":    {"", []string{"", "y", "?", "n", "d"}, approval.Response{Status: approval.Denied}, "decline: the answer is no"},
		"no form is an empty one": {`{"type":"object"}`, []string{"a", "y"}, accept(`{}`), ""},
		"a form that can't be read can't be accepted": {
			`{"properties":[1]}`, []string{"a", "d"}, approval.Response{Status: approval.Denied}, "Type one of d/c/? and Enter.",
		},
		"other types are typed as JSON": {
			`{"properties":{"tags":{"type":"array"},"e":{"oneOf":[{"const":1,"title":"one"}]},"t":{"type":"string"}}}`,
			[]string{"a", "[", `["x"]`, "1", `""`, "y"}, accept(`{"tags":["x"],"e":1,"t":""}`), "1 one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := question()
			if c.schema != "" {
				r.Schema = tool.JSON(c.schema)
			}
			s := newSeat(t, terminal.Options{})
			out := s.ask(t.Context(), r)
			s.types(t, c.lines...)
			got := <-out
			c.want.ApprovalID, c.want.ArgsDigest = r.ApprovalID, r.ArgsDigest
			if diff := cmp.Diff(c.want, got.answer); diff != "" || got.err != nil {
				t.Errorf("%v: %s\n%s", got.err, diff, s)
			}
			if !strings.Contains(s.String(), c.says) {
				t.Errorf("it does not say %q in\n%s", c.says, s)
			}
		})
	}
}

func TestAQuestionThatWasAnsweredElsewhereIsOverAtOnce(t *testing.T) {
	s := newSeat(t, terminal.Options{})
	elsewhere := errors.New("answered in a browser")
	ctx, cancel := context.WithCancelCause(t.Context())
	out := s.ask(ctx, plain())
	s.await(" > ")
	cancel(elsewhere)
	if got := <-out; !errors.Is(got.err, elsewhere) || !strings.Contains(got.err.Error(), "somebody else answered") || got.answer.Status != "" {
		t.Errorf("it is %+v, %v", got.answer, got.err)
	}
	s.await("somebody else answered")

	// The read that was left waiting serves the next question.
	out = s.ask(t.Context(), write())
	s.types(t, "y")
	if got := <-out; got.err != nil || got.answer.Status != approval.Approved || got.answer.ArgsDigest != write().ArgsDigest {
		t.Errorf("the next is %+v, %v", got.answer, got.err)
	}

	late, cancel2 := context.WithTimeout(t.Context(), 0)
	defer cancel2()
	if got := <-s.ask(late, plain()); !errors.Is(got.err, context.DeadlineExceeded) {
		t.Errorf("too late is %+v, %v", got.answer, got.err)
	}
}

func TestALineTypedAfterAQuestionWasOverDoesNotAnswerTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeat(t, terminal.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		out := s.ask(ctx, plain())
		s.await(" > ")
		cancel()
		<-out
		if _, err := io.WriteString(s.keys, "y\n"); err != nil { // for the read that still waits
			t.Fatal(err)
		}
		synctest.Wait()
		out = s.ask(t.Context(), plain())
		s.types(t, "n", "")
		if got := <-out; got.answer.Status != approval.Denied {
			t.Errorf("it is %+v, %v", got.answer, got.err)
		}
	})
}

func TestOneQuestionStandsThereAtATime(t *testing.T) {
	s := newSeat(t, terminal.Options{})
	var outs []<-chan outcome
	for range 3 {
		outs = append(outs, s.ask(t.Context(), plain()))
	}
	for range outs {
		s.types(t, "y")
	}
	for _, out := range outs {
		if got := <-out; got.err != nil || got.answer.Status != approval.Approved {
			t.Errorf("it is %+v, %v", got.answer, got.err)
		}
	}
	if n := strings.Count(s.String(), "A tool call waits"); n != 3 {
		t.Errorf("%d were shown", n)
	}
}

func TestAClosedPromptAsksNobody(t *testing.T) {
	s := newSeat(t, terminal.Options{})
	out := s.ask(t.Context(), plain())
	s.await(" > ")
	if err := s.prompt.Close(); err != nil {
		t.Error(err)
	}
	if got := <-out; !errors.Is(got.err, terminal.ErrClosed) || got.answer.Status != "" {
		t.Errorf("the open question is %+v, %v", got.answer, got.err)
	}
	if got := <-s.ask(t.Context(), plain()); !errors.Is(got.err, terminal.ErrClosed) {
		t.Errorf("a later one is %+v, %v", got.answer, got.err)
	}
}

func TestALineThatNeverEndsIsNotKept(t *testing.T) {
	s := newSeat(t, terminal.Options{})
	out := s.ask(t.Context(), plain())
	s.types(t, strings.Repeat("y", 3<<20), "y")
	if got := <-out; got.err != nil || got.answer.Status != approval.Approved || !strings.Contains(s.String(), "too long") {
		t.Errorf("it is %+v, %v", got.answer, got.err)
	}
}

func TestSecretsAreNotShownAndAreNotLostByAnEdit(t *testing.T) {
	s := newSeat(t, terminal.Options{Secrets: secrets(t)})
	out := s.ask(t.Context(), risky())
	s.types(t, "e", `{"env":{"a b":null}}`, "y")
	got := <-out
	if got.err != nil || string(got.answer.Edit) != `{"env":{"a b":null}}` {
		t.Errorf("it is %+v, %v", got.answer, got.err)
	}
	if strings.Contains(s.String(), "hunter2") || strings.Count(s.String(), "DB_PASSWORD") != 2 {
		t.Errorf("it shows\n%s", s)
	}
}

// The end of the input is not an answer: whoever takes it for one would write down
// that a person said no.
func TestTheEndOfTheInputIsNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		request approval.Request
		lines   []string
	}{
		"at the question":  {plain(), []string{"^D"}},
		"within a choice":  {plain(), []string{"s", "^D"}},
		"within a reason":  {plain(), []string{"n", "^D"}},
		"within an edit":   {plain(), []string{"e", "^D"}},
		"at a form":        {question(), []string{"^D"}},
		"within its field": {question(), []string{"a", "db", "^D"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeat(t, terminal.Options{Subject: "ada"})
			out := s.ask(t.Context(), c.request)
			s.types(t, c.lines...)
			if got := <-out; !errors.Is(got.err, approval.ErrNobody) || got.answer.Status != "" {
				t.Errorf("it is %+v, %v", got.answer, got.err)
			}
			if !strings.Contains(s.String(), "The input has ended before anybody answered.") {
				t.Errorf("it says\n%s", s)
			}
		})
	}
}

func TestWithoutATerminalNobodyIsAsked(t *testing.T) {
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keys.Close()
	if terminal.Interactive(in) || terminal.Interactive(nil) {
		t.Error("a pipe is a terminal")
	}
	got, err := terminal.NewOrDeny(in, io.Discard).Ask(t.Context(), plain())
	if !errors.Is(err, approval.ErrNobody) || got.Status != "" || !strings.Contains(err.Error(), "without a terminal") {
		t.Errorf("it is %+v, %v", got, err)
	}
}
