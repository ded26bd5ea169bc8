package policy

import (
	"path"
	"slices"

	"github.com/lineclear/lineclear/approval"
	"github.com/lineclear/lineclear/internal/cmdline"
	"github.com/lineclear/lineclear/internal/mask"
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
	reasons = append(reasons, f.raised...)
	if asked || c.parsed {
		for _, line := range c.lines() {
			reasons = append(reasons, c.hazards(line)...)
		}
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

// hazards are the reasons that a command line gives.
func (c *call) hazards(line cmdline.Line) []raise {
	var reasons []raise
	for _, h := range line.Hazards() {
		if level := levelOf(h.Level); level != "" {
			reasons = append(reasons, raise{level, h.Text})
		}
	}
	return reasons
}

func levelOf(l cmdline.Level) approval.RiskLevel {
	switch l {
	case cmdline.None:
		return ""
	case cmdline.Low:
		return approval.RiskLow
	case cmdline.Medium:
		return approval.RiskMedium
	case cmdline.High:
		return approval.RiskHigh
	case cmdline.Critical:
		return approval.RiskCritical
	default:
		return approval.RiskHigh
	}
}

// strays are the files that the call names outside of the working directory, and
// those from which other programs run code.
func (c *call) strays() []raise {
	var reasons []raise
	check := func(bases []string, text string, s side, what string) {
		switch {
		case c.home == "" || c.within(".", bases, text, s) == cmdline.Yes:
			return
		case c.within(".", bases, text, toAllow) != cmdline.Yes:
			what += " outside the working directory: "
		default:
			what = "may change what other programs run: "
		}
		reasons = append(reasons, raise{approval.RiskHigh, what + text})
	}
	for _, p := range c.pathArgs() {
		if p.known {
			check(c.bases(cmdline.Bases{}), p.text, c.argSide(), "reaches")
		}
	}
	for _, line := range c.lines() {
		for _, part := range line.Parts {
			for _, w := range c.partPaths(arguments(part)) {
				switch {
				case w.Known:
					check(c.bases(part.Bases), w.Text, wordSide(part), "reaches")
				case w.Home:
					reasons = append(reasons, raise{approval.RiskHigh, "reaches into a home directory"})
				}
			}
			for _, f := range part.Files {
				switch {
				case f.Path.Known && f.Write:
					check(c.bases(part.Bases), f.Path.Text, toWrite, "writes")
				case f.Path.Known:
					check(c.bases(part.Bases), f.Path.Text, toAllow, "reaches")
				}
			}
		}
	}
	return reasons
}

// arguments is a part without the folder of its program, which is run and not
// changed.
func arguments(part cmdline.Part) cmdline.Part {
	if len(part.Words) > 0 {
		part.Words = slices.Clone(part.Words)
		part.Words[0].Text = path.Base(part.Words[0].Text)
	}
	return part
}

// onlyReads reports whether the call runs nothing but programs that are known
// to change nothing.
func (c *call) onlyReads() bool {
	lines := c.lines()
	for _, line := range lines {
		if len(line.Unknown) > 0 || len(line.Parts) == 0 {
			return false
		}
		for _, part := range line.Parts {
			if len(part.Opaque) > 0 || writes(part) || !part.Light && !reads(part.Words) {
				return false
			}
		}
	}
	return len(lines) > 0
}

// reads reports whether a command is one of those that only read.
func reads(words []cmdline.Word) bool {
	if len(words) == 0 || !words[0].Known {
		return false
	}
	second := ""
	if len(words) > 1 && words[1].Known {
		second = words[1].Text
	}
	switch words[0].Text {
	case "ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "pwd", "date", "echo", "printf", "true", "false",
		"test", "[", "which", "type", "whoami", "id", "uname", "basename", "dirname", "realpath", "readlink", "stat", "file",
		"du", "df", "tree", "uniq", "cut", "tr", "nl", "tac", "rev", "diff", "cmp", "comm", "cd", "find", "jq":
		return true
	case "git":
		return slices.Contains([]string{"status", "diff", "log", "show", "rev-parse", "ls-files", "blame", "describe", "shortlog"}, second)
	case "go":
		return slices.Contains([]string{"version", "vet", "list", "doc"}, second)
	}
	return false
}
