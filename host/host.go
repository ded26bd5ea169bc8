package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/hook"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// Host is an agent that is started, and what it asks.
type Host struct {
	Agent    hook.Agent
	Gateway  *client.Client
	Question client.Question // what all questions have in common, such as whose rules apply
	Command  []string        // the agent's program and its arguments
	Folder   string          // where it works
	Stderr   io.Writer       // the agent's own
	Talk     Talk

	env []string // beside this process's
}

// Talk is the conversation with the agent.
type Talk interface {
	// Next is what to say to the agent; io.EOF ends the conversation.
	Next(ctx context.Context) (prompt string, err error)
	// Said is a piece of what the agent says.
	Said(text string)
	// Note is a line about what happens.
	Note(line string)
}

// maxLine bounds what an agent writes as one line, in bytes.
const maxLine = 32 << 20

// endsWithin is how long an agent may take to end once its line is closed.
const endsWithin = 5 * time.Second

// line is a connection of JSON texts, one a line.
type line struct {
	read  *bufio.Scanner
	mu    sync.Mutex // guards write
	write io.Writer
}

func newLine(r io.Reader, w io.Writer) *line {
	l := &line{read: bufio.NewScanner(r), write: w}
	l.read.Buffer(nil, maxLine)
	return l
}

// next is the next text; what is none is left out.
func (l *line) next() (tool.JSON, error) {
	for l.read.Scan() {
		if text := l.read.Bytes(); len(text) > 0 && text[0] == '{' {
			return append(tool.JSON(nil), text...), nil
		}
	}
	if err := l.read.Err(); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	return nil, io.EOF
}

// send writes a value in one write.
func (l *line) send(v any) error {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return l.pass(raw)
}

// pass writes a text as it is.
func (l *line) pass(raw tool.JSON) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.write.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return nil
}

// start starts the agent, and gives the line to it. stop closes the line and waits for the
// agent's end; what of it is left then is killed.
func (h Host) start(ctx context.Context) (l *line, stop func() error, err error) {
	h = h.strictly()
	c := exec.Command(h.Command[0], h.Command[1:]...)
	c.Dir, c.Stderr, c.Env = h.Folder, h.Stderr, append(os.Environ(), h.env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl-C in the terminal is for this process
	c.WaitDelay = endsWithin
	in, err := c.StdinPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("host: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("host: %w", err)
	}
	if err := c.Start(); err != nil {
		return nil, nil, fmt.Errorf("host: %w", err)
	}
	kill := func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // then it has ended
	atOnce := context.AfterFunc(ctx, kill)
	return newLine(out, in), func() error {
		defer atOnce()
		_ = in.Close()
		late := time.AfterFunc(endsWithin, kill)
		defer late.Stop()
		_, _ = io.Copy(io.Discard, out) // until it closes its side
		err := c.Wait()
		kill() // what it has left behind
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if failed, is := errors.AsType[*exec.ExitError](err); is {
			return fmt.Errorf("host: %s: %w", h.Command[0], failed)
		}
		return err
	}, nil
}

// asked is a set of questions that can be taken back by name.
type asked struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
	running sync.WaitGroup
}

// put runs answer for a question, until it is taken back.
func (a *asked) put(ctx context.Context, name string, answer func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancels == nil {
		a.cancels = map[string]context.CancelFunc{}
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

// takeBack ends the questions whose name is one of which.
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

// report reports what came of a call, also if the conversation is over.
func (h Host) report(ctx context.Context, c hook.Call) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endsWithin)
	defer stop()
	if err := hook.Report(ctx, h.Gateway, c); err != nil {
		h.Talk.Note("a result was not reported: " + err.Error())
	}
}

// over is the error of a conversation that has come to its end: none.
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
