package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/client"
	"github.com/lineclear/lineclear/tool"
)

// commandArgument is the argument that shows the approver which command will run.
const commandArgument = "argv"

// asking is the verb ask.
type asking struct {
	remote
	printer
}

// cleared is what a program is told of its request.
type cleared struct {
	Approval client.Approval `json:"approval"`
	Args     tool.JSON       `json:"args,omitzero"`     // those that were cleared, with all their secrets
	ExitCode *int            `json:"exitCode,omitzero"` // of the command, once it has run
}

func askCommand() *cobra.Command {
	o := &asking{}
	var q client.Question
	var run string
	var within time.Duration
	c := &cobra.Command{
		Use: "ask TOOL [ARGS] [-- COMMAND…]", Args: cobra.MinimumNArgs(1),
		Short: "Ask a running gateway for an approval, wait, and run what was cleared.",
		Long: "Ask a running gateway for an approval, wait for the answer, and run the command if it is cleared. ARGS is a JSON object; the command is shown\n" +
			"with it, as " + commandArgument + ". Without a command the arguments that were cleared are printed. Ctrl-C withdraws the request.\n" +
			"With --json the request is printed with its answer; what the command prints on standard output goes to standard error.\n\n" + exitHelp,
		Example: "  gateway ask deploy '{\"to\": \"staging\"}' -- ./deploy.sh staging\n  gateway ask --run build-7 --expires 5m publish -- npm publish",
		RunE: func(c *cobra.Command, args []string) error {
			command := args[len(args):]
			if at := c.ArgsLenAtDash(); at >= 0 {
				args, command = args[:at], args[at:]
			}
			if len(args) < 1 || len(args) > 2 {
				return usage("want TOOL and at most one JSON object of arguments before --")
			}
			q.ToolName = args[0]
			if err := describe(&q, args[1:], command); err != nil {
				return err
			}
			if within > 0 {
				q.ExpiresIn = within.String()
			}
			var err error
			if q.WorkingDirectory, err = os.Getwd(); err != nil {
				return err
			}
			return o.ask(c, q, run, command)
		},
	}
	o.flags(c)
	o.flag(c, "; passwords and keys are masked in the request, and not in the arguments that were cleared")
	c.Flags().StringVar(&run, "run", "", "the name of a run: what is approved for the session holds for all calls of it")
	c.Flags().StringVar(&q.Client, "client", "gateway ask", "the name that approvers see")
	c.Flags().StringVar(&q.AgentID, "agent", "", "apply this agent's rules (default: those for all agents)")
	completeFlag(c, "agent", agentNames, o)
	c.Flags().StringVarP(&q.Message, "message", "m", "", "a message for the approver")
	c.Flags().DurationVar(&within, "expires", 0, "how long to wait at most; the policy's own limit holds all the same")
	return c
}

// describe fills in the arguments to be approved, those given and the command, and what
// an approver may change: with a command, that alone, since it does not follow the others.
func describe(q *client.Question, given, command []string) (err error) {
	args := map[string]any{}
	if len(given) > 0 {
		if err := json.Unmarshal([]byte(given[0]), &args); err != nil || args == nil {
			return usage("ARGS: %s is not a JSON object", given[0])
		}
	}
	if _, twice := args[commandArgument]; twice && len(command) > 0 {
		return usage("ARGS: %s is where the command is shown: leave it out", commandArgument)
	}
	q.Editable = true
	if len(command) > 0 {
		fixed := map[string]any{}
		for name, value := range args {
			fixed[name] = map[string]any{"const": value}
		}
		fixed[commandArgument] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 1}
		args[commandArgument] = command
		q.Arguments.Argv = commandArgument
		q.Schema, err = json.Marshal(map[string]any{
			"type": "object", "properties": fixed, "required": slices.Sorted(maps.Keys(args)), "additionalProperties": false,
		}, json.Deterministic(true))
		if err != nil {
			return err
		}
	}
	q.Args, err = json.Marshal(args, json.Deterministic(true))
	return err
}

// ask asks for approval, then runs the command or, without one, prints the arguments.
func (o *asking) ask(c *cobra.Command, q client.Question, run string, command []string) error {
	gateway, err := o.client()
	if err != nil {
		return err
	}
	if run != "" {
		of, err := gateway.BeginRun(c.Context(), client.RunOf{AgentID: q.AgentID, Client: q.Client, Name: run, WorkingDirectory: q.WorkingDirectory})
		if err != nil {
			return err
		}
		q.SessionID = of.ID
	}
	var done cleared
	q.Key = uuid.NewString()
	_, err = gateway.Guard(c.Context(), q, func(ctx context.Context, args tool.JSON) (tool.Result, error) {
		done.Args = args
		if len(command) == 0 {
			return tool.Result{Text: "handed to the program that asked"}, o.hand(c, args)
		}
		approved, err := clearedCommand(args)
		if err != nil {
			return tool.Result{}, err
		}
		return o.runCleared(ctx, approved, &done)
	})
	if c.Context().Err() != nil {
		return &exit{exitInterrupted, errors.New("interrupted: the request was withdrawn, and an approved command was stopped")}
	}
	return errors.Join(asked(err), o.tell(c, gateway, q.Key, done))
}

// hand prints the arguments that were cleared.
func (o *asking) hand(c *cobra.Command, args tool.JSON) error {
	if o.json {
		return nil // they are in the document
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), string(args))
	return err
}

// tell prints what became of the request, for programs.
func (o *asking) tell(c *cobra.Command, gateway *client.Client, key string, done cleared) error {
	if !o.json {
		return nil
	}
	rows, err := gateway.Asked(c.Context(), key)
	if err != nil || len(rows) == 0 {
		return err // it was not taken as a request, which has been said
	}
	done.Approval = rows[0]
	return o.print(c, done, nil)
}

// asked is how the verb ends after Guard.
func asked(err error) error {
	var failed *exec.ExitError
	var refused *client.Refused
	switch {
	case errors.As(err, &refused):
		return &exit{answerCode(refused.Approval.Outcome), err}
	case errors.Is(err, client.ErrUnanswered):
		return &exit{exitLate, err}
	case errors.As(err, &failed):
		return &exit{exitFailed, fmt.Errorf("the command was cleared, and failed: %w", failed)}
	}
	return err
}

// clearedCommand is the command as approved; the approver may have edited it.
func clearedCommand(args tool.JSON) ([]string, error) {
	var cleared struct {
		Command []string `json:"argv"`
	}
	if err := json.Unmarshal(args, &cleared); err != nil || len(cleared.Command) == 0 {
		return nil, fmt.Errorf("the approved arguments have no command under %s: it was not run", commandArgument)
	}
	return cleared.Command, nil
}

// runCleared runs the command with this process's standard streams.
func (o *asking) runCleared(ctx context.Context, command []string, done *cleared) (tool.Result, error) {
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stdin, run.Stdout, run.Stderr = os.Stdin, os.Stdout, os.Stderr
	if o.json {
		run.Stdout = os.Stderr
	}
	defer func() {
		if run.ProcessState != nil {
			code := run.ProcessState.ExitCode()
			done.ExitCode = &code
		}
	}()
	run.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LINECLEAR_TOKEN=") })
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	run.WaitDelay = 10 * time.Second
	if err := run.Run(); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: strings.Join(command, " ") + ": " + run.ProcessState.String()}, nil
}
