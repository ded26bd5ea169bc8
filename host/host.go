package host

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/internal/jsonrpc"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Host starts a coding agent and asks the gateway about its calls.
type Host struct {
	Agent    hook.Agent
	Gateway  *client.Client
	Question client.Question // defaults for every request, such as whose rules apply
	Command  []string        // the agent's program and its arguments
	Folder   string          // where it works
	Stderr   io.Writer       // the agent's own
	Talk     Talk
}

// Talk is the conversation with the agent.
type Talk interface {
	// Next returns the next prompt; io.EOF ends the conversation.
	Next(ctx context.Context) (prompt string, err error)
	// Said shows a piece of the agent's text.
	Said(text string)
	// Note shows one line about a call or an event.
	Note(line string)
	// Failed says why a turn has failed.
	Failed(why string)
}

// reportsWithin is how long reporting a result may take.
const reportsWithin = 5 * time.Second

// start starts the agent, and returns the line to it.
func (h Host) start(ctx context.Context) (l *jsonrpc.Line, stop func() error, err error) {
	h = h.strictly()
	c := exec.Command(h.Command[0], h.Command[1:]...)
	c.Dir, c.Stderr = h.Folder, h.Stderr
	// With CLAUDE_CODE_SIMPLE Claude Code has no hooks.
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CLAUDE_CODE_SIMPLE=") }), asking)
	return jsonrpc.Start(ctx, c)
}

// asked holds the open questions, which can be cancelled by name.
type asked struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
	running sync.WaitGroup
}

// put runs answer in the background, with a context that takeBack cancels.
func (a *asked) put(ctx context.Context, name string, answer func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancels == nil {
		a.cancels = map[string]context.CancelFunc{}
	}
	if earlier, open := a.cancels[name]; open {
		earlier() // one id, one question
	}
	a.cancels[name] = cancel
	a.running.Go(func() {
		defer cancel()
		answer(ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.cancels, name)
	})
}

// over removes a question without cancelling it.
func (a *asked) over(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cancels, name)
}

// has reports whether the name of any open question matches.
func (a *asked) has(which func(name string) bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range a.cancels {
		if which(name) {
			return true
		}
	}
	return false
}

// takeBack cancels the questions whose names match.
func (a *asked) takeBack(which func(name string) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, cancel := range a.cancels {
		if which(name) {
			cancel()
		}
	}
}

// clear asks the gateway about a call and waits. Every error is a denial.
func (h Host) clear(ctx context.Context, q client.Question, c hook.Call) hook.Outcome {
	h.Talk.Note(c.Tool + " " + string(c.Args))
	o, err := h.Agent.Clear(ctx, h.Gateway, q, c)
	if err != nil {
		o = hook.Outcome{Reason: "Blocked: " + tool.Words(err)}
	}
	if !o.Approved {
		h.Talk.Note(c.Tool + ": " + o.Reason)
	}
	return o
}

// report reports a call's result, even if the conversation has ended.
func (h Host) report(ctx context.Context, c hook.Call) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), reportsWithin)
	defer stop()
	if err := h.Agent.Report(ctx, h.Gateway, c); err != nil {
		h.Talk.Note("a result was not reported: " + err.Error())
	}
}

// over turns io.EOF, the normal end of a conversation, into nil.
func over(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sameJSON reports whether two texts are the same JSON.
func sameJSON(a, b tool.JSON) bool {
	x, failed := strictjson.Canonicalize(a)
	y, err := strictjson.Canonicalize(b)
	return failed == nil && err == nil && x == y
}
