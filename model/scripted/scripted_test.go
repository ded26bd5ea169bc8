package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/model/scripted"
	"github.com/lineclear/lineclear/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const script = `
steps:
  - match: Deploy
    say: Building first.
    calls:
      - {tool: shell, args: {command: make}}
      - {tool: read_file, args: {path: VERSION}}
    then:
      - say: "Built: {results}"
        calls: [{tool: shell, args: {command: make deploy}}]
    after: "Done: {results}"
  - match: /^ping \d+$/
    say: pong
  - match: quiet
    calls: [{tool: shell}]
`

func all() []tool.Spec {
	var specs []tool.Spec
	for _, name := range []string{"shell", "read_file", "write_file", "edit_file", "list_files"} {
		specs = append(specs, tool.Spec{Name: name})
	}
	return specs
}

const everything = `Try one of these, or several, one a line:
- run: COMMAND (runs a command line)
- read PATH (reads a file)
- write PATH: TEXT (writes a file)
- edit PATH: OLD => NEW (replaces a text in a file)
- list PATH (lists a directory; without PATH the working directory)`

// served are a tool that has a command, and one that has none.
func served() []tool.Spec { return []tool.Spec{{Name: "list_files"}, {Name: "files__read"}} }

const servedHelp = `Try one of these, or several, one a line:
- list PATH (lists a directory; without PATH the working directory)
- call TOOL {"ARGUMENT": "VALUE"} (calls any other tool: files__read)`

// conversation is what a model is shown, and what it says to it.
type conversation struct {
	name     string
	tools    []tool.Spec
	messages []model.Message
	want     model.Reply
}

func TestAScriptIsFollowed(t *testing.T) {
	holds(t, []conversation{
		{
			"a step begins with its calls, all at once", nil, []model.Message{user("please deploy it")},
			model.Reply{Text: "Building first.", Calls: []model.Call{
				{Name: "shell", Args: tool.JSON(`{"command":"make"}`)}, {Name: "read_file", Args: tool.JSON(`{"path":"VERSION"}`)},
			}},
		},
		{
			"the next round has the results", nil,
			[]model.Message{user("deploy"), calls(call("1", "shell"), call("2", "read_file")), result("1", "ok"), result("2", "v7")},
			model.Reply{Text: "Built: shell said:\nok\n\nread_file said:\nv7", Calls: []model.Call{{Name: "shell", Args: tool.JSON(`{"command":"make deploy"}`)}}},
		},
		{
			"after is said at the end, with the last results only", nil,
			[]model.Message{user("deploy"), calls(call("1", "shell")), result("1", "ok"), calls(call("3", "shell")), failed("3", "Denied by ann.")},
			say("Done: shell did not run or failed:\nDenied by ann."),
		},
		{
			"a new message starts over", nil,
			[]model.Message{user("deploy"), calls(call("1", "shell")), result("1", "ok"), {Role: model.Assistant, Text: "Done"}, user("ping 12")},
			say("pong"),
		},
		{"a regular expression is not a substring", all(), []model.Message{user("ping x")}, say("I follow a script and know only a few commands. " + everything)},
		{"a call without arguments has an empty object", nil, []model.Message{user("quiet")}, model.Reply{Calls: []model.Call{{Name: "shell", Args: tool.JSON(`{}`)}}}},
		{"without after the results are quoted", nil, []model.Message{user("quiet"), calls(call("1", "shell")), result("1", "")}, say("shell said nothing.")},
	})
}

func TestCommandsAreCarriedOutWhereNoStepMatches(t *testing.T) {
	holds(t, []conversation{
		{"run", all(), []model.Message{user("run: ls -l | wc")}, command("shell", `{"command":"ls -l | wc"}`)},
		{"a verb in any case, with or without a colon", all(), []model.Message{user("  RUN ls")}, command("shell", `{"command":"ls"}`)},
		{"read", all(), []model.Message{user("read a b.txt")}, command("read_file", `{"path":"a b.txt"}`)},
		{"write", all(), []model.Message{user("write notes/a.txt: one: two")}, command("write_file", `{"content":"one: two","path":"notes/a.txt"}`)},
		{"write an empty file", all(), []model.Message{user("write a.txt:")}, command("write_file", `{"content":"","path":"a.txt"}`)},
		{"edit", all(), []model.Message{user("edit a.txt: old => new text")}, command("edit_file", `{"new":"new text","old":"old","path":"a.txt"}`)},
		{"list", all(), []model.Message{user("list")}, command("list_files", `{}`)},
		{"any tool by its name", served(), []model.Message{user(`call files__read {"path": "a b"}`)}, command("files__read", `{"path": "a b"}`)},
		{"a call without arguments", served(), []model.Message{user("call files__read")}, command("files__read", `{}`)},
		{"a call of a tool that is not there", served(), []model.Message{user("call files__write {}")}, say("I can't do that here: this agent has no tool files__write. " + servedHelp)},
		{"arguments that are no object", served(), []model.Message{user("call files__read [1]")}, say(`I can't read "call files__read [1]". It goes like this: call TOOL {"ARGUMENT": "VALUE"}`)},
		{"help names the tools that have no command", served(), []model.Message{user("help")}, say(servedHelp)},
		{"list a path", all(), []model.Message{user("list: src")}, command("list_files", `{"path":"src"}`)},
		{
			"several lines are several calls of one turn", all(), []model.Message{user("run: one\n\nread two\r\n")},
			model.Reply{Text: "Calling shell, read_file.", Calls: []model.Call{
				{Name: "shell", Args: tool.JSON(`{"command":"one"}`)}, {Name: "read_file", Args: tool.JSON(`{"path":"two"}`)},
			}},
		},
		{"one line that is no command stops all", all(), []model.Message{user("run: rm x\nor better not")}, say("I follow a script and know only a few commands. " + everything)},
		{"help", all(), []model.Message{user("Help!")}, say(everything)},
		{"nothing said", all(), nil, say("I follow a script and know only a few commands. " + everything)},
		{"help offers only what the agent has", all()[:1], []model.Message{user("help")}, say("Try one of these, or several, one a line:\n- run: COMMAND (runs a command line)")},
		{"an agent without tools", nil, []model.Message{user("help")}, say("This agent has none of the tools that I know how to use, so there is nothing to try here.")},
		{
			"a tool that the agent does not have is not called", all()[:1], []model.Message{user("run: ls\nread a")},
			say("I can't do that here: this agent has no tool read_file. Try one of these, or several, one a line:\n- run: COMMAND (runs a command line)"),
		},
		{"an incomplete command says how it goes", all(), []model.Message{user("edit a.txt: old")}, say(`I can't read "edit a.txt: old". It goes like this: edit PATH: OLD => NEW`)},
		{"a result is quoted", all(), []model.Message{user("run: ls"), calls(call("1", "shell")), result("1", "a\nb")}, say("shell said:\na\nb")},
		{
			"a denial's reason stands in the reply", all(),
			[]model.Message{user("run: ls"), calls(call("1", "shell")), failed("1", "Not run: nobody answered within 2m0s. No person refused it.")},
			say("shell did not run or failed:\nNot run: nobody answered within 2m0s. No person refused it."),
		},
		{"a result without its call is quoted too", all(), []model.Message{user("run: ls"), calls(call("1", "shell")), result("9", "x")}, say("a tool said:\nx")},
	})
}

func holds(t *testing.T, tests []conversation) {
	t.Helper()
	s, err := scripted.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, streamed := generate(t, s, model.Prompt{Messages: tt.messages, Tools: tt.tools})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want.Text, streamed); diff != "" {
				t.Errorf("deltas (-want +got):\n%s", diff)
			}
		})
	}
}

func user(text string) model.Message { return model.Message{Role: model.User, Text: text} }

func calls(calls ...model.Call) model.Message {
	return model.Message{Role: model.Assistant, Calls: calls}
}

func call(id, name string) model.Call { return model.Call{ID: id, Name: name} }

func result(id, text string) model.Message {
	return model.Message{Role: model.ToolRole, CallID: id, Text: text}
}

func failed(id, text string) model.Message {
	return model.Message{Role: model.ToolRole, CallID: id, Text: text, IsError: true}
}

func say(text string) model.Reply { return model.Reply{Text: text} }

func command(name, args string) model.Reply {
	return model.Reply{Text: "Calling " + name + ".", Calls: []model.Call{{Name: name, Args: tool.JSON(args)}}}
}

func TestDeltasAreTheTextForAnyPrompt(t *testing.T) {
	s, err := scripted.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	message := rapid.Custom(func(t *rapid.T) model.Message {
		return model.Message{
			Role: rapid.SampledFrom([]model.Role{model.User, model.Assistant, model.ToolRole}).Draw(t, "role"),
			Text: rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"deploy", "run: ls", "write a: b c", "help", "\xff x", "run: \xff"})).Draw(t, "text"),
			Calls: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Call {
				return model.Call{ID: rapid.StringN(0, 2, -1).Draw(t, "id"), Name: rapid.String().Draw(t, "name")}
			}), 0, 2).Draw(t, "calls"),
			CallID: rapid.StringN(0, 2, -1).Draw(t, "callID"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		p := model.Prompt{Messages: rapid.SliceOfN(message, 0, 8).Draw(rt, "messages"), Tools: all()}
		var pieces []string
		reply, err := scripted.New(s, scripted.Options{}).Generate(t.Context(), p, func(d model.Delta) { pieces = append(pieces, d.Text) })
		if err != nil {
			rt.Fatal(err)
		}
		if got := strings.Join(pieces, ""); got != reply.Text {
			rt.Fatalf("the deltas give %q, the text is %q", got, reply.Text)
		}
		for _, piece := range pieces {
			if piece == "" {
				rt.Fatal("an empty delta")
			}
		}
		if reply.Text == "" && len(reply.Calls) == 0 {
			rt.Fatal("an empty reply")
		}
		for _, c := range reply.Calls {
			if !jsontext.Value(c.Args).IsValid() {
				rt.Fatalf("arguments are not JSON: %s", c.Args)
			}
		}
	})
}

func TestWordsComeOneByOneWithTheDelayBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scripted.New(scripted.Script{Steps: []scripted.Step{{Match: "hi", Say: "one two  three"}}}, scripted.Options{Delay: time.Second})
		start := time.Now()
		type piece struct {
			Text string
			At   time.Duration
		}
		var got []piece
		p := model.Prompt{Messages: []model.Message{{Role: model.User, Text: "hi"}}}
		if _, err := m.Generate(t.Context(), p, func(d model.Delta) { got = append(got, piece{d.Text, time.Since(start)}) }); err != nil {
			t.Fatal(err)
		}
		want := []piece{{"one ", 0}, {"two  ", time.Second}, {"three", 2 * time.Second}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestACancelInTheMiddleOfTheTextEndsIt(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Hour} {
		t.Run(delay.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := scripted.New(scripted.Script{Steps: []scripted.Step{{Match: "hi", Say: "one two three"}}}, scripted.Options{Delay: delay})
				gone := errors.New("the tab has gone")
				ctx, cancel := context.WithCancelCause(t.Context())
				var got string
				p := model.Prompt{Messages: []model.Message{{Role: model.User, Text: "hi"}}}
				start := time.Now()
				reply, err := m.Generate(ctx, p, func(d model.Delta) {
					got += d.Text
					cancel(gone)
				})
				if !errors.Is(err, gone) || reply.Text != "" || got != "one " || time.Since(start) > 0 {
					t.Errorf("got %q, reply %+v, %v after %v; want the cancel's cause at once", got, reply, err, time.Since(start))
				}
			})
		})
	}
}

func TestAScriptWithFaultsNeverAnswers(t *testing.T) {
	s := scripted.Script{Steps: []scripted.Step{{Match: "/(/", Say: "x"}}}
	_, err := scripted.New(s, scripted.Options{}).Generate(t.Context(), model.Prompt{}, nil)
	if err == nil || !strings.Contains(err.Error(), "steps[0].match: error parsing regexp") {
		t.Errorf("got %v, want the fault in the script", err)
	}
}

func generate(t *testing.T, s scripted.Script, p model.Prompt) (model.Reply, string) {
	t.Helper()
	var streamed strings.Builder
	reply, err := scripted.New(s, scripted.Options{}).Generate(t.Context(), p, func(d model.Delta) { streamed.WriteString(d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	return reply, streamed.String()
}

func Example() {
	m := scripted.New(scripted.Script{}, scripted.Options{})
	reply, err := m.Generate(context.Background(), model.Prompt{
		Messages: []model.Message{{Role: model.User, Text: "run: uptime"}},
		Tools:    []tool.Spec{{Name: "shell"}},
	}, func(d model.Delta) { fmt.Print(d.Text) })
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println()
	fmt.Printf("%s %s\n", reply.Calls[0].Name, reply.Calls[0].Args)
	// Output:
	// Calling shell.
	// shell {"command":"uptime"}
}
