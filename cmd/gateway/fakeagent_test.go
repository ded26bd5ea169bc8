package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// fakeAgent is a coding agent that runs one command line, FAKE_CALL, once it is cleared. Its
// messages are those of the real one, recorded; it ends with its line, as the real ones do.
type fakeAgent struct{ lines *bufio.Scanner }

func newFakeAgent() fakeAgent {
	f := fakeAgent{bufio.NewScanner(os.Stdin)}
	f.lines.Buffer(nil, 1<<20)
	return f
}

// say writes a recorded message.
func (f fakeAgent) say(message string, values ...string) {
	command, _ := json.Marshal(os.Getenv("FAKE_CALL"))
	text := string(command[1 : len(command)-1])
	folder, _ := os.Getwd()
	fmt.Println(strings.NewReplacer(append([]string{"COMMAND", text, "FOLDER", folder, "\n", ""}, values...)...).Replace(message))
}

// hear reads messages until one has all the texts.
func (f fakeAgent) hear(texts ...string) (message map[string]any) {
	for f.lines.Scan() {
		line, all := f.lines.Text(), true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all && json.Unmarshal([]byte(line), &message) == nil {
			return message
		}
	}
	os.Exit(0)
	return nil
}

func (f fakeAgent) run(command any) {
	line, _ := command.(string)
	c := exec.Command("sh", "-c", line)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// told keeps what the model would be told.
func (f fakeAgent) told(text any) {
	_ = os.WriteFile("told", fmt.Append(nil, text), 0o600)
}

// at is the value at a path of names.
func at(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// begin waits until it may begin to call.
func (f fakeAgent) begin() {
	if fifo := os.Getenv("FAKE_BEGIN"); fifo != "" {
		if opened, err := os.Open(fifo); err == nil {
			_ = opened.Close()
		}
	}
}

// fakeClaude is Claude Code 2.1.332.
func fakeClaude() {
	f := newFakeAgent()
	if hooks := f.hear(`"initialize"`); at(hooks, "request", "hooks", "PreToolUse") == nil {
		os.Exit(1)
	}
	for range 2 { // an answer that comes twice must not end anything
		f.say(`{"type":"control_response","response":{"subtype":"success","request_id":"hooks","response":{"commands":[],"pid":7}}}`)
	}
	f.hear(`"type":"user"`)
	f.begin()
	f.say(`{"type":"system","subtype":"init","cwd":"FOLDER","session_id":"027efbea-6ca5-4979-9682-0ffd753619c4","tools":["Bash"],"permissionMode":"default"}`)
	f.say(`{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"COMMAND"}}]},
"parent_tool_use_id":null,"session_id":"027efbea-6ca5-4979-9682-0ffd753619c4"}`)
	const hook = `{"type":"control_request","request_id":"ID","request":{"subtype":"hook_callback","callback_id":"EVENT","input":{"session_id":"027efbea-6ca5-4979-9682-0ffd753619c4",
"transcript_path":"/x.jsonl","cwd":"FOLDER","permission_mode":"default","hook_event_name":"EVENT","tool_name":"Bash","tool_input":{"command":"COMMAND"},MORE"tool_use_id":"toolu_1"},"tool_use_id":"toolu_1"}}`
	f.say(hook, "ID", "aa25f8bb", "EVENT", "PreToolUse", "MORE", "")
	answer := at(f.hear(`"control_response"`, `"aa25f8bb"`), "response", "response", "hookSpecificOutput")
	if at(answer, "hookEventName") == "PreToolUse" && at(answer, "permissionDecision") == "allow" {
		command := at(answer, "updatedInput", "command")
		if command == nil {
			command = os.Getenv("FAKE_CALL")
		}
		f.run(command)
		f.say(hook, "ID", "d1b0853f", "EVENT", "PostToolUse", "MORE", `"tool_response":{"stdout":"","stderr":"","interrupted":false},`)
		f.hear(`"control_response"`, `"d1b0853f"`)
	} else {
		f.told(at(answer, "permissionDecisionReason"))
	}
	f.say(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"session_id":"027efbea-6ca5-4979-9682-0ffd753619c4"}`)
	f.say(`{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"027efbea-6ca5-4979-9682-0ffd753619c4"}`)
	f.hear("nothing more")
}

// fakeCodex is Codex 0.171.0.
func fakeCodex() {
	f := newFakeAgent()
	for range 4 { // initialize, initialized, thread/start, turn/start
		m := f.hear(`"method"`)
		switch m["method"] {
		case "initialize":
			f.say(`{"id":1,"result":{"userAgent":"lineclear/0.171.0","codexHome":"/x","platformOs":"linux"}}`)
		case "thread/start":
			if at(m, "params", "approvalPolicy") != "untrusted" {
				os.Exit(1)
			}
			f.say(`{"id":2,"result":{"thread":{"id":"01a228db-5033-7890-9fa8-9d2ddcfb14e3","cwd":"FOLDER"},"model":"m"}}`)
		}
	}
	f.begin()
	f.say(`{"id":3,"result":{"turn":{"id":"01a228db-5052","items":[],"status":"inProgress","error":null}}}`)
	const item = `"item":{"type":"commandExecution","id":"call_1","command":"/bin/bash -lc 'COMMAND'","cwd":"FOLDER","status":"STATUS","commandActions":[{"type":"unknown","command":"COMMAND"}],
"aggregatedOutput":null,"exitCode":null},"threadId":"01a228db-5033-7890-9fa8-9d2ddcfb14e3","turnId":"01a228db-5052"`
	f.say(`{"method":"item/started","params":{`+item+`},"emittedAtMs":1}`, "STATUS", "inProgress")
	f.say(`{"method":"item/commandExecution/requestApproval","id":0,"params":{"kind":"command","threadId":"01a228db-5033-7890-9fa8-9d2ddcfb14e3","turnId":"01a228db-5052","itemId":"call_1",
"startedAtMs":1,"environmentId":"local","command":"/bin/bash -lc 'COMMAND'","cwd":"FOLDER","commandActions":[{"type":"unknown","command":"COMMAND"}],"availableDecisions":["accept","cancel"]}}`)
	for {
		m := f.hear("{")
		if m["method"] == "turn/steer" {
			if input, _ := at(m, "params", "input").([]any); len(input) == 1 {
				f.told(at(input[0], "text"))
			}
			continue
		}
		status := "declined"
		if at(m, "result", "decision") == "accept" {
			f.run("/bin/bash -lc '" + os.Getenv("FAKE_CALL") + "'")
			status = "completed"
		}
		f.say(`{"method":"item/completed","params":{`+item+`},"emittedAtMs":1}`, "STATUS", status)
		break
	}
	f.say(`{"method":"item/agentMessage/delta","params":{"threadId":"01a228db-5033-7890-9fa8-9d2ddcfb14e3","turnId":"01a228db-5052","itemId":"msg-1","delta":"done"}}`)
	f.say(`{"method":"turn/completed","params":{"threadId":"01a228db-5033-7890-9fa8-9d2ddcfb14e3","turn":{"id":"01a228db-5052","status":"completed","error":null}}}`)
	f.hear("nothing more")
}

// fakeACP is opencode 1.18.33, Gemini CLI 0.61.0 if it tells no arguments, and with FAKE_WANTS
// an agent that wants something of its editor.
func fakeACP() {
	f := newFakeAgent()
	f.hear(`"initialize"`)
	f.say(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}}`)
	f.hear(`"session/new"`)
	f.say(`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"ses_1"}}`)
	prompt := f.hear(`"session/prompt"`)
	f.begin()
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses_1","update":`
	f.say(update + `{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"bash","kind":"execute","status":"pending","locations":[],"rawInput":{}}}}`)
	input := `"rawInput":{"command":"COMMAND"}`
	if os.Getenv("FAKE_WORDS") != "" {
		input = `"content":[{"type":"content","content":{"type":"text","text":"[current working directory FOLDER]"}}]`
	}
	if wants := os.Getenv("FAKE_WANTS"); wants != "" {
		f.say(`{"jsonrpc":"2.0","id":0,"method":"METHOD","params":{"sessionId":"ses_1",WANTS}}`, "METHOD", wants, "WANTS", os.Getenv("FAKE_PARAMS"))
		f.told(f.hear(`"id":0`))
	} else {
		f.say(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"ses_1","toolCall":{"toolCallId":"call_1","title":"COMMAND","kind":"execute","status":"pending",
"locations":[],` + input + `},"options":[{"optionId":"always","kind":"allow_always","name":"Always allow"},{"optionId":"once","kind":"allow_once","name":"Allow once"},{"optionId":"reject","kind":"reject_once","name":"Reject"}]}}`)
		outcome := at(f.hear(`"outcome"`), "result", "outcome")
		if at(outcome, "optionId") == "once" {
			f.run(os.Getenv("FAKE_CALL"))
			f.say(update + `{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed","rawOutput":{"output":"(no output)"}}}}`)
		}
	}
	f.say(update + `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done"}}}}`)
	f.say(`{"jsonrpc":"2.0","id":PROMPT,"result":{"stopReason":"end_turn"}}`, "PROMPT", fmt.Sprint(prompt["id"]))
	f.hear("nothing more")
}
