package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/config"
	"github.com/lineclear/lineclear/gateway"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/strictjson"
	"github.com/lineclear/lineclear/tool"
)

// errCasesFailed ends a run of cases of which some failed; it has been said.
var errCasesFailed = errors.New("not all cases came out as expected")

func policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Ask the rules of agents.yaml what they would decide, without running anything.",
	}
	c.AddCommand(explainCommand(), testCommand(), suggestCommand(), observedCommand())
	return c
}

func explainCommand() *cobra.Command {
	var p location
	var agent, toolName, args, command string
	var o printer
	c := &cobra.Command{
		Use: "explain", Args: cobra.NoArgs,
		Short: "Say what becomes of a call, by which rule, and why. Grants are left out of account.",
		RunE: func(c *cobra.Command, _ []string) error {
			b, err := openPolicyEnv(&p)
			if err != nil {
				return err
			}
			if command != "" {
				quoted, err := jsontext.AppendQuote(nil, command)
				if err != nil {
					return fmt.Errorf("--command: %w", err)
				}
				args = `{"command":` + string(quoted) + `}`
			}
			b.policy.Path = os.Getenv("PATH") // programs are looked up as the gateway does
			about, err := b.about(agent, toolName, tool.JSON(args))
			if err != nil {
				return err
			}
			v, rule := b.judge(c.Context(), about), ""
			if v.Effect == approval.AskPerson {
				if smallest := b.policy.Smallest(about); smallest != nil {
					rule = smallest.Rule
				}
			}
			return o.print(c, explained{v.View(), rule}, func(w io.Writer) error {
				printVerdict(w, v)
				for _, note := range b.notes(about, v) {
					fmt.Fprintln(w, oneLine(note))
				}
				if rule != "" {
					fmt.Fprintf(w, "the smallest rule that would allow it:\n%s", mask.Hidden(rule))
				}
				return nil
			})
		},
	}
	p.flags(c)
	c.Flags().StringVarP(&agent, "agent", "a", "", "whose call it is")
	c.Flags().StringVarP(&toolName, "tool", "t", "shell", "the tool")
	c.Flags().StringVar(&args, "args", "{}", "the arguments, as JSON")
	c.Flags().StringVar(&command, "command", "", "in short for --args '{\"command\": …}'")
	o.flag(c, "")
	c.MarkFlagsMutuallyExclusive("args", "command")
	_ = c.MarkFlagRequired("agent") // the flag exists
	inFile(c, "agent", &p, (*policyEnv).agents)
	inFile(c, "tool", &p, func(b *policyEnv) (names []string) {
		for _, a := range b.config.Judged() {
			if agent == "" || a.ID == agent {
				names = append(names, toolNames(a)...)
			}
		}
		return names
	})
	return c
}

// explained is the JSON output of explain.
type explained struct {
	approval.VerdictView
	Smallest string `json:"smallestRule,omitempty"` // YAML of a rule that would allow the call
}

// policyEnv is a policy by itself, with no gateway behind it.
type policyEnv struct {
	config *config.Config
	policy *policy.Policy
}

func openPolicyEnv(p *location) (*policyEnv, error) {
	c, err := p.load()
	if err != nil {
		return nil, err
	}
	judge := policy.New(none{}, gateway.Rules(c))
	judge.Home = os.Getenv("HOME") // and no Path: what is tested is the same on every machine
	return &policyEnv{config: c, policy: judge}, nil
}

func (b *policyEnv) agents() (names []string) {
	for _, a := range b.config.Judged() {
		names = append(names, a.ID)
	}
	return names
}

// none is no grants.
type none struct{}

func (none) Refused(context.Context, string) ([]approval.Refusal, error) { return nil, nil }

func (none) Held(context.Context, string, string, string) ([]approval.Grant, error) { return nil, nil }

// about builds the case that is judged.
func (b *policyEnv) about(agentID, toolName string, args tool.JSON) (approval.Case, error) {
	all := b.config.Judged()
	i := slices.IndexFunc(all, func(a config.Agent) bool { return a.ID == agentID })
	if i < 0 {
		return approval.Case{}, &exit{exitUnknown, fmt.Errorf("there is no agent %q", agentID)}
	}
	a := all[i]
	if _, err := strictjson.Object(args); err != nil {
		return approval.Case{}, fmt.Errorf("args: %w", err)
	}
	spec, terms, known, err := a.Find(toolName)
	switch {
	case err != nil:
		return approval.Case{}, err
	case !known && i < len(b.config.Agents): // a program may ask about any tool
		return approval.Case{}, fmt.Errorf("agent %s has no tool %q; it has: %s", agentID, toolName, strings.Join(toolNames(a), ", "))
	}
	return approval.Case{Mode: a.Mode, Spec: spec, Terms: terms, Request: approval.Request{
		AgentID: agentID, Type: approval.ToolConfirmation, ToolName: toolName, Args: args, WorkingDirectory: a.WorkingDirectory,
	}}, nil
}

// notes say what else becomes of such a call.
func (b *policyEnv) notes(about approval.Case, v approval.Verdict) (notes []string) {
	all := b.config.Judged()
	i := slices.IndexFunc(all, func(a config.Agent) bool { return a.ID == about.Request.AgentID })
	if about.Spec.Name == "" && i >= len(b.config.Agents) {
		notes = append(notes, fmt.Sprintf("agent %s does not declare %s: what its arguments are is not known", about.Request.AgentID, about.Request.ToolName))
	}
	if until := all[i].ObserveUntil; v.Effect == approval.AskPerson && time.Now().Before(until) {
		notes = append(notes, "the agent is observed until "+local(until)+": the call runs all the same")
	}
	return notes
}

// judge decides a call as a running gateway would.
func (b *policyEnv) judge(ctx context.Context, c approval.Case) approval.Verdict {
	v, err := b.policy.Judge(ctx, c)
	if err != nil {
		return approval.Verdict{Effect: approval.Deny, Rule: "the policy failed: " + err.Error()}
	}
	return v
}

func toolNames(a config.Agent) (names []string) {
	specs, _ := a.Specs() // whose error has been told
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}

func printVerdict(w io.Writer, v approval.Verdict) {
	fmt.Fprintf(w, "%s: %s\n", v.Effect, oneLine(v.Rule))
	if v.Risk.Level != "" {
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("risk %s: %s", v.Risk.Level, oneLine(strings.Join(v.Risk.Reasons, "; "))), ": "))
	}
	for _, line := range v.Trace {
		fmt.Fprintln(w, "  "+line)
	}
	for _, c := range v.Covers {
		fmt.Fprintf(w, "a person could allow for the session: %s\n", oneLine(c.Text))
	}
}

func testCommand() *cobra.Command {
	var p location
	var cases string
	var o printer
	c := &cobra.Command{
		Use: "test", Args: cobra.NoArgs,
		Short: "Run the cases that are kept beside the rules.",
		RunE: func(c *cobra.Command, _ []string) error {
			if cases == "" {
				cases = strings.TrimSuffix(p.config, ".yaml") + ".cases.yaml"
			}
			b, err := openPolicyEnv(&p)
			if err != nil {
				return err
			}
			list, err := config.LoadCases(cases)
			if err != nil {
				return err
			}
			wrong, err := b.run(c.Context(), list)
			if err != nil {
				return err
			}
			body := struct {
				page[wrongCase]
				Cases int `json:"cases"` // how many were run; items are those that failed
			}{pageOf(wrong), len(list)}
			err = o.print(c, body, func(w io.Writer) error {
				for _, f := range wrong {
					f.print(w)
				}
				_, err := fmt.Fprintf(w, "%d cases, %d failed.\n", len(list), len(wrong))
				return err
			})
			if err == nil && len(wrong) > 0 {
				err = errCasesFailed
			}
			return err
		},
	}
	p.flags(c)
	o.flag(c, "")
	c.Flags().StringVar(&cases, "cases", "", "the file of cases; default: agents.cases.yaml beside agents.yaml")
	return c
}

// wrongCase is a case that came out otherwise than it should.
type wrongCase struct {
	Place  string               `json:"place"`
	Name   string               `json:"name"`
	Expect string               `json:"expect"`
	Rule   string               `json:"rule,omitempty"` // a part of the name of the rule that should have decided
	Got    approval.VerdictView `json:"got"`

	verdict approval.Verdict
}

// run returns the cases that fail.
func (b *policyEnv) run(ctx context.Context, list []config.Case) (wrong []wrongCase, err error) {
	for _, c := range list {
		about, err := b.about(c.Agent, c.Tool, c.Args)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Place, err)
		}
		v := b.judge(ctx, about)
		if v.Effect.String() == c.Expect && strings.Contains(v.Rule, c.Rule) {
			continue
		}
		name := cmp.Or(c.Name, c.Tool+" "+string(c.Args))
		wrong = append(wrong, wrongCase{c.Place, name, c.Expect, c.Rule, v.View(), v})
	}
	return wrong, nil
}

func (f wrongCase) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s: want %s", f.Place, oneLine(f.Name), f.Expect)
	if f.Rule != "" {
		fmt.Fprintf(w, " by a rule with %q", f.Rule)
	}
	fmt.Fprint(w, ", got ")
	printVerdict(w, f.verdict)
}

func suggestCommand() *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "suggest [APPROVAL]", Args: cobra.MaximumNArgs(1),
		Short: "Suggest rules that would have cleared a request that waits, with what they would have done before.",
		RunE: func(c *cobra.Command, args []string) error {
			gateway, err := o.client()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				pending, err := gateway.Pending(c.Context(), "")
				if err != nil {
					return err
				}
				return o.print(c, pageOf(pending), func(w io.Writer) error {
					for _, p := range pending {
						fmt.Fprintf(w, "%s  %s: %s\n", p.ApprovalID, p.AgentID, oneLine(p.ToolName+" "+string(p.Args)))
					}
					_, err := fmt.Fprintf(w, "%d requests wait; name one of them.\n", len(pending))
					return err
				})
			}
			a, err := find(c.Context(), gateway, args[0])
			if err != nil {
				return err
			}
			list, err := gateway.Suggestions(c.Context(), a.ApprovalID)
			if err != nil {
				return err
			}
			return o.print(c, pageOf(list), func(w io.Writer) error { return sayRules(w, list) })
		},
	}
	o.flags(c)
	c.ValidArgsFunction = complete(o, requestIDs)
	return c
}

func sayRules(w io.Writer, list []approval.Suggestion) error {
	for _, s := range list {
		fmt.Fprintf(w, "# %s: would have cleared %d of the last %d calls, of which people denied %d", oneLine(s.Covers.Text), s.Matched, s.Past, s.Denied)
		if s.Unknown > 0 {
			fmt.Fprintf(w, "; %d with wildcards can't be told", s.Unknown)
		}
		fmt.Fprintf(w, "\n%s\n", strings.TrimRight(s.Rule, "\n"))
	}
	return nil
}
