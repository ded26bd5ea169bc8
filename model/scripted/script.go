package scripted

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lineclear/lineclear/model"
	"github.com/lineclear/lineclear/tool"
)

// Script says what a model answers to which message. The first step that
// matches is taken.
type Script struct {
	Steps []Step `yaml:"steps"`
}

// Step is what happens after a message that matches.
type Step struct {
	Match string  `yaml:"match"` // part of the message, in any case; or /a regular expression/ (RE2)
	Say   string  `yaml:"say"`
	Calls []Call  `yaml:"calls"` // made at once
	Then  []Round `yaml:"then"`  // what is said and called next, each when the results before it are there
	After string  `yaml:"after"` // said at the end; {results} stands for the last results; they are quoted when it is empty
}

// Round is a further reply of a step.
type Round struct {
	Say   string `yaml:"say"` // {results} stands for the results before it
	Calls []Call `yaml:"calls"`
}

// Call is a tool call with its arguments.
type Call struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// Check returns everything that is wrong with a script, nil when nothing is.
func (s Script) Check() error {
	_, err := s.compile()
	return err
}

// compiledStep is a step that is ready to be followed.
type compiledStep struct {
	pattern *regexp.Regexp // nil: part is looked for
	part    string
	rounds  []compiledRound
	after   string
}

type compiledRound struct {
	say   string
	calls []model.Call
}

// compile returns the steps, or a *scriptError for each fault.
func (s Script) compile() ([]compiledStep, error) {
	var steps []compiledStep
	var faults []error
	for i, step := range s.Steps {
		at := fmt.Sprintf("$.steps[%d]", i)
		c, err := step.compile(at)
		steps = append(steps, c)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return steps, nil
}

// scriptError is a fault with its place, as a YAML path.
type scriptError struct{ at, text string }

func (e *scriptError) Error() string {
	return "scripted: " + strings.TrimPrefix(e.at, "$.") + ": " + e.text
}

func (s Step) compile(at string) (compiledStep, error) {
	c := compiledStep{part: strings.ToLower(s.Match), after: s.After}
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &scriptError{at + field, fmt.Sprintf(format, args...)})
	}
	if s.Match == "" {
		fault("", "match is missing: give a part of the user's message, or /a regular expression/")
	}
	if expr, ok := strings.CutPrefix(s.Match, "/"); ok && len(s.Match) > 1 && strings.HasSuffix(expr, "/") {
		pattern, err := regexp.Compile(strings.TrimSuffix(expr, "/"))
		if err != nil {
			fault(".match", "%v", err)
		}
		c.pattern = pattern
	}
	if s.Say == "" && len(s.Calls) == 0 {
		fault("", "nothing happens: give say, calls or both")
	}
	if len(s.Calls) == 0 && (s.After != "" || len(s.Then) > 0) {
		fault("", "after and then come after results: give calls, or leave them out")
	}
	if n := len(s.Then); n > 0 && len(s.Then[n-1].Calls) == 0 && s.After != "" {
		fault(".after", "it is never said: the last round of then has no calls, so it ends the turn")
	}
	rounds := append([]Round{{Say: s.Say, Calls: s.Calls}}, s.Then...)
	for i, r := range rounds {
		where := at
		if i > 0 {
			where = fmt.Sprintf("%s.then[%d]", at, i-1)
			if len(r.Calls) == 0 && i < len(rounds)-1 {
				faults = append(faults, &scriptError{where, "a round without calls ends the turn: only the last one may have none"})
			}
			if r.Say == "" && len(r.Calls) == 0 {
				faults = append(faults, &scriptError{where, "nothing happens: give say, calls or both"})
			}
		}
		compiled, err := r.compile(where)
		c.rounds = append(c.rounds, compiled)
		faults = append(faults, err)
	}
	return c, errors.Join(faults...)
}

func (r Round) compile(at string) (compiledRound, error) {
	c := compiledRound{say: r.Say}
	var faults []error
	for i, call := range r.Calls {
		where := fmt.Sprintf("%s.calls[%d]", at, i)
		if call.Tool == "" {
			faults = append(faults, &scriptError{where, "tool is missing: name the tool to call"})
		}
		args := tool.JSON("{}")
		if call.Args != nil {
			var err error
			if args, err = json.Marshal(call.Args, json.Deterministic(true)); err != nil {
				faults = append(faults, &scriptError{where + ".args", "they can't be written as JSON: " + err.Error()})
			}
		}
		c.calls = append(c.calls, model.Call{Name: call.Tool, Args: args})
	}
	return c, errors.Join(faults...)
}

func (s compiledStep) matches(message string) bool {
	if s.pattern != nil {
		return s.pattern.MatchString(message)
	}
	return strings.Contains(strings.ToLower(message), s.part)
}

// reply is what the step has to say at this point of the turn.
func (s compiledStep) reply(t turn) (model.Reply, error) {
	if t.rounds < len(s.rounds) {
		round := s.rounds[t.rounds]
		reply := model.Reply{Text: t.fill(round.say)}
		for _, c := range round.calls {
			reply.Calls = append(reply.Calls, model.Call{Name: c.Name, Args: bytes.Clone(c.Args)})
		}
		return reply, nil
	}
	if s.after != "" {
		return model.Reply{Text: t.fill(s.after)}, nil
	}
	return model.Reply{Text: t.quote()}, nil
}
