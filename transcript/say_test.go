package transcript_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/auth"
	"github.com/lineclear/lineclear/gate"
	"github.com/lineclear/lineclear/session"
	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/transcript"
)

func (r *room) say(t *testing.T, text string) transcript.Said {
	t.Helper()
	return r.sayAt(t, text, r.seq(t))
}

func (r *room) sayAt(t *testing.T, text string, seen int64) transcript.Said {
	t.Helper()
	said, err := r.Say(t.Context(), ada(), "chat", r.session, text, seen)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func TestALineAnswersTheOnlyRequestThatWaits(t *testing.T) {
	for line, want := range map[string][]string{
		"yes":                          {"approved once ada chat"},
		" Approve! ":                   {"approved once ada chat"},
		"approve for this session":     {"approved session ada chat", "remembered exactly this call"},
		"approve all":                  {"approved session ada chat", "remembered exactly this call"},
		"NO":                           {"denied  ada chat"},
		"no: use the other file.":      {"denied  ada chat use the other file."},
		"cancel.":                      {"cancelled  ada chat"},
		"Approve all for this session": {"approved session ada chat", "remembered every call of shell"},
	} {
		t.Run(line, func(t *testing.T) {
			r := newRoom(t)
			r.shell(t, "uname")
			if said := r.say(t, line); len(said.Answered) != 1 || said.Seq != 0 || said.Listed != nil || !strings.Contains(said.Text, "shell") {
				t.Errorf("it came to %+v", said)
			}
			r.wantJournal(t, want...)
		})
	}
}

func TestAnOrdinaryLineGoesToTheAgent(t *testing.T) {
	for _, line := range []string{"yes please", "y", "ok", "no, use the other file", "approve it when it is done", "yes?"} {
		r := newRoom(t)
		r.shell(t, "uname")
		if said := r.say(t, line); said.Seq == 0 || said.Answered != nil || said.Listed != nil {
			t.Errorf("%q came to %+v", line, said)
		}
		r.wantJournal(t, "ada says "+line)
	}
}

func TestAnAnswerWhereNothingWaitsIsAnOrdinaryLine(t *testing.T) {
	r := newRoom(t)
	r.say(t, "yes")
	r.say(t, "approve 01a20000-0000-7000-8000-000000000000")
	r.wantJournal(t, "ada says yes", "ada says approve 01a20000-0000-7000-8000-000000000000")
}

func TestWhoMayNotAnswerOnlySaysSomething(t *testing.T) {
	r := newRoom(t)
	id := r.shell(t, "uname").ApprovalID
	for _, line := range []string{"yes", "approve all", "approve " + id} {
		if _, err := r.Say(t.Context(), identity("o", auth.Operator), "chat", r.session, line, r.seq(t)); err != nil {
			t.Error(err)
		}
	}
	for _, who := range []auth.Identity{identity("v", auth.Viewer), identity("a", auth.Agent, auth.Admin), {}} {
		if _, err := r.Say(t.Context(), who, "chat", r.session, "yes", r.seq(t)); !errors.Is(err, auth.ErrForbidden) {
			t.Errorf("%v got %v", who.Roles, err)
		}
	}
	r.wantJournal(t, "o says yes", "o says approve all", "o says approve "+id)
}

func TestALineDoesNotAnswerWhatItsSenderHadNotSeen(t *testing.T) {
	r := newRoom(t)
	before := r.seq(t)
	id := r.shell(t, "uname").ApprovalID
	for _, seen := range []int64{before, 0, -1} {
		for _, line := range []string{"yes", "no", "approve all"} {
			said := r.sayAt(t, line, seen)
			if diff := cmp.Diff([]string{id}, ids(said)); diff != "" || said.Answered != nil || !strings.Contains(said.Text, id) {
				t.Errorf("%q at %d came to %+v", line, seen, said)
			}
		}
	}
	r.wantJournal(t)
}

func TestASecondYesDoesNotAnswerTheNextRequest(t *testing.T) {
	r := newRoom(t)
	r.shell(t, "first")
	seen := r.seq(t)
	r.sayAt(t, "yes", seen)
	next := r.shell(t, "second")
	if said := r.sayAt(t, "yes", seen); !slices.Equal(ids(said), []string{next.ApprovalID}) {
		t.Errorf("it came to %+v", said)
	}
	r.wantJournal(t, "approved once ada chat")
}

func TestWithSeveralWaitingALineHasToNameOne(t *testing.T) {
	r := newRoom(t)
	a, b := r.shell(t, "a").ApprovalID, r.shell(t, "b").ApprovalID
	for _, line := range []string{"yes", "deny: no", "approve for this session"} {
		if said := r.say(t, line); !slices.Equal(ids(said), []string{a, b}) || !strings.Contains(said.Text, b+"  shell") {
			t.Errorf("%q came to %+v", line, said)
		}
	}
	if said := r.say(t, "approve "+a[:8]); len(said.Listed) != 2 { // ids of one minute begin alike
		t.Errorf("an ambiguous beginning came to %+v", said)
	}
	r.wantJournal(t)
	r.say(t, "Deny "+strings.ToUpper(b)+": not this one")
	if said := r.say(t, "approve "+a[:8]); !slices.Equal(ids(said), []string{a}) { // it may still be the other that is meant
		t.Errorf("a beginning that is also that of a decided one came to %+v", said)
	}
	r.say(t, "approve "+a+".")
	r.wantJournal(t, "denied  ada chat not this one", "approved once ada chat")
}

func TestTheBeginningOfAnIDNamesTheOnlyOneThatBeganSo(t *testing.T) {
	for line, want := range map[string]string{"approve ": "approved once ada chat", "DENY ": "denied  ada chat", "cancel ": "cancelled  ada chat"} {
		r := newRoom(t)
		id := r.shell(t, "uname").ApprovalID
		r.say(t, line+strings.ToUpper(id[:10]))
		r.wantJournal(t, want)
	}
}

func TestTheBeginningOfAnIDDoesNotReachWhatItsSenderHadNotSeen(t *testing.T) {
	for _, line := range []string{"approve ", "deny ", "cancel "} {
		r := newRoom(t)
		before := r.seq(t)
		id := r.shell(t, "uname").ApprovalID
		if said := r.sayAt(t, line+id[:10], before); !slices.Equal(ids(said), []string{id}) || said.Answered != nil {
			t.Errorf("%q came to %+v", line, said)
		}
		r.wantJournal(t)
	}
}

func TestAnIDThatNamesNothingThatWaitsDecidesNothing(t *testing.T) {
	r := newRoom(t)
	done := r.shell(t, "done").ApprovalID
	r.say(t, "deny "+done)
	waits := r.shell(t, "waits").ApprovalID
	other := r.begin(t, session.Session{AgentID: "demo"})
	foreign := r.ask(t, approval.Request{SessionID: other, ToolName: "shell"}).ApprovalID
	for line, want := range map[string]error{
		"approve " + done:    approval.ErrDecided,
		"approve " + foreign: approval.ErrForeign,
	} {
		if _, err := r.Say(t.Context(), ada(), "chat", r.session, line, r.seq(t)); !errors.Is(err, want) {
			t.Errorf("%q got %v", line, err)
		}
	}
	if said := r.say(t, "deny "+done); len(said.Answered) != 1 { // a repetition
		t.Errorf("it came to %+v", said)
	}
	r.say(t, "approve deadbeef")
	r.say(t, "approve "+waits[:7])
	r.wantJournal(t, "denied  ada chat", "ada says approve deadbeef", "ada says approve "+waits[:7])
}

func TestApproveAllAnswersWhatWasSeenAndListsTheRest(t *testing.T) {
	r := newRoom(t)
	r.shell(t, "a")
	r.shell(t, "b")
	r.shell(t, "a") // taken along by the first one's grant
	question := r.ask(t, approval.Request{Type: approval.Elicitation, Message: "which?", Schema: tool.JSON(`{"type":"object"}`)}).ApprovalID
	once := r.ask(t, approval.Request{Type: approval.Custom, Message: "go on?"})
	seen := r.seq(t)
	late := r.shell(t, "late").ApprovalID
	said := r.sayAt(t, "approve all", seen)
	if len(said.Answered) != 4 || !slices.Equal(ids(said), []string{question, late}) {
		t.Errorf("it came to %+v", said)
	}
	unseen, form, _ := strings.Cut(said.Text, "This is a question")
	if !strings.Contains(unseen, late) || !strings.Contains(unseen, "Name one") || !strings.Contains(form, question) || strings.Contains(form, "Name one") {
		t.Errorf("of the rest it says %q", said.Text)
	}
	var names []string
	for _, a := range said.Answered {
		names = append(names, string(a.Type)+" "+string(a.Status)+" "+string(a.Response.By.Via))
	}
	want := []string{"tool_confirmation approved chat", "tool_confirmation approved chat", "tool_confirmation approved grant", "custom approved chat"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if row, err := r.manager.Get(t.Context(), once.ApprovalID); err != nil || row.Response.Scope != approval.Once {
		t.Errorf("what is offered once was approved %+v, %v", row.Response, err)
	}
}

func TestAQuestionIsNotAnsweredWithYes(t *testing.T) {
	r := newRoom(t)
	id := r.ask(t, approval.Request{Type: approval.Elicitation, Message: "which?", Schema: tool.JSON(`{"type":"object"}`)}).ApprovalID
	for _, line := range []string{"yes", "approve " + id} {
		said := r.say(t, line)
		if !slices.Equal(ids(said), []string{id}) || !strings.Contains(said.Text, "fill in its form") || strings.Contains(said.Text, "Name one") {
			t.Errorf("%q came to %+v", line, said)
		}
	}
	r.wantJournal(t)
	r.say(t, "no")
	r.wantJournal(t, "denied  ada chat")
}

func TestWhatASubAgentAsksIsAnsweredInItsSessionAndInThoseAbove(t *testing.T) {
	for _, line := range []string{"yes", "approve all", "approve ID", "approve BEGINNING"} {
		for _, where := range []string{"in its own", "above"} {
			t.Run(line+" "+where, func(t *testing.T) {
				r := newRoom(t)
				top := r.session
				r.session = r.begin(t, session.Session{AgentID: "demo", ParentID: r.begin(t, session.Session{AgentID: "demo", ParentID: top})})
				bottom, id := r.session, r.shell(t, "uname").ApprovalID
				if where == "above" {
					r.session = top
				}
				if strings.HasPrefix(line, "yes") || strings.HasSuffix(line, "all") {
					if said := r.sayAt(t, line, r.seq(t)-1); !slices.Equal(ids(said), []string{id}) {
						t.Errorf("before it was seen it came to %+v", said)
					}
				}
				said := r.say(t, strings.NewReplacer("ID", id, "BEGINNING", id[:len(id)-4]).Replace(line))
				if len(said.Answered) != 1 || said.Answered[0].SessionID != bottom || said.Answered[0].Status != approval.Approved {
					t.Errorf("it came to %+v", said)
				}
			})
		}
	}
}

func TestWhoMayNotSeeASubAgentDoesNotAnswerForIt(t *testing.T) {
	r := newRoom(t)
	top := r.session
	r.session = r.begin(t, session.Session{AgentID: "demo", ParentID: top})
	id := r.shell(t, "uname").ApprovalID
	r.session = top
	narrow := ada()
	narrow.Agents = []string{"lead"}
	for _, line := range []string{"yes", "approve " + id[:20]} {
		said, err := r.Say(t.Context(), narrow, "chat", top, line, r.seq(t))
		if err != nil || said.Seq == 0 {
			t.Errorf("%q came to %+v, %v", line, said, err)
		}
	}
	if _, err := r.Say(t.Context(), narrow, "chat", top, "approve "+id, r.seq(t)); !errors.Is(err, approval.ErrForeign) {
		t.Errorf("got %v", err)
	}
}

func TestAScopeThatIsNotOfferedDecidesNothing(t *testing.T) {
	r := newRoom(t)
	r.ask(t, approval.Request{Type: approval.Custom, Message: "go on?"})
	if _, err := r.Say(t.Context(), ada(), "chat", r.session, "approve for this session", r.seq(t)); !errors.Is(err, approval.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	r.wantJournal(t)
}

func TestALineForAnUnknownSessionIsRefused(t *testing.T) {
	r := newRoom(t)
	r.shell(t, "uname")
	if _, err := r.Say(t.Context(), ada(), "chat", "elsewhere", "yes", 99); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	r.wantJournal(t)
}

func TestATextThatNamesARequestShowsHiddenCharacters(t *testing.T) {
	r := newRoom(t)
	r.ask(t, approval.Request{ToolName: "sh\u202eell"})
	if said := r.sayAt(t, "yes", 0); !strings.Contains(said.Text, "sh⟨U+202E⟩ell") {
		t.Errorf("it reads %q", said.Text)
	}
}

func TestALineThatComesTooLateApprovesNothing(t *testing.T) {
	r := newRoom(t)
	r.manager.Agent("demo", gate.AgentOptions{Handler: waits(), Timeout: time.Nanosecond})
	r.shell(t, "uname")
	if _, err := r.Say(t.Context(), ada(), "chat", r.session, "yes", r.seq(t)); !errors.Is(err, approval.ErrExpired) {
		t.Errorf("got %v", err)
	}
	r.wantJournal(t, "denied  system system")
	r.shell(t, "uname")
	if said := r.say(t, "approve all"); said.Answered != nil || !strings.Contains(said.Text, "Too late") {
		t.Errorf("it came to %+v", said)
	}
}
