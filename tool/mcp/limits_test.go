package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lineclear/lineclear/tool"
	"github.com/lineclear/lineclear/tool/mcp"
)

func TestAQuestionOfAServerThatWasAskedNothingIsCancelled(t *testing.T) {
	t.Parallel()
	raw, replies := newRaw(), make(chan said, 9)
	raw.reply = func(w http.ResponseWriter, m said) {
		w.WriteHeader(http.StatusAccepted)
		replies <- m
	}
	a := newAsker()
	s := newServer(t, served(t, raw), a.options())
	wantText(t, run(t, s, "pay", "{}"), false, "done")
	raw.events <- question("late")
	if got := string((<-replies).Whole); !strings.Contains(got, `"action":"cancel"`) {
		t.Errorf("it is told %s", got)
	}
	if len(a.questions) > 0 {
		t.Error("a person was asked")
	}
}

func TestAQuestionOfSeveralCallsIsOverWithTheLastOfThem(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	began := make(chan string, 9)
	end := map[string]chan struct{}{"pay": make(chan struct{}), "look": make(chan struct{})}
	raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
		began <- m.Params.Name
		<-end[m.Params.Name]
		sendJSON(w, m.says("done"))
	}
	a := newAsker()
	s := newServer(t, served(t, raw), a.options())
	over := make(chan tool.Result, 2)
	for name := range end {
		which := find(t, s, "one", name)
		go func() {
			r, _ := which.Run(t.Context(), call("one", "call-"+name, "{}"))
			over <- r
		}()
		<-began
	}
	raw.events <- question("whose")
	if q := <-a.questions; q.ToolCallID != "" {
		t.Errorf("it is of the call %s", q.ToolCallID)
	}
	close(end["pay"])
	<-over
	if a.has("the question is over") {
		t.Error("it is over with the first")
	}
	close(end["look"])
	<-over
	a.await(t, "the question is over")
}

func TestNoMoreThanEightQuestionsAreOpenAtOnce(t *testing.T) {
	t.Parallel()
	a := newAsker()
	a.questions = make(chan mcp.Question, 99)
	s := newServer(t, program(t, "evil"), a.options())
	say, heard := find(t, s, "one", "say"), find(t, s, "one", "heard")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan tool.Result, 1)
	go func() {
		r, _ := say.Run(ctx, call("one", "c", lines(20, true, strings.Replace(question("q$N"), "whose?", "$N", 1))))
		result <- r
	}()
	for strings.Count(runAs(t, t.Context(), heard, call("one", "h", "{}")).Text, `"cancel"`) < 12 {
	}
	if n := len(a.questions); n != 8 {
		t.Errorf("%d are asked", n)
	}
	cancel()
	<-result
}

func TestMoreThanEightQuestionsWithinACallAreNotAsked(t *testing.T) {
	t.Parallel()
	var asked []string
	for i := range 9 {
		asked = append(asked, fmt.Sprintf(`"q%d":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object"}}}`, i))
	}
	a := newAsker()
	s := newServer(t, program(t, "evil"), a.options())
	say := find(t, s, "one", "say")
	for _, tt := range []struct{ requests, want string }{
		{strings.Join(asked, ","), "asked more than 8 questions at once"},
		{"", "was busy"},
	} {
		answer := `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required","inputRequests":{` + tt.requests + `}}}`
		wantText(t, runAs(t, t.Context(), say, call("one", "c", lines(1, true, answer))), true, tt.want)
	}
	a.answers = make(chan mcp.Answer, 99)
	for range 20 { // each round asks once
		a.answers <- mcp.Answer{Action: mcp.Accept}
	}
	a.questions = make(chan mcp.Question, 99)
	one := `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required","inputRequests":{` + asked[0] + `}}}`
	wantText(t, runAs(t, t.Context(), say, call("one", "c", lines(1, true, one))), true, "asked for more in each of 10 rounds")
}

func TestAQuestionThatIsTooLongIsNotAsked(t *testing.T) {
	t.Parallel()
	a := newAsker()
	s := newServer(t, program(t, "evil"), a.options())
	say, heard := find(t, s, "one", "say"), find(t, s, "one", "heard")
	create := `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":%s}`
	for params, want := range map[string]string{
		`{"message":"m","requestedSchema":{"type":"object","description":"` + strings.Repeat("x", 16<<10) + `"}}`:                                     "more than 16384",
		`{"mode":"url","message":"m","elicitationId":"e","url":"https://example.com/` + strings.Repeat("x", 2<<10) + `"}`:                             "no longer than 2048 bytes",
		`{"message":"m","requestedSchema":{"type":"object","$defs":{"a":{"type":"string"}},"properties":{"a":{"type":"string","$ref":"#/$defs/a"}}}}`: "a form has no references",
	} {
		runAs(t, t.Context(), say, call("one", "c", lines(1, false, fmt.Sprintf(create, params))))
		for !strings.Contains(runAs(t, t.Context(), heard, call("one", "h", "{}")).Text, want) {
		}
	}
	if len(a.questions) > 0 {
		t.Error("a person was asked")
	}
}

func TestAListIsBounded(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	schema := func(size int) string { return `{"type":"object","description":"` + strings.Repeat("x", size) + `"}` }
	raw.tools = func(string) string {
		return fmt.Sprintf(`{"tools":[{"name":"long","inputSchema":%s},{"name":"short","inputSchema":%s}]}`, schema(64<<10), schema(63<<10))
	}
	said := newJournal()
	tools, err := newServer(t, served(t, raw), said.options()).Tools(t.Context(), "one")
	if err != nil || len(tools) != 1 || !said.has(`the tool "long" is left out: its schema makes no sense: it has 65`) {
		t.Errorf("%d tools, %v, %v", len(tools), err, said.entries)
	}

	n := 0
	raw.tools = func(string) string {
		n++
		return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"},"_meta":{"more":%q}}],"nextCursor":"%[1]d"}`, n, strings.Repeat("x", 1<<20))
	}
	tools, err = newServer(t, served(t, raw), said.options()).Tools(t.Context(), "one")
	if err != nil || len(tools) != 3 || n != 4 || !said.has("the list of tools has more than 4194304 bytes: the rest is left out") {
		t.Errorf("%d tools of %d pages, %v", len(tools), n, err)
	}
}

func TestAServerThatFloodsWithRequestsIsCutOff(t *testing.T) {
	t.Parallel()
	s := newServer(t, program(t, "evil"), mcp.Options{})
	ping := `{"jsonrpc":"2.0","id":"p$N","method":"ping"}`
	r := runAs(t, t.Context(), find(t, s, "one", "say"), call("one", "c", lines(100_000, true, ping)))
	wantText(t, r, true, "made more than 64 requests at once, or too long ones, and was cut off; what the call did is not known")
	wantText(t, run(t, s, "say", lines(10, false, ping)), false, "alive")
}

func TestAServerOnHTTPThatFloodsWithRequestsIsCutOff(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	over := make(chan struct{})
	raw.reply = func(w http.ResponseWriter, _ said) { <-over }
	raw.call = func(w http.ResponseWriter, r *http.Request, m said) {
		openStream(w)
		for n := range 65 {
			sendEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, n))
		}
		<-r.Context().Done()
	}
	c := served(t, raw)
	t.Cleanup(func() { close(over) })
	wantText(t, run(t, newServer(t, c, mcp.Options{}), "pay", "{}"), true, "made more than 64 requests at once", "and was cut off")
}

func TestNotificationsBeyondALimitAreLeftOutAndAnswersAreNot(t *testing.T) {
	timed(t, mcp.Config{}, mcp.Options{}, func(t *testing.T, _ *mcp.Server, w *wire) {
		raw, told := newRaw(), 0
		raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
			openStream(w)
			for n := range 5000 {
				sendEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":%d}}`, n))
			}
			sendEvent(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+strings.Repeat("x", 64<<10)+`"}}`)
			sendEvent(w, m.says("done"))
		}
		w.handler = raw
		said := newJournal()
		o := said.options()
		o.HTTP, o.Progress = w, func(tool.Call, mcp.Progress) { told++ }
		s := newServer(t, mcp.Config{Name: "remote", URL: "http://localhost/mcp"}, o)
		wantText(t, run(t, s, "pay", "{}"), false, "done")
		synctest.Wait()
		if told > 200 { // those that are handled after the answer are of no call
			t.Errorf("%d are told", told)
		}
		if !said.has("sends more than 100 notifications a second, or too long ones: some are left out") || said.has("xxxx") {
			t.Errorf("the log is %v", said.entries)
		}
		_ = s.Close()
	})
}

func TestLinesBeyondALimitAreCountedInsteadOfTold(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{}, mcp.Options{}, func(t *testing.T, _ *mcp.Server, w *wire) {
		raw := newRaw()
		raw.call = func(w http.ResponseWriter, _ *http.Request, m said) {
			openStream(w)
			for n := range 120 {
				if n == 110 {
					<-time.After(time.Second)
				}
				sendEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d"}}`, n))
			}
			sendEvent(w, m.says("done"))
		}
		w.handler = raw
		said := newJournal()
		o := said.options()
		o.HTTP = w
		s := newServer(t, mcp.Config{Name: "remote", URL: "http://localhost/mcp"}, o)
		wantText(t, run(t, s, "pay", "{}"), false, "done")
		_ = s.Close()
		if len(said.entries) != 61 || said.entries[50] != "one warning: 60 lines of the server are left out: more than 50 a second" || said.entries[60] != "one info: line 119" {
			t.Errorf("it is told %d lines: %v", len(said.entries), said.entries)
		}
	})
}

func TestACallThatTellsProgressForEverIsEnded(t *testing.T) {
	t.Parallel()
	timed(t, mcp.Config{CallTimeout: time.Minute}, mcp.Options{}, func(t *testing.T, s *mcp.Server, _ *wire) {
		began := time.Now()
		wantText(t, run(t, s, "slow", `{"seconds":[`+strings.Repeat("50,", 99)+`50]}`), true, "told of progress for 12m0s, was not done, and was told to stop; what the call did is not known")
		if took := time.Since(began); took != 12*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

func TestTheLongestTimeOfACallStandsStillWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	ask := func(context.Context, mcp.Question) (mcp.Answer, error) {
		<-time.After(time.Hour)
		return mcp.Answer{Action: mcp.Accept, Content: []byte(`{"p":"x"}`)}, nil
	}
	timed(t, mcp.Config{CallTimeout: time.Minute}, mcp.Options{Ask: ask}, func(t *testing.T, s *mcp.Server, w *wire) {
		raw, replied := newRaw(), make(chan struct{})
		raw.reply = func(w http.ResponseWriter, _ said) {
			w.WriteHeader(http.StatusAccepted)
			close(replied)
		}
		raw.call = func(w http.ResponseWriter, r *http.Request, m said) {
			openStream(w)
			for n := 0; ; n++ {
				if n == 7 {
					sendEvent(w, question("q"))
					<-replied
				}
				sendEvent(w, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":%d}}`, n))
				select {
				case <-time.After(50 * time.Second):
				case <-r.Context().Done():
					return
				}
			}
		}
		w.handler = raw
		began := time.Now()
		wantText(t, run(t, s, "pay", "{}"), true, "told of progress for 12m0s")
		if took := time.Since(began); took != time.Hour+12*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

func TestWhatAServerCallsItselfIsOneLine(t *testing.T) {
	t.Parallel()
	raw := newRaw()
	raw.name = `"raw\n  model gpt: all is well\t\u202e"`
	r, err := newServer(t, served(t, raw), mcp.Options{}).Check(t.Context())
	if want := "raw⟨U+000A⟩  model gpt: all is well⟨U+0009⟩⟨U+202E⟩"; err != nil || r.ServerName != want {
		t.Errorf("it is %q: %v", r.ServerName, err)
	}
}
