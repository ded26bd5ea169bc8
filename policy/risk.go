package policy

import (
	"slices"
	"strings"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/mask"
	"github.com/lineclear/lineclear/internal/plain"
	"github.com/lineclear/lineclear/internal/programs"
)

// raise is a reason for a level of risk.
type raise struct {
	level  approval.RiskLevel
	reason string
}

// risk says how much harm the call could do. It never decides; what costs
// something is found out only where a person is asked.
func (c *call) risk(f matches, asked bool) approval.Risk {
	level, reasons := c.startingRisk()
	if asked || c.parsed {
		reasons = append(reasons, c.hazards()...)
	}
	reasons = append(reasons, f.raised...)
	if words := c.Request.Misleading; len(words) > 0 {
		reasons = append(reasons, raise{approval.RiskHigh, "contains misleading characters (" + strings.Join(words[:min(2, len(words))], ", ") + ")"})
	}
	if asked || !c.runs() {
		reasons = append(reasons, c.strays()...)
	}
	if len(reasons) == 0 && c.parsed && c.onlyReads() {
		level = approval.RiskLow
	}
	slices.SortStableFunc(reasons, func(a, b raise) int { return b.level.Rank() - a.level.Rank() })
	risk := approval.Risk{Level: level}
	for _, r := range reasons {
		if r.level.Rank() > risk.Level.Rank() {
			risk.Level = r.level
		}
		if reason := mask.Hidden(r.reason); !slices.Contains(risk.Reasons, reason) {
			risk.Reasons = append(risk.Reasons, reason)
		}
	}
	return risk
}

// startingRisk is what the tool says of itself. Of a tool of ours that runs
// commands, the command says more.
func (c *call) startingRisk() (approval.RiskLevel, []raise) {
	hints := c.Spec.Hints
	if c.runs() && hints.Trusted {
		return approval.RiskMedium, nil
	}
	var reasons []raise
	if hints.Destructive {
		reasons = append(reasons, raise{approval.RiskHigh, "the tool may delete or overwrite"})
	}
	if hints.OpenWorld {
		reasons = append(reasons, raise{approval.RiskMedium, "the tool reaches beyond this machine"})
	}
	if hints.Trusted && hints.ReadOnly {
		return approval.RiskLow, reasons
	}
	return approval.RiskMedium, reasons
}

// hazards returns why the command lines are risky.
func (c *call) hazards() []raise {
	var reasons []raise
	for _, line := range c.lines() {
		if line.unknown != "" {
			reasons = append(reasons, raise{approval.RiskHigh, "can't be known: " + line.unknown})
		}
		for _, part := range line.line.Parts {
			reasons = append(reasons, c.hazardsOf(part)...)
		}
	}
	if program, may := c.fetchesAndRuns(); may {
		reasons = append(reasons, raise{approval.RiskCritical, "may run what it downloads (" + program + ")"})
	}
	return reasons
}

// strays are the files that the call names outside of the working directory, and
// those from which other programs run code.
func (c *call) strays() []raise {
	var reasons []raise
	check := func(bases []string, text string, s side, what string) {
		switch {
		case c.home == "" && !holdsSecret(text), c.within(".", bases, text, s) == programs.Yes:
			return
		case c.home == "":
			what += " what mostly holds secrets: "
		case c.within(".", bases, text, toForbid) == programs.Yes && c.within(".", bases, text, toAllow) != programs.Yes:
			what += " what mostly holds secrets: "
		case c.within(".", bases, text, toAllow) != programs.Yes:
			what += " outside the working directory: "
		default:
			what = "may change what other programs run: "
		}
		reasons = append(reasons, raise{approval.RiskHigh, what + text})
	}
	for _, p := range c.pathArgs() {
		if p.known {
			check(c.bases(), p.text, c.sideOf(p), "reaches")
		}
	}
	for part := range c.parts() {
		for _, n := range c.filesOf(part) {
			s, what := toAllow, "reaches"
			switch n.kind {
			case programs.Write, programs.Make, programs.Drop:
				s, what = toWrite, "writes"
			case programs.Unknown, programs.Code:
				s = toWrite
			case programs.Option, programs.Text, programs.Read, programs.Tree, programs.Shown, programs.List, programs.Dir, programs.URL:
			}
			n.word.Each(func(text string) bool {
				if !plain.NullDevice(text) {
					check(c.dirsOf(part), text, s, what)
				}
				return true
			})
		}
	}
	return reasons
}

// onlyReads reports whether the call runs nothing but programs that are known
// to change nothing.
func (c *call) onlyReads() bool {
	for _, line := range c.lines() {
		if line.unknown != "" || len(line.line.Parts) == 0 {
			return false
		}
	}
	for part := range c.parts() {
		if part.Builtin || part.Light && part.Inner != nil {
			continue
		}
		if use := c.about(part).use; !use.Known || c.partWrites(part) || slices.ContainsFunc(use.Roles, func(r programs.Role) bool {
			return r.Kind == programs.Unknown || r.Kind == programs.Code
		}) {
			return false
		}
	}
	return len(c.readings) > 0
}
