package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
)

// ground is why a call is denied, asked about or allowed, as Verdict.Rule names it. Only this file makes
// one: testdata/grounds.json has an example of each, and the dashboard has a sentence for each.
type ground struct{ text string }

func deniedByName(pattern string) ground  { return ground{PatternName("alwaysDeny", pattern)} }
func allowedByName(pattern string) ground { return ground{PatternName("alwaysAllow", pattern)} }

// PatternName is the name of a pattern of toolPolicies, which stands there under a key, as the ground of a decision.
func PatternName(key, pattern string) string { return "toolPolicies." + key + ": " + pattern }

func allowedByPattern() ground { return ground{"approval.pattern"} }

func leavesSandbox() ground { return ground{"it asks to run outside of the sandbox"} }

func touchesOwnData(path string) ground {
	return ground{"protected: " + path + " is the gateway's own"}
}

func mayTouchOwnData(path string) ground {
	return ground{"protected: it may touch " + path + ", which is the gateway's own"}
}

func changesWhatAgentsMay(path string) ground {
	return ground{"protected: " + path + " says what agents may do"}
}

func runsOwnVerbs(program string) ground {
	return ground{"protected: the verbs of " + program + " are for people"}
}

// matched names a rule with its reason.
func matched(r *Compiled) ground {
	if r.rule.Reason == "" {
		return ground{r.name()}
	}
	return ground{r.name() + ": " + r.rule.Reason}
}

// mayMatch is matched for a rule of which it can't be known whether it matches.
func mayMatch(r *Compiled, why string) ground {
	text := r.name() + " may match"
	if why != "" {
		text += ", since " + mask.Hidden(why)
	}
	if r.rule.Reason != "" {
		text += " (" + r.rule.Reason + ")"
	}
	return ground{text}
}

// together names the rules that allow the commands of a line, one or more each.
func together(titles []string) ground { return ground{strings.Join(titles, "; ")} }

// inSandbox names a rule or a grant that allows a call in a sandbox.
func inSandbox(title string) ground { return ground{title + ", in a sandbox"} }

// refusedBefore names a refusal that a call runs into.
func refusedBefore(r approval.Refusal, what string) ground {
	who := r.By.Subject
	if r.By.Via == approval.ViaPolicy {
		who = "a rule"
	}
	return ground{fmt.Sprintf("%s denied a call of %s on %s: %s", who, r.ToolName, r.At.UTC().Format("2 Jan, "+time.TimeOnly+" UTC"), what)}
}
