package policy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/policy"
	"github.com/lineclear/lineclear/tool"
)

// A truth is a row of the table in docs/policies.md.
type truth struct {
	row   string
	rules policy.Rules
	held  []approval.Grant
	call  approval.Case
	cells []string
}

// truths reads the table: what stands behind the command says what is set up.
func truths(t *testing.T) []truth {
	t.Helper()
	text, err := os.ReadFile("../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| a command line |")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("there is no table")
	}
	var all []truth
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		command, condition, ok := strings.Cut(strings.TrimPrefix(cells[0], "`"), "`")
		if !ok || len(cells) != 5 {
			continue // its head
		}
		all = append(all, setUp(t, truth{row: cells[0], call: fencing(t, command), cells: cells[1:]}, command, condition))
	}
	return all
}

func setUp(t *testing.T, made truth, command, condition string) truth {
	t.Helper()
	made.rules.WorkingDirectory = workspace(t)
	for text := range strings.SplitSeq(strings.TrimPrefix(condition, ", "), ", ") {
		rule := policy.Rule{Tool: "shell", Effect: policy.Allow}
		switch text {
		case "allowed by nothing":
			continue
		case "allowed by a rule":
			rule.Command = []string{command}
		case "allowed by a grant":
			made.held = append(made.held, granted(ofCommands(command)))
			continue
		case "of a tool with `required: true`":
			made.call.Terms.Need = approval.NeedAsk
			continue
		case "of a tool that is always allowed":
		case "with `sandbox: read-only`":
			rule.Sandbox = &tool.Fence{}
		case "with `sandbox: {writes: [out]}`":
			rule.Sandbox = &tool.Fence{Writes: []string{"out"}}
		case "which asks to leave the sandbox":
			made.call = about(made.call.Spec, args(t, "command", command, "sandbox", "none"))
			continue
		default:
			t.Fatalf("%s: nobody knows what %q sets up", made.row, text)
		}
		made.rules.Rules = append(made.rules.Rules, compiled(t, rule)...)
	}
	return made
}

func TestEachCellOfTheTruthTableHoldsUnderEveryMode(t *testing.T) {
	all := truths(t)
	if len(all) < 10 {
		t.Fatalf("the table has %d rows", len(all))
	}
	byMode := map[approval.Mode]string{approval.Manual: "asked", approval.AutoApprove: "runs", approval.AutoDeny: "denied"}
	for _, row := range all {
		program, _, _ := strings.Cut(string(row.call.Request.Args), " ")
		program = program[strings.LastIndexByte(program, '"')+1:]
		against := [][]policy.Rule{
			nil,
			{{Tool: "shell", Command: []string{"rm *"}, Effect: policy.Deny}},
			{{Tool: "shell", Command: []string{program + " *"}, Effect: policy.Ask}},
			{{Tool: "shell", Command: []string{program + " *"}, Effect: policy.Deny}},
		}
		for i, want := range row.cells {
			rules := row.rules
			rules.Rules = append(compiled(t, against[i]...), rules.Rules...)
			for mode, does := range byMode {
				call := row.call
				call.Mode = mode
				wanted := want
				if want == "by mode" {
					wanted = does
				}
				v := judge(t, rules, call, row.held...)
				got := map[approval.Effect]string{approval.Allow: "runs", approval.AskPerson: "asked", approval.Deny: "denied"}[v.Effect]
				if got == "runs" && strings.Contains(string(v.Edit), `"sandbox"`) {
					got = "in the sandbox"
				}
				if got != wanted {
					t.Errorf("%s, column %d, %s: %s by %q, want %s", row.row, i+1, mode, got, v.Rule, wanted)
				}
			}
		}
	}
}
