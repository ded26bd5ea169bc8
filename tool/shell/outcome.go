package shell

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/tool"
)

// Outcome is what became of a command; a result's Structured holds it.
type Outcome struct {
	Stdout           string `json:"stdout"`
	Stderr           string `json:"stderr"`
	ExitCode         int    `json:"exitCode"` // as a shell counts: 128 and the signal's number for one that ended it
	Signal           string `json:"signal,omitempty"`
	WorkingDirectory string `json:"workingDirectory"`
	Truncated        bool   `json:"truncated"`
	StdoutOmitted    int64  `json:"stdoutOmitted,omitzero"` // bytes
	StderrOmitted    int64  `json:"stderrOmitted,omitzero"`
	End              End    `json:"end"`
	LeftBehind       bool   `json:"leftBehind,omitzero"` // processes in the background had to be ended
	Sandbox          string `json:"sandbox,omitempty"`   // what this call's own sandbox allows

	limit time.Duration
}

// End says why a command is over.
type End string

// The ends of a command.
const (
	Exited    End = "exited" // by itself, or by a signal that we did not send
	TimedOut  End = "timedOut"
	Cancelled End = "cancelled"
)

func (o *Outcome) ended(state *os.ProcessState) {
	o.ExitCode = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.ExitCode = 128 + int(status.Signal())
		o.Signal = status.Signal().String()
	}
}

func (o *Outcome) captured(stdout, stderr *capture) {
	o.Stdout, o.StdoutOmitted = stdout.text()
	o.Stderr, o.StderrOmitted = stderr.text()
	o.Truncated = o.StdoutOmitted+o.StderrOmitted > 0
}

// result words the outcome; survivors says that something could not be ended.
func (o *Outcome) result(survivors error) (tool.Result, error) {
	structured, err := json.Marshal(o)
	if err != nil {
		return tool.Result{}, fmt.Errorf("shell: outcome: %w", err)
	}
	text := o.text()
	if survivors != nil {
		text += "\nwarning: " + survivors.Error()
	}
	return tool.Result{
		Text: text, Structured: structured,
		IsError: o.ExitCode != 0 || o.End != Exited || survivors != nil,
	}, nil
}

// text is the outcome as a model reads it.
func (o *Outcome) text() string {
	var b strings.Builder
	b.WriteString(withNewline(o.Stdout))
	if o.Stderr != "" {
		b.WriteString("stderr:\n" + withNewline(o.Stderr))
	}
	if o.Stdout == "" && o.Stderr == "" {
		b.WriteString("(no output)\n")
	}
	switch o.End {
	case TimedOut:
		fmt.Fprintf(&b, "killed after %s: it did not end by itself\n", seconds(o.limit))
	case Cancelled:
		b.WriteString("cancelled: the command was ended before it was done\n")
	case Exited:
	}
	fmt.Fprintf(&b, "exit code: %d", o.ExitCode)
	if o.Signal != "" {
		fmt.Fprintf(&b, " (signal: %s)", o.Signal)
	}
	fmt.Fprintf(&b, "\nworking directory: %s", o.WorkingDirectory)
	if o.Sandbox != "" && o.ExitCode != 0 {
		b.WriteString("\nIt ran in a sandbox, which " + o.Sandbox + ". If that is why it failed, call again with \"sandbox\": \"none\": a person is asked.")
	}
	if o.LeftBehind && o.End == Exited {
		b.WriteString("\nprocesses that it left in the background were ended")
	}
	return b.String()
}

func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// seconds writes whole seconds the way they are set: 60s, not 1m0s.
func seconds(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return d.String()
}
